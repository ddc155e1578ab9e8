import { OPERATOR_SCOPE } from '../auth/scopes.ts'
import type { Awaitable } from '../call.ts'
import type { HttpOpen, Traffic } from '../transports/http/handler-options.ts'
import type { LoopDelay } from './loop-delay.ts'
import type { Route } from '../transports/http/routes.ts'

/** What one process has counted, as plain data. */
export interface MetricsSnapshot {
  /** Tool, outcome, how often. */
  readonly calls: readonly (readonly [string, string, number])[]
  /** Tool, calls within each bound, seconds in sum, calls. */
  readonly durations: readonly (readonly [string, readonly number[], number, number])[]
  /** Status, how often. */
  readonly refused: readonly (readonly [string, number])[]
  readonly open: HttpOpen
  /** Bytes over all connections, where that is known. */
  readonly traffic?: Traffic
  /** Tool calls that are being worked on, or wait for their place. */
  readonly running: number
  /** Calls that wait for their place. */
  readonly waiting: number
  /** Calls that were refused since their client came too fast. */
  readonly rateLimited: number
  readonly loopDelay: LoopDelay
  /** Bytes. */
  readonly memory: number
  /** Seconds of processor time. */
  readonly cpu: number
  /** Of each server behind this one: its name, in how many processes it fails, calls, failures, restarts. */
  readonly upstreams?: readonly UpstreamCounts[]
}

/** What was counted of a server behind this one. */
export interface UpstreamCounts {
  readonly server: string
  readonly failing: number
  /** In how many processes it is in which state. */
  readonly states: Readonly<Record<string, number>>
  /** How often calls were refused for a while, since several in a row had failed. */
  readonly pauses: number
  readonly calls: number
  readonly failures: number
  readonly restarts: number
}

/** What concerns several processes together. */
export interface WorkerCounts {
  readonly running: number
  readonly replaced: number
  /** Connections that were refused, since there were too many. */
  readonly refusedConnections: number
}

/** Upper bounds of durations, in seconds. */
export const BUCKETS: readonly number[] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]

/** The route `/metrics`, in the text format of Prometheus. */
export const metricsRoute = (text: () => Awaitable<string>): Route => ({
  method: 'GET',
  path: '/metrics',
  scopes: [OPERATOR_SCOPE],
  async handle(exchange) {
    exchange.reply(200, await text(), {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
      'Cache-Control': 'no-store',
    })
  },
})

/** What was counted, for Prometheus. */
export function metricsText(snapshot: MetricsSnapshot, workers?: WorkerCounts): string {
  const { open, running, memory, cpu } = snapshot
  return [
    ...family('causeway_tool_calls_total', 'counter', 'Tool calls by outcome', callLines(snapshot)),
    ...family('causeway_tool_call_seconds', 'histogram', 'How long tool calls took', durationLines(snapshot)),
    ...family('causeway_refused_requests_total', 'counter', 'HTTP requests refused, by status', refusedLines(snapshot)),
    ...upstreamLines(snapshot),
    ...gauge('causeway_tool_calls_in_flight', 'Tool calls that are not answered yet', running),
    ...gauge('causeway_calls_waiting', 'Calls that wait for their place', snapshot.waiting),
    ...count('causeway_rate_limited_total', 'Calls refused since their client came too fast', snapshot.rateLimited),
    ...trafficLines(snapshot.traffic),
    ...delayLines(snapshot.loopDelay),
    ...gauge('causeway_sessions', 'Sessions open', open.sessions),
    ...gauge('causeway_event_streams', 'Event streams open', open.streams),
    ...gauge('causeway_sockets', 'WebSockets open', open.sockets),
    ...(workers ? workerLines(workers) : []),
    ...gauge('process_resident_memory_bytes', 'Memory of the process', memory),
    ...family('process_cpu_seconds_total', 'counter', 'Processor time used', [`process_cpu_seconds_total ${cpu}`]),
    ...gauge('process_uptime_seconds', 'How long the process has run', process.uptime()),
    ...gauge('process_start_time_seconds', 'When the process started', Date.now() / 1000 - process.uptime()),
    '',
  ].join('\n')
}

const trafficLines = (traffic: Traffic | undefined): string[] =>
  traffic
    ? [
        ...count('causeway_received_bytes_total', 'Bytes received from clients over HTTP', traffic.received),
        ...count('causeway_sent_bytes_total', 'Bytes sent to clients over HTTP', traffic.sent),
      ]
    : []

const delayLines = ({ p50, p99, max }: LoopDelay): string[] =>
  family('causeway_event_loop_delay_seconds', 'gauge', 'How late the event loop is, of the slowest process', [
    `causeway_event_loop_delay_seconds{quantile="0.5"} ${p50}`,
    `causeway_event_loop_delay_seconds{quantile="0.99"} ${p99}`,
    `causeway_event_loop_delay_seconds{quantile="1"} ${max}`,
  ])

const stateLines = (upstreams: readonly UpstreamCounts[]): string[] =>
  upstreams.flatMap(({ server, states }) =>
    Object.entries(states).map(
      ([state, processes]) => `causeway_upstream_state{server="${label(server)}",state="${state}"} ${processes}`,
    ),
  )

const upstreamLines = ({ upstreams = [] }: MetricsSnapshot): string[] => {
  const lines = (name: string, value: (one: UpstreamCounts) => number): string[] =>
    upstreams.map(one => `${name}{server="${label(one.server)}"} ${value(one)}`)
  const counter = (name: string, help: string, value: (one: UpstreamCounts) => number): string[] =>
    family(name, 'counter', help, lines(name, value))
  const failing = lines('causeway_upstream_failing', one => one.failing)
  return [
    ...family('causeway_upstream_state', 'gauge', 'Processes in which a server is in a state', stateLines(upstreams)),
    ...counter(
      'causeway_upstream_pauses_total',
      'How often a server that failed call after call was left alone',
      one => one.pauses,
    ),
    ...family('causeway_upstream_failing', 'gauge', 'Processes in which a server cannot be used', failing),
    ...counter('causeway_upstream_calls_total', 'Calls forwarded to a server', one => one.calls),
    ...counter(
      'causeway_upstream_failures_total',
      'Starts, connections and calls that a server failed',
      one => one.failures,
    ),
    ...counter('causeway_upstream_restarts_total', 'How often a server was started again', one => one.restarts),
  ]
}

const workerLines = ({ running, replaced, refusedConnections }: WorkerCounts): string[] => [
  ...family('causeway_refused_connections_total', 'counter', 'Connections refused, since there were too many', [
    `causeway_refused_connections_total ${refusedConnections}`,
  ]),
  ...gauge('causeway_workers', 'Worker processes that serve', running),
  ...family('causeway_workers_replaced_total', 'counter', 'Worker processes that ended by themselves', [
    `causeway_workers_replaced_total ${replaced}`,
  ]),
]

const family = (name: string, type: string, help: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]

const count = (name: string, help: string, value: number): string[] =>
  family(name, 'counter', help, [`${name} ${value}`])

const gauge = (name: string, help: string, value: number): string[] => family(name, 'gauge', help, [`${name} ${value}`])

const callLines = ({ calls }: MetricsSnapshot): string[] =>
  calls.map(
    ([tool, outcome, count]) => `causeway_tool_calls_total{tool="${label(tool)}",outcome="${label(outcome)}"} ${count}`,
  )

const durationLines = ({ durations }: MetricsSnapshot): string[] =>
  durations.flatMap(([tool, buckets, seconds, count]) => {
    const line = (bound: string, value: number): string =>
      `causeway_tool_call_seconds_bucket{tool="${label(tool)}",le="${bound}"} ${value}`
    return BUCKETS.map((bound, i) => line(String(bound), buckets[i] ?? 0)).concat(
      line('+Inf', count),
      `causeway_tool_call_seconds_sum{tool="${label(tool)}"} ${seconds}`,
      `causeway_tool_call_seconds_count{tool="${label(tool)}"} ${count}`,
    )
  })

const refusedLines = ({ refused }: MetricsSnapshot): string[] =>
  refused.map(([status, count]) => `causeway_refused_requests_total{status="${status}"} ${count}`)

const label = (value: string): string =>
  value.slice(0, 128).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
