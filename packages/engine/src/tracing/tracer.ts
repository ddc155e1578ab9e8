import type { TraceContext } from './trace-context.ts'

/** What is said of a span: texts and numbers by the names of the semantic conventions. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>

/** How a span begins. */
export interface SpanStart {
  readonly name: string
  readonly kind: 'server' | 'client'
  /** The span of the caller, if it said so. */
  readonly parent: TraceContext | undefined
  /** The span of the HTTP request that it came in, if that is another. */
  readonly link?: TraceContext | undefined
  readonly attributes: SpanAttributes
}

/** How a span ends. */
export interface SpanEnd {
  readonly durationMs: number
  /** The value of `error.type`, if it failed. */
  readonly errorType?: string | undefined
  readonly statusCode?: string | undefined
  readonly message?: string | undefined
  /** The name of the tool or prompt, if that is one that there is. */
  readonly target?: string | undefined
}

/** A span that has begun. */
export interface Span {
  readonly context: TraceContext
  /** Begin a span within this one. */
  child(start: Omit<SpanStart, 'parent' | 'link'>): Span
  end(end: SpanEnd): void
}

/** Begins spans; where they go is its business. */
export interface Tracer {
  start(start: SpanStart): Span
}
