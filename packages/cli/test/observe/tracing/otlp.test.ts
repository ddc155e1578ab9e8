import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { createServer, tool } from '@causeway/engine'
import type { Params } from '@causeway/engine'
import { memoryTransport } from '@causeway/engine/client'
import { observe, tracing } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import { Gateway, readServers } from '@causeway/gateway'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { otlpTracer } from '../../../src/observe/tracing/otlp-tracer.ts'
import type { OtlpTracer } from '../../../src/observe/tracing/otlp-tracer.ts'

interface OtlpSpan {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly attributes: readonly { key: string; value: { stringValue: string } }[]
  readonly status?: { code: number }
}

const bodies: { path: string; key: unknown; body: unknown }[] = []
const collector = createHttpServer((request, response) => {
  void (async () => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = JSON.parse(Buffer.concat(parts).toString()) as unknown
    bodies.push({ path: request.url ?? '', key: request.headers['x-key'], body })
    response.end('{}')
  })()
})

beforeAll(async () => {
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
})
afterAll(() => void collector.close())

const tracerTo = (url: string): OtlpTracer =>
  otlpTracer({ url, headers: { 'x-key': 'k' }, resource: { 'service.name': 'shop' }, log: () => {} })

const address = (): string => `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`

interface TracesBody {
  readonly resourceSpans: readonly [{ readonly scopeSpans: readonly [{ readonly spans: readonly OtlpSpan[] }] }]
}

const spansIn = (body: unknown): readonly OtlpSpan[] => (body as TracesBody).resourceSpans[0].scopeSpans[0].spans

test('a forwarded call is two spans of its caller, and the server behind gets the second as its parent', async () => {
  bodies.length = 0
  const heard: unknown[] = []
  const up = createServer({ name: 'up', version: '1', log: false })
  up.use((call, next) => (call.method === 'tools/call' && heard.push(call.meta.traceparent), next(call)))
  up.add(tool({ name: 'work' }, () => ({ content: [], isError: true })))
  const tracer = tracerTo(address())
  const server = createServer({ name: 'gateway', version: '1', log: false }).use(observe([tracing(tracer)]))
  const gateway = new Gateway(server, { reach: () => ({ open: () => memoryTransport(up) }), log: () => {} })
  const read = readServers(
    { mcpServers: { up: { command: 'none' } } },
    { file: '/tmp/servers.json', variables: () => undefined, readText: () => undefined },
  )
  await gateway.apply(read.upstreams)
  await gateway.servers.get('up')?.refresh()
  const client = connect(server)
  const call = (flags: string): Promise<Params> => {
    const traceparent = `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`
    return client.request('tools/call', { name: 'up__work', arguments: {}, _meta: { traceparent } })
  }
  await call('01')
  await call('00')
  await tracer.close()
  await gateway.close()
  const sent = bodies.filter(({ path }) => path === '/v1/traces')
  expect(sent.map(({ key }) => key)).toEqual(['k'])
  const spans = spansIn(sent[0]?.body)
  const [own, hop] = spans.toSorted((a, b) => a.kind - b.kind)
  expect(spans).toHaveLength(2)
  expect(own).toMatchObject({
    name: 'tools/call up__work',
    kind: 2,
    traceId: '0af7651916cd43dd8448eb211c80319c',
    parentSpanId: 'b7ad6b7169203331',
    status: { code: 2 },
  })
  expect(hop).toMatchObject({ name: 'tools/call work', kind: 3, parentSpanId: own?.spanId, traceId: own?.traceId })
  expect(hop?.attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'tool_error' } })
  expect(own?.startTimeUnixNano).toMatch(/^\d{19}$/)
  expect(heard).toEqual([
    `00-${own?.traceId}-${hop?.spanId}-01`,
    expect.stringMatching(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/),
  ])
  // What the caller did not sample is no span, but it took its time.
  const metrics = JSON.stringify(bodies.find(({ path }) => path === '/v1/metrics')?.body)
  expect(metrics).toContain('mcp.server.operation.duration')
  expect(metrics).toContain('mcp.client.operation.duration')
  expect(metrics).toContain('"count":"2"')
})

test('a collector that is away costs no call', async () => {
  const tracer = tracerTo('http://127.0.0.1:9')
  const server = createServer({ name: 'shop', version: '1', log: false }).use(observe([tracing(tracer)]))
  server.add(tool({ name: 'work' }, () => 'done'))
  const client = connect(server)
  for (let i = 0; i < 600; i++) await client.call('work')
  await tracer.close()
  expect(await client.call('work')).toBe('done')
})
