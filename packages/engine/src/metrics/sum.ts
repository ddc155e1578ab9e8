import type { Traffic } from '../transports/http/handler-options.ts'
import type { LoopDelay } from './loop-delay.ts'
import type { MetricsSnapshot, UpstreamCounts } from './prometheus.ts'

/** The sum over processes. */
export function sumOfMetrics(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const calls = new Map<string, [string, string, number]>()
  const durations = new Map<string, [string, number[], number, number]>()
  const refused = new Map<string, number>()
  const open = { sessions: 0, streams: 0, sockets: 0 }
  const traffic = { received: 0, sent: 0 }
  const loopDelay = { p50: 0, p99: 0, max: 0 }
  const upstreams = new Map<string, UpstreamCounts>()
  let [memory, cpu, running, waiting, rateLimited] = [0, 0, 0, 0, 0]
  for (const snapshot of snapshots) {
    for (const one of snapshot.upstreams ?? []) upstreams.set(one.server, sumOf(one, upstreams.get(one.server)))
    for (const [tool, outcome, count] of snapshot.calls) {
      const key = JSON.stringify([tool, outcome])
      calls.set(key, [tool, outcome, count + (calls.get(key)?.[2] ?? 0)])
    }
    for (const [tool, buckets, seconds, count] of snapshot.durations) {
      const [, known, before, counted] = durations.get(tool) ?? [tool, [], 0, 0]
      durations.set(tool, [tool, buckets.map((n, i) => n + (known[i] ?? 0)), seconds + before, count + counted])
    }
    for (const [status, count] of snapshot.refused) refused.set(status, count + (refused.get(status) ?? 0))
    for (const what of ['sessions', 'streams', 'sockets'] as const) open[what] += snapshot.open[what]
    addTraffic(traffic, snapshot)
    slowest(loopDelay, snapshot.loopDelay)
    waiting += snapshot.waiting
    rateLimited += snapshot.rateLimited
    memory += snapshot.memory
    cpu += snapshot.cpu
    running += snapshot.running
  }
  return {
    calls: [...calls.values()],
    durations: [...durations.values()],
    refused: [...refused],
    open,
    traffic,
    running,
    waiting,
    rateLimited,
    loopDelay,
    memory,
    cpu,
    upstreams: [...upstreams.values()],
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

function addTraffic(sum: Mutable<Traffic>, { traffic }: MetricsSnapshot): void {
  sum.received += traffic?.received ?? 0
  sum.sent += traffic?.sent ?? 0
}

/** The slowest counts: an average would hide it. */
function slowest(most: Mutable<LoopDelay>, one: LoopDelay): void {
  for (const what of ['p50', 'p99', 'max'] as const) most[what] = Math.max(most[what], one[what])
}

const sumOf = (one: UpstreamCounts, other: UpstreamCounts | undefined): UpstreamCounts =>
  other
    ? {
        server: one.server,
        failing: one.failing + other.failing,
        states: sumOfStates(one.states, other.states),
        pauses: one.pauses + other.pauses,
        calls: one.calls + other.calls,
        failures: one.failures + other.failures,
        restarts: one.restarts + other.restarts,
      }
    : one

function sumOfStates(one: UpstreamCounts['states'], other: UpstreamCounts['states']): UpstreamCounts['states'] {
  const sum = new Map(Object.entries(one))
  for (const [state, count] of Object.entries(other)) sum.set(state, count + (sum.get(state) ?? 0))
  return Object.fromEntries(sum)
}
