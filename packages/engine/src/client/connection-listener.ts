import type { Ask } from '../call.ts'
import type { Params } from '../jsonrpc/message.ts'
import type { Reply } from './in-flight-request.ts'

/** Something the server says has changed. */
export type ServerChange = { readonly list: 'tools' | 'prompts' | 'resources' } | { readonly uri: string }

/** Hears what belongs to no request in particular. */
export interface ConnectionListener {
  /** A question that cannot be assigned to a request, or that its request does not answer itself. */
  onQuestion?(ask: Ask, reply: Reply): (() => void) | undefined
  onLog?(params: Params): void
  onChange?(change: ServerChange): void
  onClose?(why: Error): void
  /** Something came that is no message; it was ignored. */
  onInvalid?(what: string): void
  /** The server had forgotten the session; a new one was begun. */
  onNewSession?(): void
  /** Changes are heard of from now on; those before may have been missed. */
  onListening?(): void
}
