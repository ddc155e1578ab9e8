import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { startView, taking, useData } from './runtime/app.tsx'
import type { ViewProps } from './runtime/app.tsx'
import { Bars } from './runtime/bars.tsx'
import { Choice, Head, Notice, Words } from './runtime/parts.tsx'
import { Plot } from './runtime/plot.tsx'
import { number, records, shown, text } from './runtime/values.ts'
import type { Fields } from './runtime/values.ts'

const MEASURES = ['count', 'hours'] as const
const BUCKETS = ['year', 'month', 'week'] as const
type Measure = (typeof MEASURES)[number]

const HEIGHT = 240
const FILTERS = ['team', 'target', 'spass_type', 'from', 'to', 'query']

function Cassini(props: ViewProps): VNode {
  const [measure, setMeasure] = useState<Measure>('count')
  const [bucket, setBucket] = useState<(typeof BUCKETS)[number]>(bucketIn(props.input))
  const [target, setTarget] = useState(text(props.input.target, 100))
  const [at, setAt] = useState<number | undefined>(undefined)
  const { target: _, ...filter } = taking(props.input, ...FILTERS)
  const asked = target === '' ? filter : { ...filter, target }
  const time = useData(props, 'get_timeline', { ...asked, bucket })
  const groups = useData(props, 'get_statistics', { ...filter, group_by: 'target' })
  const bars = records(time.data?.buckets).map(one => barOf(one, measure))
  const targets = targetsIn(groups.data, measure)
  if (bars.length === 0 && targets.length === 0 && !time.isLoading) return <Words result={props.result} />
  return (
    <>
      <Head title={target === '' ? 'Cassini: all targets' : `Cassini: ${target}`} about={totalOf(time.data)}>
        <Choice label="Measure" options={MEASURES} value={measure} choose={setMeasure} />
        <Choice label="Bucket" options={BUCKETS} value={bucket} choose={one => (setBucket(one), setAt(undefined))} />
      </Head>
      <Synthetic data={time.data} />
      <Notice loaded={{ ...time, problem: time.problem || groups.problem }} />
      <Timeline bars={bars} measure={measure} bucket={bucket} at={at} setAt={setAt} />
      <h2>Targets</h2>
      <Targets
        targets={targets}
        chosen={target}
        choose={name => (setTarget(name === target ? '' : name), setAt(undefined))}
      />
    </>
  )
}

function totalOf(data: Fields | undefined): string {
  if (data?.buckets === undefined) return ''
  return `${shown(number(data.total))} observations, ${shown(number(data.total_hours))} hours`
}

const Synthetic = ({ data }: { data: Fields | undefined }): VNode | null =>
  data?.synthetic === true ? (
    <p class="notice">Generated data of the size and shape of the plan, not the plan itself.</p>
  ) : null

interface TimelineProps {
  readonly bars: readonly ReturnType<typeof barOf>[]
  readonly measure: Measure
  readonly bucket: string
  readonly at: number | undefined
  setAt(at: number): void
}

function Timeline({ bars, measure, bucket, at, setAt }: TimelineProps): VNode | null {
  if (bars.length === 0) return null
  const unit = `${measure === 'count' ? 'observations' : 'hours'} by ${bucket}`
  return (
    <Plot
      label={`Observations by ${bucket}`}
      height={HEIGHT}
      about={at === undefined ? undefined : bars[at]?.label}
      draw={width => <Bars bars={bars} width={width} height={HEIGHT} unit={unit} onFocus={setAt} />}
    />
  )
}

const bucketIn = ({ bucket }: Fields): (typeof BUCKETS)[number] => BUCKETS.find(one => one === bucket) ?? 'year'

function barOf(one: Fields, measure: Measure): Parameters<typeof Bars>[0]['bars'][number] {
  const start = text(one.start, 20)
  const label = `From ${start}: ${shown(number(one.count))} observations, ${shown(number(one.hours))} hours`
  return { name: start.slice(0, 7).replace(/-01$/, ''), label, up: number(one[measure]) }
}

interface Target {
  readonly name: string
  readonly value: number
  readonly share: number
}

/** As `get_statistics` groups them, or as `list_targets` lists them. */
function targetsIn(data: Fields | undefined, measure: Measure): readonly Target[] {
  const rows = [...records(data?.groups), ...records(data?.targets)]
  const most = Math.max(...rows.map(row => number(row[measure])), 1)
  return rows
    .map(row => ({ name: text(row.name, 100), value: number(row[measure]), share: number(row[measure]) / most }))
    .toSorted((a, b) => b.value - a.value)
    .slice(0, 60)
}

interface TargetsProps {
  readonly targets: readonly Target[]
  readonly chosen: string
  choose(name: string): void
}

const Targets = ({ targets, chosen, choose }: TargetsProps): VNode => (
  <div class="targets" role="group" aria-label="Show only one target">
    {targets.map(({ name, value, share }) => (
      <button type="button" key={name} aria-pressed={name === chosen} onClick={() => choose(name)}>
        <span>{name}</span>
        <svg width="100%" height="10" aria-hidden="true">
          <rect width={`${Math.max(0.5, 100 * share)}%`} height="10" rx="2" fill="var(--accent)" />
        </svg>
        <span class="number">{shown(value)}</span>
      </button>
    ))}
  </div>
)

startView('cassini', Cassini)
