import type { StreamInfo, StreamSummary } from '../../call.ts'
import { isObject } from '../../jsonrpc/message.ts'

const TYPES: ReadonlySet<unknown> = new Set(['start', 'chunk', 'done', 'error', 'cancel'])

/** A control message of the streaming protocol: one text frame. */
export interface StreamMessage {
  readonly type: 'start' | 'chunk' | 'done' | 'error' | 'cancel'
  readonly id: string
  readonly timestamp: string
  readonly meta?: unknown
  readonly index?: unknown
  readonly data?: unknown
}

/** What the server says: the members that each type has in addition to its id and the time. */
type Said =
  | { readonly type: 'start'; readonly meta: StreamInfo & { readonly binary: true } }
  | { readonly type: 'done'; readonly summary: StreamSummary }
  | { readonly type: 'error'; readonly error: StreamError }

/** Why a stream failed. */
export interface StreamError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Whatever has no type, id or time is none. */
export const isStreamMessage = (value: unknown): value is StreamMessage =>
  isObject(value) && TYPES.has(value.type) && typeof value.id === 'string' && typeof value.timestamp === 'string'

/** A control message as text. */
export const streamMessage = (id: string, { type, ...rest }: Said): string =>
  JSON.stringify({ type, id, timestamp: new Date().toISOString(), ...rest })
