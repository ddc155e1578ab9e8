import { randomBytes } from 'node:crypto'
import type { Log } from '@causeway/engine'
import { rarely } from '@causeway/engine/internal'
import { durationAttributes } from '@causeway/engine/policies'
import type { Span, SpanAttributes, SpanStart, Tracer } from '@causeway/engine/policies'
import { Durations } from './durations.ts'
import { metricsBody, tracesBody } from './otlp-json.ts'
import type { FinishedSpan } from './otlp-json.ts'

/** How spans and durations are sent to a collector. */
export interface OtlpOptions {
  /** `/v1/traces` and `/v1/metrics` are added to it. */
  readonly url: string
  /** Sent with every request, such as a key. */
  readonly headers: Readonly<Record<string, string>>
  /** What is said of this process. */
  readonly resource: SpanAttributes
  readonly log: Log
  readonly spansEveryMs?: number
  readonly metricsEveryMs?: number
}

/** Spans on their way to a collector; `close` sends what is left. */
export interface OtlpTracer extends Tracer {
  close(): Promise<void>
}

// What a collector does not take in time is dropped: calls do not wait for it, and memory is bounded.
const MOST_WAITING = 4096
const BATCH = 512
const SPANS_MS = 2000
const METRICS_MS = 15_000
const SEND_MS = 5000

/** Send spans and durations to a collector, as OTLP over HTTP in JSON. */
export function otlpTracer(options: OtlpOptions): OtlpTracer {
  const { resource, log, spansEveryMs = SPANS_MS, metricsEveryMs = METRICS_MS } = options
  const warn = rarely(log)
  const durations = {
    server: new Durations('mcp.server.operation.duration'),
    client: new Durations('mcp.client.operation.duration'),
  }
  let waiting: FinishedSpan[] = []
  let dropped = 0
  let sending: Promise<void> | undefined
  const send = (path: string, body: string): Promise<void> =>
    post(options, path, body).catch((error: unknown) =>
      warn('warn', 'traces and metrics could not be sent to the collector', { error, dropped }),
    )
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      await send('/v1/traces', tracesBody(resource, batch))
    }
  }
  const flush = (): Promise<void> => (sending ??= drain().finally(() => (sending = undefined)))
  const sendMetrics = (): Promise<void> => {
    const series = [durations.server.series, durations.client.series].filter(({ points }) => points.length > 0)
    return series.length === 0 ? Promise.resolve() : send('/v1/metrics', metricsBody(resource, series, Date.now()))
  }
  const onFinished = (span: FinishedSpan): void => {
    durations[span.kind].add(span.end.durationMs / 1000, durationAttributes(span.attributes, span.end))
    if (!span.context.isSampled) return
    if (waiting.length >= MOST_WAITING) dropped += 1
    else waiting.push(span)
    if (waiting.length === BATCH) void flush()
  }
  const timers = [setInterval(() => void flush(), spansEveryMs), setInterval(() => void sendMetrics(), metricsEveryMs)]
  for (const timer of timers) timer.unref()
  return {
    start: start => begin(start, onFinished),
    async close() {
      for (const timer of timers) clearInterval(timer)
      await flush()
      await flush()
      await sendMetrics()
    },
  }
}

function begin(start: SpanStart, onFinished: (span: FinishedSpan) => void): Span {
  const { parent } = start
  const startMs = performance.timeOrigin + performance.now()
  const context = {
    traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    isSampled: parent?.isSampled ?? true,
    state: parent?.state,
  }
  return {
    context,
    child: child => begin({ ...child, parent: context }, onFinished),
    end: end => onFinished({ ...start, context, startMs, end }),
  }
}

async function post({ url, headers }: OtlpOptions, path: string, body: string): Promise<void> {
  const signal = AbortSignal.timeout(SEND_MS)
  const all = { ...headers, 'Content-Type': 'application/json' }
  const answer = await fetch(url.replace(/\/+$/, '') + path, {
    method: 'POST',
    body,
    headers: all,
    redirect: 'error',
    signal,
  })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`The collector answered ${path} with ${answer.status}`)
}
