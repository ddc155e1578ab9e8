import type { Span, SpanAttributes, SpanEnd, SpanStart, Tracer } from './tracer.ts'
import type { TraceContext } from './trace-context.ts'

interface ApiSpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
  readonly isRemote?: boolean
}

interface ApiSpan {
  spanContext(): ApiSpanContext
  setAttributes(attributes: SpanAttributes): unknown
  setStatus(status: { code: number; message?: string }): unknown
  end(): void
}

interface ApiHistogram<C> {
  record(value: number, attributes: SpanAttributes, context?: C): void
}

/** What is used of the module `@opentelemetry/api`. `C` is its `Context`. */
export interface OpenTelemetryApi<C = unknown> {
  readonly ROOT_CONTEXT: C
  readonly context: { active(): C }
  readonly trace: {
    getTracer(
      name: string,
      version?: string,
    ): {
      startSpan(
        name: string,
        options: { kind: number; attributes: SpanAttributes; links?: { context: ApiSpanContext }[] },
        context: C,
      ): ApiSpan
    }
    setSpanContext(context: C, span: ApiSpanContext): C
    getSpanContext(context: C): ApiSpanContext | undefined
  }
  readonly metrics: {
    getMeter(name: string): {
      createHistogram(
        name: string,
        options: { unit: string; description: string; advice: { explicitBucketBoundaries: number[] } },
      ): ApiHistogram<C>
    }
  }
}

const KINDS = { server: 1, client: 2 } as const
const ERROR = 2

/** The bounds of durations in seconds, as the conventions have them. */
export const DURATION_BOUNDS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

/** Spans and durations for the OpenTelemetry SDK of this process: `tracing(openTelemetry(await import('@opentelemetry/api')))`. */
export function openTelemetry<C>(api: OpenTelemetryApi<C>): Tracer {
  const tracer = api.trace.getTracer('causeway')
  const meter = api.metrics.getMeter('causeway')
  const histogram = (kind: SpanStart['kind']): ApiHistogram<C> =>
    meter.createHistogram(`mcp.${kind}.operation.duration`, {
      unit: 's',
      description: 'How long requests took',
      advice: { explicitBucketBoundaries: [...DURATION_BOUNDS] },
    })
  const histograms = { server: histogram('server'), client: histogram('client') }
  const begin = (start: SpanStart): Span => {
    const { name, kind, parent, link, attributes } = start
    const ambient = api.trace.getSpanContext(api.context.active())
    const links = [link && toApi(link), parent && ambient].filter(one => one !== undefined)
    const context = parent ? api.trace.setSpanContext(api.ROOT_CONTEXT, toApi(parent)) : api.context.active()
    const options = { kind: KINDS[kind], attributes, links: links.map(one => ({ context: one })) }
    const span = tracer.startSpan(name, options, context)
    const own = fromApi(span.spanContext(), parent?.state)
    return {
      context: own,
      child: child => begin({ ...child, parent: own }),
      end(end) {
        finish(span, end)
        histograms[kind].record(end.durationMs / 1000, durationAttributes(attributes, end))
      },
    }
  }
  return { start: begin }
}

/** What durations are told apart by: of few values each. */
export const durationAttributes = (attributes: SpanAttributes, { errorType, target }: SpanEnd): SpanAttributes => ({
  'mcp.method.name': attributes['mcp.method.name'],
  ...(target !== undefined && {
    'gen_ai.tool.name': attributes['gen_ai.tool.name'],
    'gen_ai.prompt.name': attributes['gen_ai.prompt.name'],
  }),
  ...(errorType !== undefined && { 'error.type': errorType }),
  'mcp.protocol.version': attributes['mcp.protocol.version'],
  'network.transport': attributes['network.transport'],
})

function finish(span: ApiSpan, { errorType, statusCode, message }: SpanEnd): void {
  if (errorType !== undefined) {
    span.setAttributes({ 'error.type': errorType, 'rpc.response.status_code': statusCode })
    span.setStatus({ code: ERROR, ...(message !== undefined && { message }) })
  }
  span.end()
}

const toApi = ({ traceId, spanId, isSampled }: TraceContext): ApiSpanContext => ({
  traceId,
  spanId,
  traceFlags: isSampled ? 1 : 0,
  isRemote: true,
})

const fromApi = ({ traceId, spanId, traceFlags }: ApiSpanContext, state: string | undefined): TraceContext => ({
  traceId,
  spanId,
  isSampled: (traceFlags & 1) === 1,
  state,
})
