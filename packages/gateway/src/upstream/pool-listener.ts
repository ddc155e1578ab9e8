import type { ServerChange, SessionSharing } from '@causeway/engine/client'
import type { Conversation } from './pooled-connection.ts'

/** What a pool tells of its server. */
export interface PoolListener {
  changed(change: ServerChange, conversation: Conversation): void
  /** A conversation began. */
  opened(conversation: Conversation): void
  /** A conversation is over. */
  ended(conversation: Conversation): void
  /** Changes are heard of in it from now on. */
  onListening(conversation: Conversation): void
  onInvalid(what: string): void
  /** Where the session of a client is kept for other processes, by the conversation's key. */
  sharing?: ((key: string) => SessionSharing) | undefined
  /** What the server said last beside the protocol. */
  lastWords(): string | undefined
}
