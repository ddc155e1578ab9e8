import { batch, signal } from '@preact/signals'
import { EventReader, HttpError } from '@causeway/engine/browser'
import type { CallRecord, FeedHello, LogRecord, Sample, UpstreamRecord } from '../../operator-records.ts'
import { authorization, endpoint } from './connection.ts'

const KEPT_CALLS = 10_000
const KEPT_LOGS = 5000
const KEPT_SAMPLES = 600
const HIDDEN_MS = 5000
const LONGEST_EVENT = 64_000_000

/** What the server says of itself to its operator. */
export const hello = signal<FeedHello | undefined>(undefined)
/** Calls, newest last. */
export const calls = signal<readonly CallRecord[]>([])
/** Calls that came faster than they could be shown. */
export const skipped = signal(0)
/** The log, newest last. */
export const logs = signal<readonly LogRecord[]>([])
/** Figures, one per second. */
export const samples = signal<readonly Sample[]>([])
/** Other servers behind this one. */
export const upstreams = signal<readonly UpstreamRecord[]>([])

/** Read the operator's stream until it ends; while the page is hidden, its connection is left to other pages. */
export async function followFeed(): Promise<void> {
  for (;;) {
    await untilSeen()
    const ending = new AbortController()
    const stop = whenHidden(() => ending.abort())
    try {
      return await readFeed(ending.signal)
    } catch (error) {
      if (!ending.signal.aborted) throw error
    } finally {
      stop()
    }
  }
}

function untilSeen(): Promise<void> {
  return new Promise(resolve => {
    const look = (): void => {
      if (document.hidden) return
      document.removeEventListener('visibilitychange', look)
      resolve()
    }
    document.addEventListener('visibilitychange', look)
    look()
  })
}

function whenHidden(hidden: () => void): () => void {
  let soon = 0
  const look = (): void => {
    clearTimeout(soon)
    if (document.hidden) soon = window.setTimeout(hidden, HIDDEN_MS)
  }
  document.addEventListener('visibilitychange', look)
  return () => {
    clearTimeout(soon)
    document.removeEventListener('visibilitychange', look)
  }
}

async function readFeed(signal: AbortSignal): Promise<void> {
  const headers = { accept: 'text/event-stream', ...authorization() }
  const response = await fetch(endpoint('console/events'), { headers, signal })
  if (!response.ok || !response.body) throw new HttpError(response.status, `HTTP status ${response.status}`)
  const events = new EventReader(LONGEST_EVENT, ({ event, data }) => take(event, JSON.parse(data)))
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const text = decoder.decode(step.value, { stream: true })
    batch(() => events.feed(text))
  }
}

type Taken = (data: never) => void

const takers: Readonly<Record<string, Taken>> = {
  hello: (data: FeedHello) => (hello.value = data),
  upstreams: (data: readonly UpstreamRecord[]) => (upstreams.value = data),
  history: (data: { calls: CallRecord[]; logs: LogRecord[]; samples: Sample[] }) => {
    calls.value = data.calls
    logs.value = data.logs
    samples.value = data.samples
  },
  calls: (data: { calls: CallRecord[]; skipped: number }) => {
    calls.value = inOrder([...calls.value, ...data.calls], calls.value.length).slice(-KEPT_CALLS)
    skipped.value += data.skipped
  },
  logs: (data: readonly LogRecord[]) => (logs.value = [...logs.value, ...data].slice(-KEPT_LOGS)),
  sample: (data: Sample) => (samples.value = [...samples.value, data].slice(-KEPT_SAMPLES)),
}

/** Calls of other workers may come later than newer ones. */
function inOrder(all: readonly CallRecord[], at: number): readonly CallRecord[] {
  const [last, next] = [all[at - 1], all[at]]
  if (!last || !next || last.time <= next.time) return all
  return all.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
}

function take(event: string, data: unknown): void {
  takers[event]?.(data as never)
}
