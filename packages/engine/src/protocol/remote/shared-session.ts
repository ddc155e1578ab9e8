import type { Revision } from '../../call.ts'
import type { Introduction, KnownSession, SessionSharing } from '../../client/remote.ts'
import type { ClientTransport } from '../../client/transports/transport.ts'
import type { Id } from '../../jsonrpc/message.ts'
import type { Agreement } from './first-request.ts'

type Find = Parameters<Revision['connect']>[2]
type Sharing = Pick<Introduction, 'sessions'>

/** Use a session that is kept; undefined where this transport or this client cannot. */
export function resumeSession(
  transport: ClientTransport,
  { id, version, ...facts }: KnownSession,
  find: Find,
): Agreement | undefined {
  const revision = find(version)
  if (revision?.era !== 'stateful' || !transport.resume) return undefined
  transport.resume(id)
  transport.useVersion?.(version)
  return { revision, ...facts }
}

/** Keep a new session for other processes; where one of them was first, its session is used. */
export async function keepSession(
  agreement: Agreement,
  transport: ClientTransport,
  { sessions, find }: Sharing & { readonly find: Find },
  lost?: string,
): Promise<Agreement> {
  const { revision, capabilities, server, instructions } = agreement
  const id = transport.session
  if (!sessions || id === undefined || !transport.resume) return agreement
  const used = await sessions.keep({ id, version: revision.version, capabilities, server, instructions }, lost)
  const resumed = used.id === id ? undefined : resumeSession(transport, used, find)
  // From now on only `leave` says whether it may be ended.
  transport.endsSession = false
  return resumed ?? agreement
}

/** Begin a new session where the server forgot the one there was, or use one that another process has begun since. */
export async function renewSession(
  begin: () => Promise<Agreement>,
  transport: ClientTransport,
  { sessions, find }: Sharing & { readonly find: Find },
): Promise<Agreement> {
  const lost = transport.session
  if (!sessions || lost === undefined) return begin()
  const known = await sessions.find(lost)
  const resumed = known && resumeSession(transport, known, find)
  if (resumed) return resumed
  const begun = await begin().catch(leaving(sessions, lost))
  return keepSession(begun, transport, { sessions, find }, lost)
}

/** Before the connection is closed: a session that others use is not ended. */
export async function leaveSession(transport: ClientTransport, { sessions }: Sharing): Promise<void> {
  if (sessions && transport.session !== undefined) transport.endsSession = await sessions.leave(transport.session)
}

/** After a failure the session is not used here. */
export const leaving =
  (sessions: SessionSharing, id: string) =>
  async (error: unknown): Promise<never> => {
    await sessions.leave(id)
    throw error
  }

/** Ids for requests; in a session that is shared, no other process uses the same. */
export function requestIds({ sessions }: Sharing): () => Id {
  let last = 0
  if (!sessions) return () => ++last
  const prefix = crypto.randomUUID().slice(0, 8)
  return () => `${prefix}-${++last}`
}
