import type { CallObserver } from '../policies/observe.ts'
import type { HttpOpen, RefusedRequest } from '../transports/http/handler-options.ts'
import { loopDelay } from './loop-delay.ts'
import { BUCKETS } from './prometheus.ts'
import type { MetricsSnapshot } from './prometheus.ts'

/** Counts calls and refusals, and shows them to a monitor. */
export interface Metrics extends CallObserver {
  readonly onRefused: (refused: RefusedRequest) => void
  /** A call waits for its place, or no longer. */
  readonly onWaiting: (change: 1 | -1) => void
  /** Everything counted so far, with what is open at that moment. */
  snapshot(open: HttpOpen): MetricsSnapshot
}

interface Count {
  n: number
}

interface ToolCounts {
  readonly outcomes: Map<string, Count>
  /** How many took no longer than the bucket's limit, and longer than that of the one before. */
  readonly buckets: number[]
  seconds: number
  count: number
}

// Names come from clients: what is over this is counted as one.
const MOST_TOOLS = 500
const MOST_LABELS = 50
const OTHER = 'other'
const ANSWERED: ReadonlySet<string> = new Set(['ok', 'failed', 'asked'])

/** Count what is called, how it ends and how long it takes; `isTool` knows the tools of this process. */
export function metrics(isTool: (name: string) => boolean): Metrics {
  const tools = new Map<string, ToolCounts>()
  const refused = new Map<string, Count>()
  const delay = loopDelay()
  let [running, waiting, rateLimited] = [0, 0, 0]
  const newCounts = (label: string): ToolCounts => {
    const fresh = { outcomes: new Map<string, Count>(), buckets: BUCKETS.map(() => 0), seconds: 0, count: 0 }
    tools.set(label, fresh)
    return fresh
  }
  // A name that is no tool's is the client's invention; what answered is a tool, wherever it is.
  const labelOf = (tool: unknown, outcome: string): string =>
    typeof tool === 'string' && tools.size < MOST_TOOLS && (isTool(tool) || ANSWERED.has(outcome)) ? tool : OTHER
  const findCounts = (tool: unknown, outcome: string): ToolCounts => {
    const label = labelOf(tool, outcome)
    return tools.get(label) ?? newCounts(label)
  }
  return {
    onWait({ method }) {
      if (method === 'tools/call') running += 1
    },
    onEnd({ method, params: { name } }, { outcome, durationMs, waited }) {
      if (outcome === 'rate-limited') rateLimited += 1
      if (method !== 'tools/call') return
      if (waited) running -= 1
      const counts = tools.get(name as string) ?? findCounts(name, outcome)
      countOf(counts.outcomes, outcome).n += 1
      addTime(counts, durationMs / 1000)
    },
    onRefused: ({ status }) => void (countOf(refused, String(status)).n += 1),
    onWaiting: change => void (waiting += change),
    snapshot: open => ({
      calls: [...tools].flatMap(([tool, { outcomes }]) => [...outcomes].map(([how, { n }]) => [tool, how, n] as const)),
      durations: [...tools].map(([tool, { buckets, seconds, count }]) => [tool, summed(buckets), seconds, count]),
      refused: [...refused].map(([status, { n }]) => [status, n] as const),
      open,
      running,
      waiting,
      rateLimited,
      loopDelay: delay.read(),
      memory: process.memoryUsage.rss(),
      cpu: cpuSeconds(),
    }),
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** The count under a label; where there are too many labels, the one of all others. */
function countOf(counts: Map<string, Count>, label: string): Count {
  const known = counts.get(label)
  if (known) return known
  if (counts.size >= MOST_LABELS && label !== OTHER) return countOf(counts, OTHER)
  const fresh = { n: 0 }
  counts.set(label, fresh)
  return fresh
}

function addTime(counts: ToolCounts, seconds: number): void {
  counts.seconds += seconds
  counts.count += 1
  const bucket = BUCKETS.findIndex(limit => seconds <= limit)
  if (bucket >= 0) counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1
}

/** Each with all before it, as Prometheus wants them. */
function summed(buckets: readonly number[]): number[] {
  let sum = 0
  return buckets.map(count => (sum += count))
}
