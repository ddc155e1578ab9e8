import type { Caller, Revision, Session } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import type { Message } from '../jsonrpc/message.ts'
import { Peer } from '../jsonrpc/peer.ts'
import { handshakeless } from './revisions.ts'

const endings = new WeakMap<Session, AbortController>()

/** A conversation that has not begun. */
export function newSession(id: string, send: (message: Message) => void): Session {
  const ending = new AbortController()
  const session: Session = {
    id,
    state: 'new',
    caller: undefined,
    logLevel: 'info',
    peer: new Peer(),
    subscriptions: new Set(),
    signal: ending.signal,
    send,
  }
  endings.set(session, ending)
  return session
}

/** May this request be served now? If not, say why. */
export function admit(session: Session, method: string, strict: boolean): void {
  const { state } = session
  if (state === 'shutting-down' || state === 'closed') throw fault('shutting-down', 'The server is shutting down')
  if (method === 'initialize') {
    if (state !== 'new') throw fault('already-initialised', 'Already initialized')
  } else if (strict && state !== 'ready' && method !== 'ping') {
    throw fault('not-initialised', 'Server not initialized. Send initialized notification first.')
  }
}

/** The handshake's first half: from here on the session knows who is asking. */
export function begin(session: Session, caller: Caller): void {
  session.caller = caller
  session.state = 'initialising'
}

/** The handshake's second half; true if this notification completed it. */
export function complete(session: Session): boolean {
  if (session.state !== 'initialising') return false
  session.state = 'ready'
  return true
}

/** Take nothing new; what runs may finish. */
export function shutDown(session: Session): void {
  if (session.state !== 'closed') session.state = 'shutting-down'
}

/** The client cannot answer our questions any more; what runs may finish without. */
export const rejectQuestions = ({ peer }: Session): void =>
  peer.close(fault('shutting-down', 'The server is shutting down, so nobody can answer'))

/** The conversation is over: nobody will answer our questions any more. */
export function close(session: Session): void {
  session.state = 'closed'
  endings.get(session)?.abort()
  session.peer.close(fault('internal', 'The connection closed before the client answered'))
}

/** What the two sides speak: what they agreed on, or what is spoken without a handshake. */
export const revisionOf = (session: Session | undefined): Revision => session?.caller?.revision ?? handshakeless
