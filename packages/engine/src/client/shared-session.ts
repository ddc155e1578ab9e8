import type { Implementation } from '../call.ts'
import type { Id, Params } from '../jsonrpc/message.ts'
import { find } from '../protocol/revisions.ts'
import { handshake, negotiate, opened } from './negotiate.ts'
import type { Agreement, Introduction, Target } from './negotiate.ts'
import type { ClientTransport, TransportListener } from './transports/transport.ts'

/** A session that a server keeps, with all that is needed to go on with it elsewhere. Its id is a secret. */
export interface KnownSession {
  readonly id: string
  readonly version: string
  readonly capabilities: Params
  readonly server: Implementation | undefined
  readonly instructions: string | undefined
}

/** Where the session with a server is kept for other processes. None of these fails: what cannot be kept is used here alone. */
export interface SessionSharing {
  /** The session to go on with, if there is one other than `lost`, which the server forgot. */
  find(lost?: string): Promise<KnownSession | undefined>
  /** A session was begun, in the place of `lost`; the one to use is this, or that of another process that was first. */
  keep(begun: KnownSession, lost?: string): Promise<KnownSession>
  /** It is not used here any more; true if it can be ended, since nobody else uses it. */
  leave(id: string): Promise<boolean>
}

/** Who speaks, and where its session is kept for others. */
export interface SharingIntroduction extends Introduction {
  readonly sessions?: SessionSharing | undefined
}

/** Go on with a session that is kept, or agree on a revision and keep the new one. */
export async function openShared(
  target: Target,
  who: SharingIntroduction,
  listener: TransportListener,
): Promise<Agreement> {
  const { sessions } = who
  const known = await sessions?.find()
  const resumed = sessions && known && (await resumeOn(target, known, listener).catch(leaving(sessions, known.id)))
  if (resumed) return resumed
  if (known) await sessions?.leave(known.id)
  const agreement = await negotiate(target, who, listener)
  return sessions ? share(agreement, sessions) : agreement
}

/** Begin a new session where the server forgot the one there was, or go on with one that another process has begun since. */
export async function renewShared(agreement: Agreement, who: SharingIntroduction): Promise<Agreement> {
  const { sessions } = who
  const { transport, revision } = agreement
  const lost = transport.session
  if (!sessions || lost === undefined) return handshake(transport, who, revision)
  const known = await sessions.find(lost)
  const resumed = known && resume(transport, known)
  if (resumed) return resumed
  return share(await handshake(transport, who, revision).catch(leaving(sessions, lost)), sessions, lost)
}

/** Ids for requests, which nobody else uses in a session that is shared. */
export function requestIds({ sessions }: SharingIntroduction): () => Id {
  let last = 0
  const prefix = crypto.randomUUID().slice(0, 8)
  return sessions ? () => `${prefix}-${++last}` : () => ++last
}

/** Close the connection; a session that others use is not ended. */
export async function closeShared({ transport }: Agreement, { sessions }: SharingIntroduction): Promise<void> {
  if (sessions && transport.session !== undefined) transport.endsSession = await sessions.leave(transport.session)
  await transport.close()
}

/** Whoever could not go on does not use the session either. */
const leaving =
  ({ leave }: SessionSharing, id: string) =>
  async (error: unknown): Promise<never> => {
    await leave(id)
    throw error
  }

async function resumeOn(
  target: Target,
  known: KnownSession,
  listener: TransportListener,
): Promise<Agreement | undefined> {
  const transport = await opened(target.open(), listener)
  const resumed = resume(transport, known)
  if (!resumed) await transport.close()
  return resumed
}

function resume(transport: ClientTransport, { id, version, ...said }: KnownSession): Agreement | undefined {
  const revision = find(version)
  if (!revision?.traits.handshake || !transport.resume) return undefined
  transport.resume(id, revision)
  return { transport, revision, ...said }
}

async function share(agreement: Agreement, sessions: SessionSharing, lost?: string): Promise<Agreement> {
  const { transport, revision, capabilities, server, instructions } = agreement
  const id = transport.session
  if (id === undefined || !transport.resume) return agreement
  const used = await sessions.keep({ id, version: revision.version, capabilities, server, instructions }, lost)
  const resumed = used.id === id ? undefined : resume(transport, used)
  // From now on only `leave` tells whether it may be ended.
  transport.endsSession = false
  return resumed ?? agreement
}
