import { createServer, fault, tool } from '@causeway/engine'
import { observe } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import { expect, test } from 'vitest'
import { metrics, metricsText, sumOfMetrics } from '@causeway/engine/metrics'

const OPEN = { sessions: 3, streams: 2, sockets: 1 }
const TRAFFIC = { received: 5, sent: 7 }

/** A server that is counted, and what its monitor reads. */
function counted(): { client: ReturnType<typeof connect>; read: () => string; counters: ReturnType<typeof metrics> } {
  const server = createServer({ name: 'counted', version: '1', log: false })
  const counters = metrics(name => server.inputSchemaOf(name) !== undefined)
  server.use(observe([counters])).add(
    tool({ name: 'works' }, () => 'ok'),
    tool({ name: 'fails' }, () => {
      throw new Error('it broke')
    }),
    tool({ name: 'hasty' }, () => {
      throw fault('rate-limited', 'Too fast')
    }),
    tool({ name: 'busy' }, () => {
      throw fault('busy', 'Busy')
    }),
  )
  const read = (): string => metricsText({ ...counters.snapshot(OPEN), traffic: TRAFFIC })
  return { client: connect(server), read, counters }
}

const ask = (client: ReturnType<typeof connect>, name: unknown): Promise<unknown> =>
  client.request('tools/call', { name, arguments: {} }).catch(() => {})

test('calls are counted by tool and outcome, with their durations', async () => {
  const { client, read } = counted()
  for (const name of ['works', 'works', 'fails', 'busy']) await ask(client, name)
  const text = read()
  expect(text).toContain('causeway_tool_calls_total{tool="works",outcome="ok"} 2')
  expect(text).toContain('causeway_tool_calls_total{tool="fails",outcome="tool-failed"} 1')
  expect(text).toContain('causeway_tool_calls_total{tool="busy",outcome="busy"} 1')
  expect(text).toContain('causeway_tool_call_seconds_bucket{tool="works",le="+Inf"} 2')
  // Each bucket has all that the smaller ones have.
  expect(text).toContain('causeway_tool_call_seconds_bucket{tool="works",le="10"} 2')
  expect(text).toContain('causeway_tool_call_seconds_count{tool="works"} 2')
})

test('names that clients invent make no lines of their own', async () => {
  const { client, read } = counted()
  for (let i = 0; i < 50; i++) await ask(client, `invented "${i}\n`)
  for (const name of [{}, [1], null]) await ask(client, name)
  const text = read()
  expect(text).not.toContain('invented')
  expect(text).toContain('causeway_tool_calls_total{tool="other",outcome="unknown-tool"} 50')
  expect(text).toContain('causeway_tool_calls_total{tool="other",outcome="invalid-params"} 3')
})

test('refusals, what is open and memory are shown, each line in the format of Prometheus', async () => {
  const { client, read, counters } = counted()
  await ask(client, 'works')
  counters.onRefused({ status: 401, path: '/mcp', principal: undefined, address: '127.0.0.1', reason: 'No token' })
  const text = read()
  expect(text).toContain('causeway_refused_requests_total{status="401"} 1')
  expect(text).toContain('causeway_sessions 3\n')
  expect(text).toContain('causeway_sockets 1\n')
  expect(text).toMatch(/process_resident_memory_bytes \d{7,}\n/)
  for (const line of text.trimEnd().split('\n')) {
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [\d.e+-]+)$/)
  }
})

test('calls that are not answered yet are shown', async () => {
  let finish = (): void => {}
  const server = createServer({ name: 'counted', version: '1', log: false })
  const counters = metrics(() => true)
  const waits = tool({ name: 'waits' }, () => new Promise<string>(resolve => (finish = () => resolve('over'))))
  server.use(observe([counters])).add(waits)
  const inFlight = (): string =>
    /^causeway_tool_calls_in_flight \d+$/m.exec(metricsText(counters.snapshot(OPEN)))?.[0] ?? ''
  const call = connect(server).call('waits')
  await expect.poll(inFlight).toBe('causeway_tool_calls_in_flight 1')
  finish()
  await call
  expect(inFlight()).toBe('causeway_tool_calls_in_flight 0')
})

test('what waits, what came too fast, bytes and the event loop are shown, and summed over processes', async () => {
  const { client, counters } = counted()
  await ask(client, 'hasty')
  counters.onWaiting(1)
  const upstream = { server: 'up', failing: 0, pauses: 1, calls: 2, failures: 1, restarts: 0 }
  const one = { ...counters.snapshot(OPEN), traffic: TRAFFIC, upstreams: [{ ...upstream, states: { running: 1 } }] }
  const loopDelay = { p50: 0.001, p99: 0.5, max: 2 }
  const other = { ...one, loopDelay, upstreams: [{ ...upstream, states: { running: 1, open: 1 } }] }
  const text = metricsText(sumOfMetrics([one, other]))
  expect(text).toContain('causeway_calls_waiting 2\n')
  expect(text).toContain('causeway_rate_limited_total 2\n')
  expect(text).toContain('causeway_received_bytes_total 10\n')
  expect(text).toContain('causeway_sent_bytes_total 14\n')
  expect(text).toContain('causeway_event_loop_delay_seconds{quantile="1"} 2\n')
  expect(text).toContain('causeway_upstream_state{server="up",state="running"} 2\n')
  expect(text).toContain('causeway_upstream_state{server="up",state="open"} 1\n')
  expect(text).toContain('causeway_upstream_pauses_total{server="up"} 2\n')
})
