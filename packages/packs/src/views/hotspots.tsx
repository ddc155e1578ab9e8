import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { startView, taking, useData } from './runtime/app.tsx'
import type { ViewProps } from './runtime/app.tsx'
import { Choice, Head, Notice, Table, Words } from './runtime/parts.tsx'
import type { Column } from './runtime/parts.tsx'
import { Mark, Plot } from './runtime/plot.tsx'
import { tiled } from './runtime/treemap.ts'
import { bare, nameOf, number, records, short, shortPath, shown, text, ticks } from './runtime/values.ts'
import type { Fields } from './runtime/values.ts'

interface Spot {
  readonly file: string
  readonly score: number
  readonly commits: number
  readonly complexity: number
  readonly functions: number
  readonly lines: number
  readonly worst: string
  /** 0 to 4: among how hot the others are. */
  readonly heat: number
}

const WAYS = ['Scatter', 'Treemap', 'Table'] as const
const HEIGHT = 360
const NAMED = 8
// More of them would be too small to tell apart.
const TILES = 60

function spotsIn(data: Fields | undefined): readonly Spot[] {
  const rows = records(data?.hotspots)
  const most = Math.max(...rows.map(row => number(row.score)), 1e-9)
  return rows.map(row => ({
    file: bare(text(row.file, 500)),
    score: number(row.score),
    commits: number(row.commit_count),
    complexity: number(row.complexity),
    functions: number(row.function_count),
    lines: number(row.lines) || number(row.function_count),
    worst: text(row.worst_function, 200),
    heat: Math.min(4, Math.floor(5 * Math.sqrt(number(row.score) / most))),
  }))
}

function Hotspots(props: ViewProps): VNode {
  const [way, setWay] = useState<(typeof WAYS)[number]>('Scatter')
  const [at, setAt] = useState<Spot | undefined>(undefined)
  const args = taking(props.input, 'project_path', 'toolchain', 'period_days', 'include_tests')
  const loaded = useData(props, 'view_hotspots', { project_path: '.', ...args })
  const spots = spotsIn(loaded.data)
  if (spots.length === 0 && !loaded.isLoading) return <Words result={props.result} />
  const about = at && (
    <About spot={at} ask={props.bridge.can('message') ? () => void props.bridge.say(question(at)) : undefined} />
  )
  return (
    <>
      <Head title="Hotspots" about={`${spots.length} files that are complex and change often`}>
        <Choice label="Show as" options={WAYS} value={way} choose={setWay} />
      </Head>
      <Notice loaded={loaded} />
      {way === 'Scatter' && (
        <Plot
          label="Files by commits and complexity"
          height={HEIGHT}
          about={about}
          draw={w => scatter(spots, w, setAt)}
        />
      )}
      {way === 'Treemap' && (
        <Plot label="Files by lines and heat" height={HEIGHT} about={about} draw={w => treemap(spots, w, setAt)} />
      )}
      {way === 'Table' && <Table label="Hotspots" rows={spots} columns={COLUMNS} />}
    </>
  )
}

const question = ({ file, worst }: Spot): string =>
  `What makes ${file} hard to change, and how would you split ${worst}?`

const About = ({ spot, ask }: { spot: Spot; ask: (() => void) | undefined }): VNode => (
  <>
    <b class="mono">{spot.file}</b> · score {shown(spot.score)} · {shown(spot.commits)} commits · complexity{' '}
    {shown(spot.complexity)} · {shown(spot.functions)} functions · worst <span class="mono">{spot.worst}</span>{' '}
    {ask && (
      <button type="button" class="plain" onClick={ask}>
        Ask about it
      </button>
    )}
  </>
)

const labelOf = ({ file, score, commits, complexity }: Spot): string =>
  `${file}: score ${shown(score)}, ${commits} commits, complexity ${shown(complexity)}`

/** What is changed often lies to the right, what is complex at the top; between decades both are squeezed. */
function scatter(spots: readonly Spot[], width: number, setAt: (spot: Spot) => void): VNode {
  const [left, right, top, bottom] = [44, 16, 14, 40]
  const most = { x: Math.max(...spots.map(s => s.commits), 1), y: Math.max(...spots.map(s => s.complexity), 1) }
  const x = (value: number): number => left + Math.sqrt(value / most.x) * (width - left - right)
  const y = (value: number): number => HEIGHT - bottom - Math.sqrt(value / most.y) * (HEIGHT - top - bottom)
  const labels = placed(spots.slice(0, NAMED), s => [x(s.commits), y(s.complexity)], width)
  return (
    <>
      {ticks(most.x, 5).map(one => (
        <g key={`x${one}`}>
          <line class="axis" x1={x(one)} x2={x(one)} y1={top} y2={HEIGHT - bottom} />
          <text class="muted" x={x(one)} y={HEIGHT - bottom + 16} text-anchor="middle">
            {short(one)}
          </text>
        </g>
      ))}
      {ticks(most.y, 4).map(one => (
        <g key={`y${one}`}>
          <line class="axis" x1={left} x2={width - right} y1={y(one)} y2={y(one)} />
          <text class="muted" x={left - 6} y={y(one) + 4} text-anchor="end">
            {short(one)}
          </text>
        </g>
      ))}
      <text class="muted" x={(left + width - right) / 2} y={HEIGHT - 6} text-anchor="middle">
        commits
      </text>
      <text class="muted" transform={`translate(11 ${HEIGHT / 2}) rotate(-90)`} text-anchor="middle">
        complexity
      </text>
      {spots.map((spot, i) => (
        <Mark key={spot.file} label={labelOf(spot)} isFirst={i === 0} onFocus={() => setAt(spot)}>
          <circle
            cx={x(spot.commits)}
            cy={y(spot.complexity)}
            r={3 + Math.min(9, Math.sqrt(spot.functions))}
            fill={`var(--heat-${spot.heat})`}
            fill-opacity="0.8"
            stroke="var(--surface)"
          />
        </Mark>
      ))}
      {labels.map(({ spot, at: [lx, ly], end }) => (
        <text key={spot.file} x={lx} y={ly} text-anchor={end ? 'end' : 'start'} pointer-events="none">
          {shortPath(nameOf(spot.file), 28)}
        </text>
      ))}
    </>
  )
}

interface Label {
  readonly spot: Spot
  readonly at: readonly [number, number]
  readonly end: boolean
}

/** Labels beside their marks, those left out that would cover another. */
function placed(spots: readonly Spot[], where: (spot: Spot) => readonly [number, number], width: number): Label[] {
  const boxes: { left: number; right: number; y: number }[] = []
  return spots.flatMap(spot => {
    const [x, y] = where(spot)
    const length = Math.min(28, nameOf(spot.file).length) * 6.6
    const end = x + 14 + length > width - 8
    const left = end ? x - 14 - length : x + 14
    const box = { left, right: left + length, y }
    if (boxes.some(one => Math.abs(one.y - y) < 14 && one.left < box.right && box.left < one.right)) return []
    boxes.push(box)
    return [{ spot, at: [end ? x - 14 : x + 14, y + 4] as const, end }]
  })
}

/** As large as it is long, as warm as it is hot. */
function treemap(spots: readonly Spot[], width: number, setAt: (spot: Spot) => void): VNode {
  const tiles = tiled(
    spots.slice(0, TILES).map(spot => ({ item: spot, size: Math.max(1, spot.lines) })),
    width,
    HEIGHT - 2,
  )
  return (
    <>
      {tiles.map(({ item: spot, x, y, w, h }, i) => (
        <Mark key={spot.file} label={labelOf(spot)} isFirst={i === 0} onFocus={() => setAt(spot)}>
          <rect
            x={x + 1}
            y={y + 1}
            width={Math.max(0, w - 2)}
            height={Math.max(0, h - 2)}
            rx="3"
            fill={`var(--heat-${spot.heat})`}
          />
          {w > 54 && h > 20 && (
            <text class={`tile-name heat-${spot.heat}`} x={x + 7} y={y + 16} pointer-events="none">
              {shortPath(nameOf(spot.file), Math.floor((w - 12) / 6.8))}
            </text>
          )}
        </Mark>
      ))}
    </>
  )
}

const COLUMNS: readonly Column<Spot>[] = [
  { name: 'File', of: spot => spot.file, show: spot => <span class="mono">{spot.file}</span> },
  { name: 'Score', isNumber: true, of: spot => spot.score, show: spot => shown(spot.score) },
  { name: 'Commits', isNumber: true, of: spot => spot.commits },
  { name: 'Complexity', isNumber: true, of: spot => spot.complexity, show: spot => shown(spot.complexity) },
  { name: 'Functions', isNumber: true, of: spot => spot.functions },
  { name: 'Worst function', of: spot => spot.worst, show: spot => <span class="mono">{spot.worst}</span> },
]

startView('hotspots', Hotspots)
