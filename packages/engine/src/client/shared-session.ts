import type { Implementation } from '../call.ts'
import type { Params } from '../jsonrpc/message.ts'
import { find } from '../protocol/revisions.ts'
import { handshake, negotiate, opened } from './negotiate.ts'
import type { Agreement, Introduction, Target } from './negotiate.ts'
import type { Wire, WireListener } from './wire.ts'

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
export async function openShared(target: Target, who: SharingIntroduction, listener: WireListener): Promise<Agreement> {
  const { sessions } = who
  const known = await sessions?.find()
  const resumed = known && (await resumeOn(target, known, listener))
  if (resumed) return resumed
  const agreement = await negotiate(target, who, listener)
  return sessions ? share(agreement, sessions) : agreement
}

/** Begin a new session where the server forgot the one there was, or go on with one that another process has begun since. */
export async function renewShared(agreement: Agreement, who: SharingIntroduction): Promise<Agreement> {
  const { sessions } = who
  const { wire, revision } = agreement
  const lost = wire.session
  if (!sessions || lost === undefined) return handshake(wire, who, revision)
  const known = await sessions.find(lost)
  return (known && resume(wire, known)) ?? share(await handshake(wire, who, revision), sessions, lost)
}

/** Close the connection; a session that others use is not ended. */
export async function closeShared({ wire }: Agreement, { sessions }: SharingIntroduction): Promise<void> {
  if (sessions && wire.session !== undefined) wire.endsSession = await sessions.leave(wire.session)
  await wire.close()
}

async function resumeOn(target: Target, known: KnownSession, listener: WireListener): Promise<Agreement | undefined> {
  const wire = await opened(target.open(), listener)
  const resumed = resume(wire, known)
  if (!resumed) await wire.close()
  return resumed
}

function resume(wire: Wire, { id, version, ...said }: KnownSession): Agreement | undefined {
  const revision = find(version)
  if (!revision?.traits.handshake || !wire.resume) return undefined
  wire.resume(id, revision)
  return { wire, revision, ...said }
}

async function share(agreement: Agreement, sessions: SessionSharing, lost?: string): Promise<Agreement> {
  const { wire, revision, capabilities, server, instructions } = agreement
  const id = wire.session
  if (id === undefined || !wire.resume) return agreement
  const used = await sessions.keep({ id, version: revision.version, capabilities, server, instructions }, lost)
  const resumed = used.id === id ? undefined : resume(wire, used)
  // From now on only `leave` tells whether it may be ended.
  wire.endsSession = false
  return resumed ?? agreement
}
