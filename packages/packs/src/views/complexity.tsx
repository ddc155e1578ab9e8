import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { startView, taking, useData } from './runtime/app.tsx'
import type { ViewProps } from './runtime/app.tsx'
import { Bars } from './runtime/bars.tsx'
import { Choice, Head, Notice, Table, Tile, Words } from './runtime/parts.tsx'
import type { Column } from './runtime/parts.tsx'
import { Plot } from './runtime/plot.tsx'
import { bare, isRecord, number, records, shown, text } from './runtime/values.ts'
import type { Fields } from './runtime/values.ts'

const KINDS = ['cyclomatic', 'cognitive'] as const
type Kind = (typeof KINDS)[number]

const HEIGHT = 220

function Complexity(props: ViewProps): VNode {
  const [kind, setKind] = useState<Kind>('cyclomatic')
  const [at, setAt] = useState<number | undefined>(undefined)
  const names = ['project_path', 'toolchain', 'max_cyclomatic', 'max_cognitive', 'include', 'exclude']
  const loaded = useData(props, 'view_complexity', { project_path: '.', ...taking(props.input, ...names) })
  const { data } = loaded
  const summary = data && isRecord(data.summary) ? data.summary : undefined
  if (!summary) return loaded.isLoading ? <Notice loaded={loaded} /> : <Words result={props.result} />
  const bins = Array.isArray(data?.[kind]) ? data[kind].map(number) : []
  const limits = limitsOf(data, kind)
  const tone = (value: number): string =>
    value > limits.error ? 'var(--bad)' : value > limits.warning ? 'var(--warn)' : 'var(--accent)'
  const bars = bins.map((count, value) => ({
    name: value === bins.length - 1 && value === 60 ? '60+' : String(value),
    label: `${count} functions with ${kind} complexity ${value}`,
    up: Math.log10(count + 1),
    tone: tone(value),
  }))
  return (
    <>
      <Head
        title="Complexity"
        about={`${shown(number(summary.total_functions))} functions in ${shown(number(summary.total_files))} files`}
      >
        <Choice label="Measure" options={KINDS} value={kind} choose={setKind} />
      </Head>
      <Notice loaded={loaded} />
      <Tiles summary={summary} kind={kind} />
      {bars.length > 0 && (
        <Plot
          label={`How many functions have which ${kind} complexity`}
          height={HEIGHT}
          about={at !== undefined && bars[at] ? bars[at].label : undefined}
          // Most functions are simple: on an axis of equal steps those that matter would not be seen.
          draw={width => (
            <Bars bars={bars} width={width} height={HEIGHT} unit={`${kind} complexity`} isLog onFocus={setAt} />
          )}
        />
      )}
      <h2>The most complex functions</h2>
      <Table label="Functions" rows={records(data?.functions)} columns={columns(kind)} most={25} />
    </>
  )
}

interface Limits {
  readonly warning: number
  readonly error: number
}

function limitsOf(data: Fields | undefined, kind: Kind): Limits {
  const all = isRecord(data?.thresholds) ? data.thresholds : {}
  const own = isRecord(all[kind]) ? all[kind] : {}
  return { warning: number(own.warn) || Infinity, error: number(own.fail) || Infinity }
}

function Tiles({ summary, kind }: { summary: Fields; kind: Kind }): VNode {
  const figure = (name: string): string => shown(number(summary[name]))
  const errors = number(summary.errors)
  const warnings = number(summary.warnings)
  return (
    <div class="tiles">
      <Tile name="median" value={figure(`median_${kind}`)} />
      <Tile name="mean" value={figure(`avg_${kind}`)} />
      <Tile name="90th percentile" value={figure(`p90_${kind}`)} />
      <Tile name="most" value={figure(`max_${kind}`)} />
      <Tile name="errors" value={shown(errors)} tone={errors > 0 ? 'bad' : 'good'} />
      <Tile name="warnings" value={shown(warnings)} tone={warnings > 0 ? 'warn' : 'good'} />
      <Tile name="hours of debt" value={figure('technical_debt_hours')} />
    </div>
  )
}

const columns = (kind: Kind): readonly Column<Fields>[] => [
  { name: 'Function', of: row => text(row.name, 200), show: row => <span class="mono">{text(row.name, 200)}</span> },
  {
    name: 'Place',
    of: row => text(row.file, 400),
    show: row => (
      <span class="mono muted">
        {bare(text(row.file, 400))}:{number(row.line)}
      </span>
    ),
  },
  ...(kind === 'cyclomatic' ? KINDS : KINDS.toReversed()).map(one => ({
    name: one === 'cyclomatic' ? 'Cyclomatic' : 'Cognitive',
    isNumber: true,
    of: (row: Fields) => number(row[one]),
  })),
  { name: 'Lines', isNumber: true, of: row => number(row.lines) },
]

startView('complexity', Complexity)
