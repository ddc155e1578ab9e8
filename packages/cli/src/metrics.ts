import { RpcError, only } from '@causeway/engine'
import type { Awaitable, Call, Policy, Result } from '@causeway/engine'
import type { HttpOpen, RefusedRequest, Route } from '@causeway/engine/http'

/** Counts calls and refusals, and shows them to a monitor. */
export interface Metrics {
  readonly policy: Policy
  readonly onRefused: (refused: RefusedRequest) => void
  /** The route `/metrics`, in the text format of Prometheus; `open` says what is open at that moment. */
  route(open: () => HttpOpen): Route
}

interface Durations {
  readonly buckets: number[]
  seconds: number
  count: number
}

// Upper bounds, in seconds.
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]
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
  const shown = (open: HttpOpen): string =>
    [
      ...family('causeway_tool_calls_total', 'counter', 'Tool calls by outcome', callLines(outcomes)),
      ...family('causeway_tool_call_seconds', 'histogram', 'How long tool calls took', durationLines(durations)),
      ...family(
        'causeway_refused_requests_total',
        'counter',
        'HTTP requests refused, by status',
        refusedLines(refused),
      ),
      ...gauge('causeway_sessions', 'Sessions open', open.sessions),
      ...gauge('causeway_event_streams', 'Event streams open', open.streams),
      ...gauge('causeway_sockets', 'WebSockets open', open.sockets),
      ...gauge('process_resident_memory_bytes', 'Memory of the process', process.memoryUsage.rss()),
      ...gauge('process_uptime_seconds', 'How long the process has run', process.uptime()),
      '',
    ].join('\n')
  return {
    policy: only(['tools/call'], (call, next) => counted(call, next, end)),
    onRefused: ({ status }) => add(refused, String(status)),
    route: open => ({
      method: 'GET',
      path: '/metrics',
      handle: exchange =>
        exchange.reply(200, shown(open()), {
          'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
          'Cache-Control': 'no-store',
        }),
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

const family = (name: string, type: string, help: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]

const gauge = (name: string, help: string, value: number): string[] => family(name, 'gauge', help, [`${name} ${value}`])

const callLines = (outcomes: ReadonlyMap<string, ReadonlyMap<string, number>>): string[] =>
  [...outcomes].flatMap(([tool, counts]) =>
    [...counts].map(
      ([outcome, count]) => `causeway_tool_calls_total{tool="${label(tool)}",outcome="${label(outcome)}"} ${count}`,
    ),
  )

const durationLines = (durations: ReadonlyMap<string, Durations>): string[] =>
  [...durations].flatMap(([tool, { buckets, seconds, count }]) => {
    const line = (bound: string, value: number): string =>
      `causeway_tool_call_seconds_bucket{tool="${label(tool)}",le="${bound}"} ${value}`
    return BUCKETS.map((bound, i) => line(String(bound), buckets[i] ?? 0)).concat(
      line('+Inf', count),
      `causeway_tool_call_seconds_sum{tool="${label(tool)}"} ${seconds}`,
      `causeway_tool_call_seconds_count{tool="${label(tool)}"} ${count}`,
    )
  })

const refusedLines = (refused: ReadonlyMap<string, number>): string[] =>
  [...refused].map(([status, count]) => `causeway_refused_requests_total{status="${status}"} ${count}`)

const label = (value: string): string =>
  value.slice(0, 128).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
