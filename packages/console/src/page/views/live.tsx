import { signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { CallRecord, LogRecord, Sample } from '../../operator-records.ts'
import { Spark } from '../charts/spark.tsx'
import { Empty, Search, Segments, count, plural } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'
import { calls, logs, samples, skipped } from '../state/feed.ts'
import { CallTable } from './call-table.tsx'
import { LogTable } from './log-table.tsx'

const search = signal('')
const SHOWN = 120
const WAYS = ['Calls', 'Log'] as const
const OUTCOMES = ['All', 'Failed'] as const

interface Frozen {
  readonly calls: readonly CallRecord[]
  readonly logs: readonly LogRecord[]
}

/** What happens now: figures, every call, and the log. */
export function LiveView(): VNode {
  const paused = useSignal<Frozen | undefined>(undefined)
  const toggle = (): void => {
    paused.value = paused.value ? undefined : { calls: calls.value, logs: logs.value }
  }
  const missed = calls.value.length - (paused.value?.calls.length ?? 0)
  return (
    <div class="detail">
      <div class="page wide">
        <div class="row wrap">
          <h1 class="grow">Live</h1>
          <span class="muted small" role="status">
            {paused.value ? `Paused; ${plural(missed, 'call')} since` : 'Streaming'}
          </span>
          <button type="button" class="button" aria-pressed={paused.value !== undefined} onClick={toggle}>
            <Icon name={paused.value ? 'run' : 'pause'} />
            {paused.value ? 'Resume' : 'Pause'}
          </button>
        </div>
        <Figures />
        <Listing calls={paused.value?.calls ?? calls.value} logs={paused.value?.logs ?? logs.value} />
      </div>
    </div>
  )
}

function Listing(props: Frozen): VNode {
  const way = useSignal<(typeof WAYS)[number]>('Calls')
  const only = useSignal<(typeof OUTCOMES)[number]>('All')
  const shown = filtered(props.calls, search.value, only.value === 'Failed')
  return (
    <section class="card" aria-label={way.value}>
      <header>
        <Segments label="Show" options={WAYS} value={way.value} choose={option => (way.value = option)} />
        {way.value === 'Calls' && (
          <Segments label="Outcome" options={OUTCOMES} value={only.value} choose={option => (only.value = option)} />
        )}
        <span class="grow" />
        {skipped.value > 0 && <span class="muted small">{count(skipped.value)} more came too fast to list</span>}
        <Search value={search} what={way.value === 'Calls' ? 'calls' : 'the log'} />
      </header>
      {way.value === 'Log' ? (
        <LogTable logs={props.logs} search={search.value} />
      ) : shown.length > 0 ? (
        <CallTable calls={shown} />
      ) : (
        <NoCalls isFiltered={props.calls.length > 0} />
      )}
    </section>
  )
}

const GOOD = new Set(['ok', 'asked', 'cancelled'])

function filtered(all: readonly CallRecord[], text: string, isFailedOnly: boolean): readonly CallRecord[] {
  const words = text.trim().toLowerCase()
  if (words === '' && !isFailedOnly) return all
  return all.filter(
    ({ tool, principal, client, outcome }) =>
      !(isFailedOnly && GOOD.has(outcome)) &&
      `${tool} ${principal ?? ''} ${client ?? ''} ${outcome}`.toLowerCase().includes(words),
  )
}

function NoCalls({ isFiltered }: { readonly isFiltered: boolean }): VNode {
  return isFiltered ? (
    <Empty icon="search" title="No call matches" />
  ) : (
    <Empty icon="Live" title="No calls yet">
      <p>Every tool call shows up here as it ends: from this page, from assistants, from scripts.</p>
    </Empty>
  )
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Of the last second in which anything ended; both in one unit, since there is little room. */
function latency(recent: readonly Sample[]): string {
  const last = recent.findLast(({ calls: ended }) => ended > 0)
  if (!last) return '–'
  const { p50, p95 } = last
  if (p95 < 1000) return `${p50.toFixed(0)} / ${p95.toFixed(0)} ms`
  return `${(p50 / 1000).toFixed(1)} / ${(p95 / 1000).toFixed(1)} s`
}

type Figure = Exclude<keyof Sample, 'workers'>

function Figures(): VNode {
  const recent = samples.value.slice(-SHOWN)
  const now = recent.at(-1)
  const values = (name: Figure): number[] => recent.map(sample => sample[name])
  const figure = (name: string, value: string, ...lines: readonly Figure[]): VNode => (
    <div class="card figure">
      <span class="muted small">{name}</span>
      <strong>{value}</strong>
      <Spark lines={lines.map(values)} label={`${name}, the last ${recent.length} seconds`} />
    </div>
  )
  return (
    <section class="figures" aria-label="Figures">
      {figure('Calls, 2 minutes', count(sum(values('calls'))), 'calls')}
      {figure('Errors, 2 minutes', count(sum(values('errors'))), 'errors')}
      {figure('Latency, p50 / p95', latency(recent), 'p50', 'p95')}
      {figure('Running now', count(now?.running ?? 0), 'running')}
      {figure('Sessions', count(now?.sessions ?? 0), 'sessions')}
      {figure('Memory', `${count(Math.round((now?.rss ?? 0) / 1e6))} MB`, 'rss')}
    </section>
  )
}
