import type { Revision } from '../../call.ts'
import type { Introduction, Remote, Target } from '../../client/remote.ts'
import { ConnectionLost, HttpError } from '../../client/transports/transport.ts'
import type { ClientTransport } from '../../client/transports/transport.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { continueSession } from './stateful.ts'
import { find, revisions } from '../revisions.ts'
import { leaving, resumeSession } from './shared-session.ts'

const newest = (era: Revision['era'], among?: readonly unknown[]): Revision | undefined =>
  revisions.find(revision => revision.era === era && (among?.includes(revision.version) ?? true))

/** Reach a server, and find out which revision it speaks: by asking, and where that is not understood, by a handshake. */
export async function connectRemote(target: Target, who: Introduction): Promise<Remote> {
  const pinned = pinnedBy(who)
  const kept = await continueKept(target, who)
  if (kept) return kept
  const transport = await opened(target.open())
  if (pinned?.era === 'stateful') return shakeHands(target, transport, who, pinned)
  const asked = await ask(transport, pinned ?? newest('stateless'), who)
  if (!(asked instanceof Error)) return asked
  if (pinned || isForbidden(asked)) {
    await transport.close()
    throw asked
  }
  // Some servers end when they receive something before the handshake.
  const next = asked instanceof ConnectionLost ? await reopened(transport, target) : transport
  return shakeHands(target, next, who, newest('stateful', supportedIn(asked)) ?? newest('stateful'))
}

const isForbidden = (error: Error): boolean =>
  error instanceof HttpError && (error.status === 401 || error.status === 403)

function pinnedBy({ version }: Introduction): Revision | undefined {
  const pinned = version === undefined ? undefined : find(version)
  if (version !== undefined && !pinned) {
    const known = revisions.map(revision => revision.version).join(', ')
    throw new TypeError(`'${version.slice(0, 100)}' is not a revision this client supports, only ${known}`)
  }
  return pinned
}

/** Go on with a session that another process keeps, if there is one. */
async function continueKept(target: Target, who: Introduction): Promise<Remote | undefined> {
  const { sessions } = who
  const known = await sessions?.find()
  if (!sessions || !known) return undefined
  const transport = await opened(target.open()).catch(leaving(sessions, known.id))
  const agreement = resumeSession(transport, known, find)
  if (agreement) return continueSession(agreement, transport, who, find)
  await transport.close()
  await sessions.leave(known.id)
  return undefined
}

/** Open a transport, or leave nothing of it behind. */
async function opened(transport: ClientTransport): Promise<ClientTransport> {
  try {
    await transport.open()
    return transport
  } catch (error) {
    await transport.close()
    throw error
  }
}

async function reopened(old: ClientTransport, target: Target): Promise<ClientTransport> {
  await old.close()
  return opened(target.open())
}

/** The versions that a refusal names. */
function supportedIn(error: unknown): readonly unknown[] | undefined {
  const data: unknown = error instanceof RpcError ? error.data : undefined
  return isObject(data) && Array.isArray(data.supported) ? data.supported : undefined
}

/** Ask a server what it is, in the newest revision both may know that needs no handshake. */
async function ask(
  transport: ClientTransport,
  revision: Revision | undefined,
  who: Introduction,
): Promise<Remote | Error> {
  if (!revision) return new TypeError('There is no such revision')
  try {
    return await revision.connect(transport, who, find)
  } catch (error) {
    const supported = supportedIn(error) ?? []
    // One that is refused and named as supported at once is tried once more.
    const other =
      who.version === undefined ? newest('stateless', supported) : supported.includes(who.version) && revision
    return other ? other.connect(transport, who, find).catch((why: Error) => why) : (error as Error)
  }
}

async function shakeHands(
  target: Target,
  transport: ClientTransport,
  who: Introduction,
  revision: Revision | undefined,
): Promise<Remote> {
  if (!revision) throw new TypeError('There is no revision to ask for')
  try {
    return await revision.connect(transport, who, find)
  } catch (error) {
    await transport.close()
    const isRefused = error instanceof HttpError && [400, 404, 405].includes(error.status)
    if (!isRefused || !target.fallback) throw error
    const older = await opened(target.fallback())
    return revision.connect(older, who, find).catch(async (why: unknown) => {
      await older.close()
      throw why
    })
  }
}
