import { RpcError } from '@causeway/engine'
import type { Call, Params, Result } from '@causeway/engine'
import { operationAttributes, spanEndOf, toTraceparent } from '@causeway/engine/policies'
import type { Span } from '@causeway/engine/policies'

/** The span of a call on its way to a server, within that of the call; undefined where calls are not traced. */
export function clientSpan({ method, cancellation }: Call, params: Params, server: string): Span | undefined {
  if (!cancellation.span) return undefined
  const target = typeof params.name === 'string' ? params.name.slice(0, 100) : undefined
  const name = target === undefined ? method : `${method} ${target}`
  // The address of a server may have a secret in it: it goes by its name.
  const attributes = { ...operationAttributes(method, target), 'causeway.server': server }
  return cancellation.span.child({ name, kind: 'client', attributes })
}

/** What the server is told of the span, beside the rest of `_meta`. */
export const tracedMeta = (meta: Params | undefined, { context }: Span): Params => {
  const { tracestate: _, ...rest } = meta ?? {}
  return {
    ...rest,
    traceparent: toTraceparent(context),
    ...(context.state !== undefined && { tracestate: context.state }),
  }
}

/** End a span with what its call came to. */
export function endSpan(span: Span, { params }: Call, sent: Promise<Result>): void {
  const start = performance.now()
  const target = typeof params.name === 'string' ? params.name : undefined
  const end = (outcome: string, error?: unknown): void =>
    span.end({ ...spanEndOf({ outcome, durationMs: performance.now() - start, waited: true, error }), target })
  sent.then(
    ({ isError }) => end(isError === true ? 'failed' : 'ok'),
    (error: unknown) => end(error instanceof RpcError ? (error.kind ?? String(error.code)) : 'connection_lost', error),
  )
}
