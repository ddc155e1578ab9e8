import type { Principal } from '../auth/principal.ts'
import type { Caller, LogLevel, Revision } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut, isObject } from '../jsonrpc/message.ts'
import type { Params } from '../jsonrpc/message.ts'
import { META } from './keys.ts'
import { asImplementation, asLogLevel } from './client-values.ts'
import { find, isStatelessVersion, offered } from './revisions.ts'

const ENVELOPE = new Set<string>([META.protocolVersion, META.clientCapabilities, META.clientInfo, META.logLevel])

/** Does a message describe itself, by its `_meta` or by the version that stands in its header, or does it belong to a session? */
export const describesItself = (message: unknown, versionHeader?: string): boolean =>
  (versionHeader !== undefined && isStatelessVersion(versionHeader)) ||
  (isObject(message) && isObject(message.params) && isObject(message.params._meta) && isEnvelope(message.params._meta))

/** Does `_meta` describe the request it stands in? */
export const isEnvelope = (meta: Params): boolean => META.protocolVersion in meta || META.clientCapabilities in meta

/** Who sends a request that describes itself, and which log messages it wants. */
export interface Sender {
  readonly caller: Caller
  readonly logLevel: LogLevel | undefined
}

/** Read what a request says of itself; `newest` is the newest revision offered in a handshake. */
export function readEnvelope(meta: Params, principal: Principal | undefined, newest: string | undefined): Sender {
  const version = meta[META.protocolVersion]
  const capabilities = meta[META.clientCapabilities]
  if (typeof version !== 'string') throw badEnvelope(META.protocolVersion, 'a string')
  if (!isObject(capabilities)) throw badEnvelope(META.clientCapabilities, 'an object')
  const revision = find(version)
  if (revision?.era !== 'stateless') throw unsupported(version, revision, newest)
  const level = meta[META.logLevel]
  const logLevel = level === undefined ? undefined : asLogLevel(level, `params._meta["${META.logLevel}"]`)
  const client = asImplementation(meta[META.clientInfo])
  return { caller: { revision, client, capabilities, principal }, logLevel }
}

const NOTHING: Params = Object.freeze(Object.create(null))

/** What a handler sees of `_meta`: everything but the protocol's own envelope. */
export function withoutEnvelope(meta: Params): Params {
  let rest: Params | undefined
  for (const key in meta) if (!ENVELOPE.has(key)) (rest ??= Object.create(null) as Params)[key] = meta[key]
  return rest ?? NOTHING
}

/** Is something that is for one era, or for both, for clients of that revision? */
export const isForRevision = (one: { readonly era?: Revision['era'] } | undefined, { era }: Revision): boolean =>
  (one?.era ?? era) === era

/** Did the client declare the extension, in its handshake or with this request? */
export function declaresExtension({ capabilities }: Pick<Caller, 'capabilities'>, id: string): boolean {
  const { extensions } = capabilities
  return isObject(extensions) && Object.hasOwn(extensions, id)
}

/** The refusal of a request that should describe itself and does not, or not in the right shape. */
export const badEnvelope = (key: string, what: string): Error =>
  fault('invalid-envelope', `Invalid params: params._meta["${key}"] must be ${what}`, { missing: key })

function unsupported(requested: string, known: Revision | undefined, newest: string | undefined): Error {
  // A stateful date in an envelope must not be offered again, or a client would retry without end.
  const supported = offered(newest)
    .filter(r => !known || r.era === 'stateless')
    .map(r => r.version)
  return fault('unsupported-version', 'Unsupported protocol version', { supported, requested: cut(requested, 100) })
}
