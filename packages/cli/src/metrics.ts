import { RpcError, only } from '@causeway/engine'
import type { Awaitable, Call, Policy, Result } from '@causeway/engine'
import type { HttpOpen, RefusedRequest } from '@causeway/engine/http'
import { BUCKETS } from './metrics-text.ts'
import type { MetricsSnapshot } from './metrics-text.ts'

/** Counts calls and refusals, and shows them to a monitor. */
export interface Metrics {
  readonly policy: Policy
  readonly onRefused: (refused: RefusedRequest) => void
  /** Everything counted so far, with what is open at that moment. */
  snapshot(open: HttpOpen): MetricsSnapshot
}

interface Durations {
  readonly buckets: number[]
  seconds: number
  count: number
}

// Names come from clients: what is over this is counted as one.
const MOST_TOOLS = 500
const MOST_OUTCOMES = 50
const OTHER = 'other'
const ANSWERED: ReadonlySet<string> = new Set(['ok', 'failed', 'asked'])

/** Count what is called, how it ends and how long it takes; `isTool` knows the tools of this process. */
export function metrics(isTool: (name: string) => boolean): Metrics {
  const outcomes = new Map<string, Map<string, number>>()
  const durations = new Map<string, Durations>()
  const refused = new Map<string, number>()
  // A name that is no tool's is the client's invention; what answered is a tool, wherever it is.
  const labelOf = (tool: unknown, outcome: string): string => {
    if (typeof tool !== 'string') return OTHER
    if (durations.has(tool)) return tool
    return durations.size < MOST_TOOLS && (isTool(tool) || ANSWERED.has(outcome)) ? tool : OTHER
  }
  const end: End = (tool, outcome, seconds) => {
    const name = labelOf(tool, outcome)
    let known = outcomes.get(name)
    if (!known) outcomes.set(name, (known = new Map<string, number>()))
    add(known, known.has(outcome) || known.size < MOST_OUTCOMES ? outcome : OTHER)
    let times = durations.get(name)
    if (!times) durations.set(name, (times = { buckets: BUCKETS.map(() => 0), seconds: 0, count: 0 }))
    addTime(times, seconds)
  }
  return {
    policy: only(['tools/call'], (call, next) => counted(call, next, end)),
    onRefused: ({ status }) => add(refused, String(status)),
    snapshot: open => ({
      calls: [...outcomes].flatMap(([tool, counts]) => [...counts].map(([how, n]) => [tool, how, n] as const)),
      durations: [...durations].map(([tool, { buckets, seconds, count }]) => [tool, [...buckets], seconds, count]),
      refused: [...refused],
      open,
      memory: process.memoryUsage.rss(),
    }),
  }
}

type End = (tool: unknown, outcome: string, seconds: number) => void

function counted(call: Call, next: (call: Call) => Awaitable<Result>, end: End): Awaitable<Result> {
  const start = performance.now()
  const ended = (outcome: string): void => end(call.params.name, outcome, (performance.now() - start) / 1000)
  const fail = (error: unknown): never => {
    ended(outcomeOf(call, error))
    throw error
  }
  try {
    const result = next(call)
    if (result instanceof Promise) return result.then(value => (ended(outcomeIn(value)), value), fail)
    ended(outcomeIn(result))
    return result
  } catch (error) {
    return fail(error)
  }
}

const outcomeIn = ({ resultType, isError }: Result): string =>
  resultType === 'input_required' ? 'asked' : isError === true ? 'failed' : 'ok'

function outcomeOf({ cancellation }: Call, error: unknown): string {
  if (error instanceof RpcError) return error.kind ?? String(error.code)
  return cancellation.cancelled ? 'cancelled' : 'tool-failed'
}

const add = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

function addTime(durations: Durations, seconds: number): void {
  durations.seconds += seconds
  durations.count += 1
  for (let i = BUCKETS.length - 1; i >= 0 && seconds <= (BUCKETS[i] ?? 0); i--)
    durations.buckets[i] = (durations.buckets[i] ?? 0) + 1
}
