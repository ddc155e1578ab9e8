import type { Session } from '../../call.ts'
import type { SharedChanges } from '../../methods/subscriptions.ts'
import type { Server } from '../../server.ts'
import type { Store } from '../../stores/store.ts'

/** How many sessions there may be, in all and of one owner, how long one may be silent, and where their records are. */
export interface SessionLimits {
  readonly most: number
  readonly mostOfOne: number
  readonly idleMs: number
  readonly store: Store
  /** Do other processes use the store, so that a session that has to make room here may be in use there? */
  readonly shared: boolean
  /** The process that sessions opened here stay in, if they do: it stands in their ids. */
  readonly worker?: string | undefined
  readonly log: Server['log']
  /** Called for each session that began elsewhere. */
  readonly onRestored: (session: Session) => void
  /** Where several processes share their changes. */
  readonly changes?: SharedChanges
  readonly now?: () => number
}
