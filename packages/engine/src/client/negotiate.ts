import type { Implementation, Revision } from '../call.ts'
import { RpcError, codes, fault } from '../jsonrpc/errors.ts'
import { isObject, notification } from '../jsonrpc/message.ts'
import type { Params, Request, Result } from '../jsonrpc/message.ts'
import { META } from '../protocol/keys.ts'
import { asImplementation } from '../protocol/model.ts'
import { find, revisions } from '../protocol/revisions.ts'
import { mirrorsOf } from './mirrors.ts'
import { ConnectionLost, HttpError } from './transports/transport.ts'
import type { ClientTransport, TransportListener } from './transports/transport.ts'

/** How a server is reached. */
export interface Target {
  /** A new transport; called again where the first one did not survive the question which revision is spoken. */
  open(): ClientTransport
  /** What to try where the server refuses the handshake as such: an older transport. */
  fallback?(): ClientTransport
}

/** Who the client says it is. */
export interface Introduction {
  readonly client: Implementation
  readonly capabilities: Params
  /** The revision to speak, and no other. */
  readonly version?: string | undefined
  /** How long the handshake may take. */
  readonly startTimeoutMs: number
}

/** What both sides speak, and what the server said of itself. */
export interface Agreement {
  readonly transport: ClientTransport
  readonly revision: Revision
  readonly capabilities: Params
  readonly server: Implementation | undefined
  readonly instructions: string | undefined
}

const PROBE_MS = 10_000
const newest = (handshake: boolean, among?: readonly unknown[]): Revision | undefined =>
  revisions.find(revision => revision.traits.handshake === handshake && (among?.includes(revision.version) ?? true))

/** What a request of the stateless era says of its sender. */
export const envelopeOf = ({ version }: Revision, { client, capabilities }: Introduction): Params => ({
  [META.protocolVersion]: version,
  [META.clientCapabilities]: capabilities,
  [META.clientInfo]: client,
})

/** Open a transport and find out what is spoken on it: by asking, and where that is not understood, by a handshake. */
export async function negotiate(target: Target, who: Introduction, listener: TransportListener): Promise<Agreement> {
  const pinned = pinnedBy(who)
  if (pinned?.traits.handshake) {
    return handshakeOn(target, await opened(target.open(), listener), { who, listener, asked: pinned })
  }
  const transport = await opened(target.open(), listener)
  const probed = await probe(transport, pinned ?? newest(false), who).catch((error: unknown) => error)
  if (isAgreement(probed)) return probed
  if (pinned || isForbidden(probed)) {
    await transport.close()
    throw probed
  }
  // Some servers end when they hear something before the handshake.
  const next = probed instanceof ConnectionLost ? await reopened(transport, target, listener) : transport
  const asked = newest(true, supportedIn(probed)) ?? newest(true)
  return handshakeOn(target, next, { who, listener, asked })
}

const isForbidden = (error: unknown): boolean =>
  error instanceof HttpError && (error.status === 401 || error.status === 403)

function pinnedBy({ version }: Introduction): Revision | undefined {
  const pinned = version === undefined ? undefined : find(version)
  if (version !== undefined && !pinned) {
    const known = revisions.map(revision => revision.version).join(', ')
    throw new TypeError(`'${version.slice(0, 100)}' is no revision this client speaks, only ${known}`)
  }
  return pinned
}

const isAgreement = (value: unknown): value is Agreement =>
  isObject(value) && 'revision' in value && 'transport' in value

/** Open a transport, or leave nothing of it behind. */
export async function opened(transport: ClientTransport, listener: TransportListener): Promise<ClientTransport> {
  try {
    await transport.open(listener)
    return transport
  } catch (error) {
    await transport.close()
    throw error
  }
}

async function reopened(old: ClientTransport, target: Target, listener: TransportListener): Promise<ClientTransport> {
  await old.close()
  return opened(target.open(), listener)
}

/** The versions a refusal names. */
function supportedIn(error: unknown): readonly unknown[] | undefined {
  const data: unknown = error instanceof RpcError ? error.data : undefined
  return isObject(data) && Array.isArray(data.supported) ? data.supported : undefined
}

async function probe(
  transport: ClientTransport,
  revision: Revision | undefined,
  who: Introduction,
  again = true,
): Promise<Agreement> {
  if (!revision) throw new TypeError('There is no such revision')
  transport.useRevision(revision)
  const params = { _meta: envelopeOf(revision, who) }
  const within = who.version === undefined ? Math.min(PROBE_MS, who.startTimeoutMs) : who.startTimeoutMs
  const result = await ask(transport, { method: 'server/discover', params }, within).catch((error: unknown) => {
    const supported = supportedIn(error)
    const other = supported && newest(false, supported)
    if (!other || !again) throw error
    return probe(transport, other, who, false)
  })
  if (isAgreement(result)) return result
  const versions = Array.isArray(result.supportedVersions) ? result.supportedVersions : []
  const agreed = versions.includes(revision.version) ? revision : newest(false, versions)
  if (!agreed)
    throw fault('unsupported-version', 'The server supports no revision that needs no handshake', {
      supported: versions,
    })
  transport.useRevision(agreed)
  const meta = isObject(result._meta) ? result._meta : {}
  return agreement(transport, agreed, { ...result, serverInfo: meta[META.serverInfo] })
}

interface Handshake {
  readonly who: Introduction
  readonly listener: TransportListener
  readonly asked: Revision | undefined
}

async function handshakeOn(
  target: Target,
  transport: ClientTransport,
  { who, listener, asked }: Handshake,
): Promise<Agreement> {
  try {
    return await handshake(transport, who, asked)
  } catch (error) {
    await transport.close()
    const isRefused = error instanceof HttpError && [400, 404, 405].includes(error.status)
    if (!isRefused || !target.fallback) throw error
    const older = await opened(target.fallback(), listener)
    return handshake(older, who, asked).catch(async (why: unknown) => {
      await older.close()
      throw why
    })
  }
}

/** The handshake of the stateful era, the first time or again. */
export async function handshake(
  transport: ClientTransport,
  who: Introduction,
  asked: Revision | undefined,
): Promise<Agreement> {
  if (!asked) throw new TypeError('There is no revision to ask for')
  transport.useRevision(undefined)
  const params = asked.writeRequest('initialize', {
    protocolVersion: asked.version,
    capabilities: who.capabilities,
    clientInfo: who.client,
  })
  const result = await ask(transport, { method: 'initialize', params }, who.startTimeoutMs)
  const revision = find(result.protocolVersion)
  if (!revision?.traits.handshake || (who.version !== undefined && revision.version !== who.version)) {
    const said = JSON.stringify(result.protocolVersion)?.slice(0, 100)
    const wanted = who.version === undefined ? 'which this client does not' : `and the client only ${who.version}`
    throw fault('unsupported-version', `The server wants to speak ${said}, ${wanted}`)
  }
  transport.useRevision(revision)
  transport.send(notification('notifications/initialized'))
  transport.ready?.()
  return agreement(transport, revision, result)
}

const agreement = (transport: ClientTransport, revision: Revision, result: Result): Agreement => ({
  transport,
  revision,
  capabilities: isObject(result.capabilities) ? result.capabilities : {},
  server: asImplementation(result.serverInfo),
  instructions: typeof result.instructions === 'string' ? result.instructions : undefined,
})

let asked = 0

/** One request before anything is agreed on. */
function ask(
  transport: ClientTransport,
  { method, params }: { method: string; params: Params },
  withinMs: number,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const request: Request = { jsonrpc: '2.0', id: `start-${++asked}`, method, params }
    const late = setTimeout(() => {
      if (method !== 'initialize') transport.cancel(request, 'It took too long')
      reject(fault('timeout', `The server did not answer ${method} within ${withinMs / 1000} s`))
    }, withinMs)
    transport.request(
      request,
      {
        onMessage: () => {},
        onResponse(response) {
          clearTimeout(late)
          if ('error' in response) reject(errorOf(response.error))
          else if (isObject(response.result)) resolve(response.result)
          else reject(new Error(`The server answered ${method} with something that is no object`))
        },
        onLost(why) {
          clearTimeout(late)
          reject(why)
        },
      },
      method === 'initialize' ? {} : mirrorsOf(method, params),
    )
  })
}

// What only one kind of error is told by, in any revision.
const UNAMBIGUOUS = new Map(
  (['header-mismatch', 'missing-capability', 'unsupported-version'] as const).map(kind => [
    codes[kind] as number,
    kind,
  ]),
)

/** An error as a server sent it; whatever it sent. */
export function errorOf(error: unknown, kindOf?: Revision['kindOf']): RpcError {
  const { code, message, data } = isObject(error) ? error : {}
  const number = typeof code === 'number' ? code : -32603
  const kind = kindOf?.(number) ?? UNAMBIGUOUS.get(number)
  const neutral = kind !== undefined && Object.hasOwn(codes, kind) ? codes[kind as keyof typeof codes] : number
  return new RpcError(neutral, typeof message === 'string' ? message : 'The server answered with an error', data, {
    ...(kind !== undefined && { kind }),
  })
}
