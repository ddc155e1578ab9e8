import type { SpanAttributes, SpanEnd, SpanStart, TraceContext } from '@causeway/engine/policies'

/** A span that is over. */
export interface FinishedSpan extends Omit<SpanStart, 'attributes'> {
  readonly context: TraceContext
  readonly startMs: number
  readonly attributes: SpanAttributes
  readonly end: SpanEnd
}

/** Durations that were counted by their attributes, as OTLP has a histogram. */
export interface DurationPoint {
  readonly attributes: SpanAttributes
  readonly bucketCounts: readonly number[]
  readonly count: number
  readonly sum: number
  readonly min: number
  readonly max: number
}

const KINDS = { server: 2, client: 3 } as const
const ERROR = 2
const CUMULATIVE = 2
const SCOPE = { name: 'causeway' }
const SAMPLED = 1

const nanos = (ms: number): string => `${Math.floor(ms)}${String(Math.floor((ms % 1) * 1e6)).padStart(6, '0')}`

const toAttributes = (attributes: SpanAttributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return []
    return [{ key, value: typeof value === 'string' ? { stringValue: value } : { doubleValue: value } }]
  })

/** The body of a request to `/v1/traces`. */
export const tracesBody = (resource: SpanAttributes, spans: readonly FinishedSpan[]): string =>
  JSON.stringify({
    resourceSpans: [
      { resource: { attributes: toAttributes(resource) }, scopeSpans: [{ scope: SCOPE, spans: spans.map(toSpan) }] },
    ],
  })

function toSpan({ name, kind, context, parent, link, startMs, attributes, end }: FinishedSpan): object {
  const { errorType, statusCode, message } = end
  const failure = { 'error.type': errorType, 'rpc.response.status_code': statusCode }
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(context.state !== undefined && { traceState: context.state }),
    ...(parent && { parentSpanId: parent.spanId }),
    flags: SAMPLED,
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(startMs + end.durationMs),
    attributes: toAttributes({ ...attributes, ...failure }),
    ...(link && { links: [{ traceId: link.traceId, spanId: link.spanId }] }),
    ...(errorType !== undefined && { status: { code: ERROR, ...(message !== undefined && { message }) } }),
  }
}

/** What durations are told by, and since when they are counted. */
export interface DurationSeries {
  readonly name: string
  readonly bounds: readonly number[]
  readonly startMs: number
  readonly points: readonly DurationPoint[]
}

/** The body of a request to `/v1/metrics`. */
export const metricsBody = (resource: SpanAttributes, series: readonly DurationSeries[], nowMs: number): string =>
  JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeMetrics: [{ scope: SCOPE, metrics: series.map(one => toHistogram(one, nowMs)) }],
      },
    ],
  })

const toHistogram = ({ name, bounds, startMs, points }: DurationSeries, nowMs: number): object => ({
  name,
  unit: 's',
  description: 'How long requests took',
  histogram: {
    aggregationTemporality: CUMULATIVE,
    dataPoints: points.map(({ attributes, bucketCounts, count, ...rest }) => ({
      attributes: toAttributes(attributes),
      startTimeUnixNano: nanos(startMs),
      timeUnixNano: nanos(nowMs),
      count: String(count),
      bucketCounts: bucketCounts.map(String),
      explicitBounds: bounds,
      ...rest,
    })),
  },
})
