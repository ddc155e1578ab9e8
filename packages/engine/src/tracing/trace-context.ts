/** Where a span is in its trace, as W3C Trace Context has it. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  /** Is it recorded? What its caller does not record is not recorded here either. */
  readonly isSampled: boolean
  readonly state?: string | undefined
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/
const LONGEST_STATE = 512

/** Reads a `traceparent`, and the `tracestate` beside it; undefined for what is none. */
export function readTraceContext(parent: unknown, state?: unknown): TraceContext | undefined {
  if (typeof parent !== 'string' || parent.length > 200) return undefined
  const [, traceId, spanId, flags] = TRACEPARENT.exec(parent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  const kept = typeof state === 'string' && state.length <= LONGEST_STATE && /^[\x20-\x7E]+$/.test(state)
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1, ...(kept && { state }) }
}

/** The `traceparent` of a span. */
export const toTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

/** What of a call says which trace it belongs to. */
interface Traced {
  readonly cancellation: { readonly span: { readonly context: TraceContext } | undefined }
  readonly meta: Readonly<Record<string, unknown>>
}

/** The trace that a call belongs to, if it does: that of its span, or the one that its caller named. */
export const traceIdOf = ({ cancellation, meta }: Traced): string | undefined =>
  cancellation.span?.context.traceId ??
  (meta.traceparent === undefined ? undefined : readTraceContext(meta.traceparent)?.traceId)
