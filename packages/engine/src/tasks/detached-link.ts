import type { Call, Link, Session } from '../call.ts'
import { Calls } from '../jsonrpc/calls.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Message } from '../jsonrpc/message.ts'
import { RELATED_TASK } from '../protocol/tasks/kinds.ts'
import { sessionOf } from '../protocol/session.ts'

/** The end of a conversation for a call that outlives it, and what to do when that call is over. */
export interface Detached {
  readonly link: Link
  end(): void
}

/**
 * A link for a task: what it says goes to the session it was begun in, for as long as there is one, and nowhere where
 * clients poll for it.
 */
export function detachedLink(call: Call, taskId: string, ends: SessionEnds): Detached {
  const { transport, session: own, principal, address, view, strict, direct, headers } = call.link
  let ending: AbortController | undefined
  const session = sessionOf(call)
  const send = (message: Message): void => {
    if (session && !session.signal.aborted) session.send(related(message, taskId))
  }
  const link: Link = {
    transport,
    session: own && detachedSession(own, looked => (ending = looked)),
    principal,
    address,
    view,
    calls: new Calls(),
    strict,
    direct,
    headers,
    signal: new AbortController().signal,
    send,
  }
  const end = (): void => {
    if (own && ending) ends.whenOver(own, () => ending?.abort())
  }
  return { link, end }
}

/** Names the task in a notification. */
function related(message: Message, taskId: string): Message {
  if (!('method' in message)) return message
  const { params = {} } = message
  const _meta = { ...(isObject(params._meta) && params._meta), [RELATED_TASK]: { taskId } }
  return { ...message, params: { ...params, _meta } }
}

/** What belongs to sessions, and goes on until the tasks that began there are over. */
export class SessionEnds {
  readonly #ends = new Map<Session, Set<() => void>>()

  /** Call it once the session is over: now, if it is. */
  whenOver(session: Session, end: () => void): void {
    if (session.signal.aborted) return end()
    const known = this.#ends.get(session)
    if (known) known.add(end)
    else this.#follow(session, new Set([end]))
  }

  #follow(session: Session, ends: Set<() => void>): void {
    this.#ends.set(session, ends)
    const over = (): void => {
      this.#ends.delete(session)
      for (const end of ends) end()
    }
    session.signal.addEventListener('abort', over, { once: true })
  }
}

/** The session as what runs on sees it: it is not over before the task is. */
function detachedSession(session: Session, isLookedAt: (ending: AbortController) => void): Session {
  let ending: AbortController | undefined
  return {
    id: session.id,
    state: 'ready',
    caller: session.caller,
    logLevel: session.logLevel,
    peer: session.peer,
    subscriptions: session.subscriptions,
    // Few ever look at it.
    get signal() {
      if (!ending) isLookedAt((ending = new AbortController()))
      return ending.signal
    },
    abort() {},
    refresh() {},
    send(message, number) {
      if (!session.signal.aborted) session.send(message, number)
    },
  }
}
