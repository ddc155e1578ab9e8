import type { Call, Session } from '../call.ts'
import type { ToolEntry } from '../catalog/shelf.ts'
import { notification } from '../jsonrpc/message.ts'
import { sessionOf } from '../protocol/session.ts'

// What a session found last is worth most, and a list must not grow back to what search was to spare.
const MOST = 20

interface Promoted {
  /** The newest last. */
  readonly names: readonly string[]
  shown?: { readonly base: readonly ToolEntry[]; readonly list: readonly ToolEntry[] }
}

/** Tools that sessions found, which are listed to those sessions from then on. */
export class Promotions {
  readonly #bySession = new WeakMap<Session, Promoted>()

  /** List these in the session of the call, and notify it that the list changed; requests that describe themselves have no session. */
  add(call: Call, names: readonly string[]): void {
    const session = sessionOf(call)
    if (!session) return
    const known = this.#bySession.get(session)?.names ?? []
    const fresh = names.filter(name => !known.includes(name))
    if (fresh.length === 0) return
    this.#bySession.set(session, { names: [...known, ...fresh].slice(-MOST) })
    session.send(notification('notifications/tools/list_changed'))
  }

  /** The usual list and what the session found: the same array until one of them changes. */
  shown(call: Call, base: readonly ToolEntry[], served: readonly ToolEntry[]): readonly ToolEntry[] {
    const session = sessionOf(call)
    const promoted = session && this.#bySession.get(session)
    if (!promoted) return base
    if (promoted.shown?.base === base) return promoted.shown.list
    const names = new Set(promoted.names)
    for (const { key } of base) names.delete(key)
    const list = [...base, ...served.filter(({ key }) => names.has(key))]
    promoted.shown = { base, list }
    return list
  }
}
