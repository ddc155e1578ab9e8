import { SpanKind, SpanStatusCode, context, trace } from '@opentelemetry/api'
import * as api from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createServer, fault, tool } from '@causeway/engine'
import { audit, observe, openTelemetry, readTraceContext, toTraceparent, tracing } from '@causeway/engine/policies'
import type { AuditEntry, Span, SpanEnd, SpanStart, TraceContext, Tracer } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import { describe, expect, test } from 'vitest'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`

interface Seen extends SpanStart {
  readonly end: SpanEnd
}

/** A tracer that keeps what it is told. */
function keeping(): { tracer: Tracer; spans: Seen[] } {
  const spans: Seen[] = []
  const start = (begun: SpanStart): Span => {
    const traceId = begun.parent?.traceId ?? 'f'.repeat(32)
    const own: TraceContext = { traceId, spanId: '1'.repeat(16), isSampled: true }
    return {
      context: own,
      child: child => start({ ...child, parent: own }),
      end: end => void spans.push({ ...begun, end }),
    }
  }
  return { tracer: { start }, spans }
}

function traced(tracer: Tracer, entries: AuditEntry[] = []) {
  const server = createServer({ name: 'shop', version: '1', log: false })
  server.use(observe([tracing(tracer), audit(entry => entries.push(entry))])).add(
    tool({ name: 'works' }, () => 'ok'),
    tool({ name: 'fails' }, () => {
      throw new Error('it broke')
    }),
    tool({ name: 'says' }, () => ({ content: [], isError: true })),
    tool({ name: 'busy' }, () => {
      throw fault('busy', 'Busy')
    }),
  )
  return connect(server)
}

describe('a call', () => {
  test('is a span of its caller, named by method and tool, and the audit names the trace', async () => {
    const { tracer, spans } = keeping()
    const entries: AuditEntry[] = []
    const client = traced(tracer, entries)
    await client.request('tools/call', {
      name: 'works',
      arguments: {},
      _meta: { traceparent: PARENT, tracestate: 'a=1' },
    })
    await client.request('tools/list')
    expect(spans).toMatchObject([
      {
        name: 'tools/call works',
        kind: 'server',
        parent: { traceId: TRACE, spanId: 'b7ad6b7169203331', isSampled: true, state: 'a=1' },
        attributes: {
          'mcp.method.name': 'tools/call',
          'gen_ai.tool.name': 'works',
          'gen_ai.operation.name': 'execute_tool',
          'network.transport': 'pipe',
        },
        end: { target: 'works' },
      },
      { name: 'tools/list', parent: undefined },
    ])
    expect(spans[0]?.end).not.toHaveProperty('errorType')
    expect(entries[0]?.trace).toBe(TRACE)
  })

  test.each([
    ['fails', { errorType: 'tool_error' }],
    ['says', { errorType: 'tool_error' }],
    ['busy', { errorType: '-32004', statusCode: '-32004', message: 'Busy' }],
    ['invented', { errorType: '-32602', target: undefined }],
  ])('that ends badly says so: %s', async (name, end) => {
    const { tracer, spans } = keeping()
    await traced(tracer)
      .request('tools/call', { name, arguments: {} })
      .catch(() => {})
    expect(spans).toMatchObject([{ end }])
  })
})

test('without tracing, the trace that a caller names is in the audit, and what is none is not', async () => {
  const entries: AuditEntry[] = []
  const server = createServer({ name: 'shop', version: '1', log: false })
  server.use(observe([audit(entry => entries.push(entry))])).add(tool({ name: 'works' }, () => 'ok'))
  const client = connect(server)
  for (const traceparent of [PARENT, 'nonsense', 5])
    await client.request('tools/call', { name: 'works', arguments: {}, _meta: { traceparent } })
  expect(entries.map(({ trace: id }) => id)).toEqual([TRACE, undefined, undefined])
})

test.each([
  '',
  '00-0-0-0',
  `ff-${TRACE}-b7ad6b7169203331-01`,
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  `${PARENT}x`,
])('no traceparent: %j', text => expect(readTraceContext(text)).toBeUndefined())

test('a traceparent is written as it was read', () => {
  const read = readTraceContext(PARENT)
  expect(read && toTraceparent(read)).toBe(PARENT)
})

test('an OpenTelemetry SDK gets the spans, with the ambient span as a link', async () => {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  trace.setGlobalTracerProvider(provider)
  const ambient = trace.setSpanContext(api.ROOT_CONTEXT, {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    traceFlags: 1,
  })
  context.setGlobalContextManager({
    active: () => ambient,
    with: (_, work, self, ...given) => work.call(self as never, ...given),
    bind: (_, target) => target,
    enable: () => context as never,
    disable: () => context as never,
  })
  const client = traced(openTelemetry(api))
  await client.request('tools/call', { name: 'says', arguments: {}, _meta: { traceparent: PARENT } })
  await client.request('tools/list')
  trace.disable()
  context.disable()
  const [call, list] = exporter.getFinishedSpans()
  expect(call).toMatchObject({
    name: 'tools/call says',
    kind: SpanKind.SERVER,
    parentSpanContext: { traceId: TRACE, spanId: 'b7ad6b7169203331' },
    links: [{ context: { traceId: 'a'.repeat(32) } }],
    status: { code: SpanStatusCode.ERROR },
    attributes: { 'error.type': 'tool_error', 'gen_ai.tool.name': 'says' },
  })
  expect(list).toMatchObject({ parentSpanContext: { traceId: 'a'.repeat(32) }, links: [] })
})
