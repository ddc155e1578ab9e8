import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { startView, taking, useData } from './runtime/app.tsx'
import type { ViewProps } from './runtime/app.tsx'
import { Choice, Head, Notice, Table, Words } from './runtime/parts.tsx'
import type { Column } from './runtime/parts.tsx'
import { Mark, Plot } from './runtime/plot.tsx'
import { nameOf, number, records, shortPath, shown, text } from './runtime/values.ts'
import type { Fields } from './runtime/values.ts'

const LEVELS = ['file', 'directory'] as const
const WAYS = ['Graph', 'Cycles', 'Table'] as const
const NAMES_PX = 150

interface Node {
  readonly name: string
  readonly uses: readonly number[]
  readonly usedBy: readonly number[]
  readonly isInCycle: boolean
}

interface Graph {
  readonly nodes: readonly Node[]
  readonly total: number
  readonly cycles: readonly (readonly string[])[]
  /** `from-to` of edges that are part of a cycle. */
  readonly bad: ReadonlySet<string>
}

interface Edges {
  readonly uses: readonly (readonly number[])[]
  readonly usedBy: readonly (readonly number[])[]
}

function edgesIn(data: Fields | undefined, count: number): Edges {
  const uses = Array.from({ length: count }, (): number[] => [])
  const usedBy = Array.from({ length: count }, (): number[] => [])
  for (const edge of Array.isArray(data?.edges) ? data.edges : []) {
    const [from, to] = Array.isArray(edge) ? edge.map(number) : []
    if (from === undefined || to === undefined) continue
    uses[from]?.push(to)
    usedBy[to]?.push(from)
  }
  return { uses, usedBy }
}

function graphIn(data: Fields | undefined): Graph {
  const names = Array.isArray(data?.nodes) ? data.nodes.map(name => text(name, 400)) : []
  const { uses, usedBy } = edgesIn(data, names.length)
  const cycles = records(data?.cycles).map(cycle =>
    Array.isArray(cycle.path) ? cycle.path.map(node => text(node, 400)) : [],
  )
  const at = new Map(names.map((name, i) => [name, i]))
  const bad = new Set(cycles.flatMap(path => path.slice(1).map((to, i) => `${at.get(path[i] ?? '')}-${at.get(to)}`)))
  const inCycle = new Set(cycles.flat())
  const nodes = names.map((name, i) => ({
    name,
    uses: uses[i] ?? [],
    usedBy: usedBy[i] ?? [],
    isInCycle: inCycle.has(name),
  }))
  return { nodes, total: number(data?.total), cycles, bad }
}

function Dependencies(props: ViewProps): VNode {
  const [level, setLevel] = useState<'' | (typeof LEVELS)[number]>(props.input.level === 'directory' ? 'directory' : '')
  const [way, setWay] = useState<(typeof WAYS)[number]>('Graph')
  const [at, setAt] = useState<number | undefined>(undefined)
  const args = taking(props.input, 'project_path', 'toolchain')
  const loaded = useData(props, 'view_dependencies', { project_path: '.', ...args, ...(level !== '' && { level }) })
  const graph = graphIn(loaded.data)
  const { nodes, cycles } = graph
  if (nodes.length === 0) return loaded.isLoading ? <Notice loaded={loaded} /> : <Words result={props.result} />
  const shownLevel = LEVELS.find(one => one === loaded.data?.level) ?? 'directory'
  return (
    <>
      <Head title="Dependencies" about={aboutOf(graph, shownLevel)}>
        <Choice label="Show as" options={WAYS} value={way} choose={setWay} />
        <Choice label="Level" options={LEVELS} value={shownLevel} choose={one => (setLevel(one), setAt(undefined))} />
      </Head>
      <Notice loaded={loaded} />
      {way === 'Graph' && (
        <Plot
          label="What uses what"
          height={640}
          about={at === undefined ? undefined : <About graph={graph} at={at} />}
          draw={width => <Circle graph={graph} width={width} height={640} at={at} setAt={setAt} />}
        />
      )}
      {way === 'Cycles' && <Cycles cycles={cycles} />}
      {way === 'Table' && <Table label="Nodes" rows={nodes} columns={COLUMNS} />}
    </>
  )
}

function aboutOf({ nodes, total, cycles }: Graph, level: (typeof LEVELS)[number]): string {
  const what = level === 'file' ? 'files' : 'directories'
  const part =
    total > nodes.length ? `${nodes.length} of ${shown(total)} ${what}, the most connected` : `${total} ${what}`
  return `${part}; ${cycles.length === 0 ? 'no cycles' : `${cycles.length} cycles`}`
}

function About({ graph: { nodes }, at }: { graph: Graph; at: number }): VNode | null {
  const node = nodes[at]
  if (!node) return null
  const few = (list: readonly number[]): string =>
    `${list
      .slice(0, 8)
      .map(i => nameOf(nodes[i]?.name ?? ''))
      .join(', ')}${list.length > 8 ? ', …' : ''}`
  return (
    <>
      <b class="mono">{node.name}</b>
      {node.isInCycle && <b class="bad-text"> in a cycle</b>} · uses {node.uses.length}
      {node.uses.length > 0 && <span class="mono muted"> ({few(node.uses)})</span>} · used by {node.usedBy.length}
      {node.usedBy.length > 0 && <span class="mono muted"> ({few(node.usedBy)})</span>}
    </>
  )
}

interface CircleProps {
  readonly graph: Graph
  readonly width: number
  readonly height: number
  readonly at: number | undefined
  setAt(at: number): void
}

/** All around a circle by their paths, so that neighbours are neighbours; what is used bends towards the centre. */
function Circle({ graph, width, height, at, setAt }: CircleProps): VNode {
  const { nodes } = graph
  const names = width > 560 ? NAMES_PX : 60
  const radius = Math.max(60, Math.min(width / 2 - names, height / 2 - names * 0.8))
  const angle = (i: number): number => ((i + 0.5) / nodes.length) * 2 * Math.PI - Math.PI / 2
  const point = (i: number, r = radius): readonly [number, number] => [
    width / 2 + Math.cos(angle(i)) * r,
    height / 2 + Math.sin(angle(i)) * r,
  ]
  const most = Math.max(1, ...nodes.map(({ usedBy }) => usedBy.length))
  const isNamed = (i: number): boolean =>
    nodes.length <= 70 || i === at || isNear(graph, at, i) || nodes[i]?.isInCycle === true
  return (
    <>
      {nodes.flatMap(({ uses }, from) =>
        uses.map(to => (
          <Edge
            key={`${from}-${to}`}
            from={point(from)}
            to={point(to)}
            center={[width / 2, height / 2]}
            kind={kindOf(graph, at, from, to)}
          />
        )),
      )}
      {nodes.map((node, i) => (
        <Mark key={node.name} label={labelOf(node)} isFirst={i === 0} onFocus={() => setAt(i)}>
          <circle
            cx={point(i)[0]}
            cy={point(i)[1]}
            r={3 + 6 * Math.sqrt(node.usedBy.length / most)}
            class={node.isInCycle ? 'bad-node' : 'node'}
          />
          {isNamed(i) && (
            <Name
              name={shortPath(node.name, charactersAt(angle(i), [width, height], radius))}
              at={point(i)}
              angle={angle(i)}
              isFaint={at !== undefined && i !== at && !isNear(graph, at, i)}
            />
          )}
        </Mark>
      ))}
    </>
  )
}

/** How much of a name fits between the circle and the edge of the drawing. */
function charactersAt(angle: number, [width, height]: readonly [number, number], radius: number): number {
  const edge = Math.min(width / 2 / Math.abs(Math.cos(angle)), height / 2 / Math.abs(Math.sin(angle)))
  return Math.max(1, Math.floor((Math.min(edge - radius, NAMES_PX) - 18) / 6.6))
}

const labelOf = ({ name, uses, usedBy, isInCycle }: Node): string =>
  `${name}: uses ${uses.length}, used by ${usedBy.length}${isInCycle ? ', in a cycle' : ''}`

interface NameProps {
  readonly name: string
  readonly at: readonly [number, number]
  readonly angle: number
  readonly isFaint: boolean
}

/** Away from the centre, and never upside down. */
const Name = ({ name, at: [x, y], angle, isFaint }: NameProps): VNode => {
  const isRight = Math.cos(angle) >= 0
  const turn = (angle * 180) / Math.PI + (isRight ? 0 : 180)
  return (
    <text
      class={isFaint ? 'muted' : ''}
      transform={`translate(${x} ${y}) rotate(${turn})`}
      x={isRight ? 12 : -12}
      y={4}
      text-anchor={isRight ? 'start' : 'end'}
      pointer-events="none"
    >
      {name}
    </text>
  )
}

const isNear = ({ nodes }: Graph, at: number | undefined, i: number): boolean =>
  at !== undefined && (nodes[at]?.uses.includes(i) === true || nodes[at]?.usedBy.includes(i) === true)

type EdgeKind = 'plain' | 'cycle' | 'out' | 'in' | 'faint'

function kindOf({ bad }: Graph, at: number | undefined, from: number, to: number): EdgeKind {
  if (from === at) return 'out'
  if (to === at) return 'in'
  if (bad.has(`${from}-${to}`)) return 'cycle'
  return at === undefined ? 'plain' : 'faint'
}

interface EdgeProps {
  readonly from: readonly [number, number]
  readonly to: readonly [number, number]
  readonly center: readonly [number, number]
  readonly kind: EdgeKind
}

const Edge = ({ from: [x, y], to: [tx, ty], center: [cx, cy], kind }: EdgeProps): VNode => {
  const pull = 0.72
  const control = [((x + tx) / 2) * (1 - pull) + cx * pull, ((y + ty) / 2) * (1 - pull) + cy * pull]
  return (
    <path
      class={`edge ${kind}`}
      d={`M${x} ${y}Q${control[0]} ${control[1]} ${tx} ${ty}`}
      fill="none"
      pointer-events="none"
    />
  )
}

function Cycles({ cycles }: { cycles: Graph['cycles'] }): VNode {
  if (cycles.length === 0) return <p class="notice">There are no cycles.</p>
  return (
    <ol class="cycles">
      {cycles.map((path, i) => (
        <li key={i}>
          {path.map((node, step) => (
            <span key={step}>
              {step > 0 && <span class="bad-text"> → </span>}
              <span class="mono">{node}</span>
            </span>
          ))}
        </li>
      ))}
    </ol>
  )
}

const COLUMNS: readonly Column<Node>[] = [
  { name: 'Name', of: node => node.name, show: node => <span class="mono">{node.name}</span> },
  { name: 'Uses', isNumber: true, of: node => node.uses.length },
  { name: 'Used by', isNumber: true, of: node => node.usedBy.length },
  { name: 'Cycle', of: node => (node.isInCycle ? 'yes' : '') },
]

startView('dependencies', Dependencies)
