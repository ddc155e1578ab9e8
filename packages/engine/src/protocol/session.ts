import type { Call, Caller, LogLevel, Revision, Session, SessionRecord, SessionState } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import type { Message } from '../jsonrpc/message.ts'
import { Peer } from '../jsonrpc/peer.ts'
import { find, handshakeless } from './revisions.ts'
import { Subscriptions } from './subscriptions.ts'

/** The live ends of a session: what cannot be written down. */
export interface SessionEnds {
  /** Sends what belongs to no request. */
  readonly send: (message: Message, number?: number) => void
  /** Begins the ids of questions; default: `causeway`. */
  readonly questionPrefix?: string
  /** Called when something changed that the record holds. */
  readonly onChange?: () => void
}

class LiveSession implements Session {
  readonly id: string
  readonly peer: Peer
  readonly subscriptions: Subscriptions
  readonly send: (message: Message, number?: number) => void
  readonly #ending = new AbortController()
  readonly #changed: () => void
  #state: SessionState
  #caller: Caller | undefined
  #logLevel: LogLevel

  constructor(record: SessionRecord, { send, questionPrefix, onChange = () => {} }: SessionEnds) {
    const { id, state, logLevel, version, client, capabilities } = record
    this.id = id
    this.send = send
    this.peer = new Peer(questionPrefix)
    this.subscriptions = new Subscriptions(record.subscriptions, onChange)
    this.#changed = onChange
    this.#state = state
    this.#logLevel = logLevel
    const revision = find(version)
    this.#caller = revision && { revision, client, capabilities }
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  get state(): SessionState {
    return this.#state
  }

  /** How it ends is no part of the record: another process may still serve it. */
  set state(state: SessionState) {
    this.#state = state
    if (state === 'initialising' || state === 'ready') this.#changed()
  }

  get caller(): Caller | undefined {
    return this.#caller
  }

  set caller(caller: Caller | undefined) {
    this.#caller = caller
  }

  get logLevel(): LogLevel {
    return this.#logLevel
  }

  set logLevel(level: LogLevel) {
    this.#logLevel = level
    this.#changed()
  }

  refresh({ state, logLevel, subscriptions }: SessionRecord): void {
    // How it ends here is not for a record to say.
    if (this.#state === 'initialising' && state === 'ready') this.#state = state
    this.#logLevel = logLevel
    this.subscriptions.refresh(subscriptions)
  }

  abort(): void {
    this.#ending.abort()
  }
}

/** The record of a conversation that has not begun. */
export const newRecord = (id: string): SessionRecord => ({
  id,
  state: 'new',
  version: undefined,
  client: undefined,
  capabilities: {},
  logLevel: 'info',
  subscriptions: [],
})

/** A conversation that has not begun. */
export const newSession = (id: string, send: SessionEnds['send']): Session => new LiveSession(newRecord(id), { send })

/** A conversation as its record has it. */
export const restoreSession = (record: SessionRecord, ends: SessionEnds): Session => new LiveSession(record, ends)

/** A record that was written down; undefined if it cannot be read, or speaks a revision that is not known here. */
export function readRecord(text: string): SessionRecord | undefined {
  try {
    const record = JSON.parse(text) as SessionRecord
    return find(record.version) ? record : undefined
  } catch {
    return undefined
  }
}

/** What of a session can be written down. */
export const recordOf = ({ id, state, caller, logLevel, subscriptions }: Session): SessionRecord => ({
  id,
  state,
  version: caller?.revision.version,
  client: caller?.client,
  capabilities: caller?.capabilities ?? {},
  logLevel,
  subscriptions: [...subscriptions],
})

/**
 * What a record becomes that two processes changed: what is stored, with what changed here since `base` laid over it.
 */
export function mergeRecords(base: SessionRecord, own: SessionRecord, stored: SessionRecord): SessionRecord {
  const { subscriptions: before } = base
  const added = own.subscriptions.filter(uri => !before.includes(uri))
  const removed = before.filter(uri => !own.subscriptions.includes(uri))
  return {
    ...stored,
    state: own.state === 'ready' ? own.state : stored.state,
    logLevel: own.logLevel === base.logLevel ? stored.logLevel : own.logLevel,
    subscriptions: [...new Set([...stored.subscriptions, ...added])].filter(uri => !removed.includes(uri)),
  }
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
export function completeHandshake(session: Session): boolean {
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
  peer.close(fault('shutting-down', 'The server is shutting down, so the client cannot be asked'))

/** The conversation is over: our questions will not be answered any more. */
export function close(session: Session): void {
  session.state = 'closed'
  session.abort()
  session.peer.close(fault('internal', 'The connection closed before the client answered'))
}

/** The session that a call belongs to; a request that describes itself belongs to none, though its connection may have one. */
export const sessionOf = ({
  caller,
  link,
}: Pick<Call, 'caller'> & { readonly link: Pick<Call['link'], 'session'> }): Session | undefined =>
  caller.revision.era === 'stateful' ? link.session : undefined

/** The revision the two sides agreed on, or the one of peers that make no handshake. */
export const revisionOf = (session: Session | undefined): Revision => session?.caller?.revision ?? handshakeless
