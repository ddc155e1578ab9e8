import type { Call, Caller, Link, LogLevel, Revision } from '../call.ts'
import { Cancellation } from '../jsonrpc/cancellation.ts'
import { fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Params, Request } from '../jsonrpc/message.ts'
import { asImplementation, asLogLevel } from './model.ts'
import { META } from './keys.ts'
import type { Seal } from './request-state.ts'
import { find, handshakeless, negotiate, offered, revisions } from './revisions.ts'
import { admit } from './session.ts'

/** What opening a call needs to know of the server. */
export interface Opening {
  readonly seal: Seal
  /** The newest revision offered in a handshake. */
  readonly newest: string | undefined
  /** Are log messages offered to clients? */
  readonly logging: boolean
  /** Is there a tool of that name, so that it can be called directly? */
  isTool(name: string): boolean
}

const ENVELOPE = new Set<string>([META.protocolVersion, META.clientCapabilities, META.clientInfo, META.logLevel])

type Resumed = Pick<Call, 'params' | 'answers'>

const NOTHING: Readonly<Record<string, never>> = Object.freeze({})

/** Request → Call: find out who speaks which revision, and that the method belongs to it. */
export function openCall(request: Request, link: Link, opening: Opening): Call {
  const params: Params = request.params ?? NOTHING
  const meta = isObject(params._meta) ? params._meta : NOTHING
  if (META.protocolVersion in meta || META.clientCapabilities in meta) return stateless(request, meta, link, opening)
  const caller = fromSession(request, link, opening)
  const direct = !caller.revision.methods.has(request.method)
  if (direct && !isDirectCall(request.method, link, opening)) throw unknownMethod(request.method)
  return {
    id: request.id,
    method: direct ? 'tools/call' : request.method,
    params: direct ? { name: request.method, arguments: namedParams(params) } : namedParams(params),
    meta,
    caller,
    link,
    cancellation: new Cancellation(),
    answers: NOTHING,
    asks: {},
    logLevel: opening.logging ? link.session?.logLevel : undefined,
    direct,
  }
}

/** A request that describes itself: nothing is inferred from the connection. */
function stateless(request: Request, envelope: Params, link: Link, opening: Opening): Call {
  const { caller, logLevel: asked } = fromEnvelope(envelope, link, opening.newest)
  const logLevel = opening.logging ? asked : undefined
  const { method, id } = request
  if (!caller.revision.methods.has(method)) throw unknownMethod(method)
  if (link.session?.state === 'shutting-down') throw fault('shutting-down', 'The server is shutting down')
  const { params, answers } = resumed(request, link, opening)
  return {
    id,
    method,
    params,
    meta: handlerMeta(envelope),
    caller,
    link,
    cancellation: new Cancellation(),
    answers,
    asks: {},
    logLevel,
    direct: false,
  }
}

/** What a request asks for, apart from the answers it brings along. */
function resumed({ method, params: all = NOTHING }: Request, link: Link, { seal }: Opening): Resumed {
  if (all.inputResponses === undefined && all.requestState === undefined) return { params: all, answers: NOTHING }
  const { inputResponses, requestState, ...params } = all
  const sealed = seal.open(requestState, { method, params, principal: link.principal?.name })
  return { params, answers: { ...sealed, ...answersIn(inputResponses) } }
}

function fromEnvelope(
  meta: Params,
  { principal }: Link,
  newest: string | undefined,
): { caller: Caller; logLevel: LogLevel | undefined } {
  const { version, capabilities } = readEnvelope(meta)
  const revision = statelessRevision(version, newest)
  const level = meta[META.logLevel]
  const logLevel = level === undefined ? undefined : asLogLevel(level, `params._meta["${META.logLevel}"]`)
  return { caller: { revision, client: asImplementation(meta[META.clientInfo]), capabilities, principal }, logLevel }
}

/** What a request says of itself, if it says it in the right shape. */
export function readEnvelope(meta: Params): { version: string; capabilities: Params } {
  const version = meta[META.protocolVersion]
  const capabilities = meta[META.clientCapabilities]
  if (typeof version !== 'string') throw badEnvelope(META.protocolVersion, 'a string')
  if (!isObject(capabilities)) throw badEnvelope(META.clientCapabilities, 'an object')
  return { version, capabilities }
}

/** The revision a request names, if it is one that needs no handshake. */
export function statelessRevision(version: string, newest?: string): Revision {
  const revision = find(version)
  if (revision?.era !== 'stateless') throw unsupported(version, revision, newest)
  return revision
}

function fromSession(request: Request, link: Link, opening: Opening): Caller {
  const { session, strict } = link
  const { method } = request
  if (session) {
    if (session.state === 'new' && isStatelessOnly(method)) throw badEnvelope(META.protocolVersion, 'a string')
    admit(session, method, strict)
  }
  if (method === 'initialize') return greeted(namedParams(request.params ?? NOTHING), link, opening.newest)
  const { principal } = link
  const caller = session?.caller
  if (!caller) return { revision: handshakeless, client: undefined, capabilities: NOTHING, principal }
  // The name is the session's, but each request brings a token of its own.
  return caller.principal === principal ? caller : { ...caller, principal }
}

function greeted(params: Params, { principal }: Link, newest: string | undefined): Caller {
  const { protocolVersion, capabilities, clientInfo } = params
  if (protocolVersion !== undefined && typeof protocolVersion !== 'string') {
    throw fault('invalid-params', 'Invalid params: protocolVersion must be a string')
  }
  if (capabilities !== undefined && !isObject(capabilities)) {
    throw fault('invalid-params', 'Invalid params: capabilities must be an object')
  }
  const revision = negotiate(protocolVersion, newest)
  return { revision, client: asImplementation(clientInfo), capabilities: capabilities ?? NOTHING, principal }
}

function namedParams(params: Params): Params {
  if (Array.isArray(params)) throw fault('invalid-params', 'Invalid params: "params" must be an object, not an array')
  return params
}

function answersIn(inputResponses: unknown): Params {
  if (inputResponses === undefined) return NOTHING
  const bad = (what: string): Error => fault('invalid-params', `Invalid params: ${what} must be an object`)
  if (!isObject(inputResponses)) throw bad('inputResponses')
  for (const [key, answer] of Object.entries(inputResponses)) {
    if (!isObject(answer)) throw bad(`inputResponses[${JSON.stringify(key)}]`)
  }
  return inputResponses
}

/** What a handler sees of `_meta`: everything but the protocol's own envelope. */
function handlerMeta(envelope: Params): Params {
  const meta: Params = Object.create(null)
  for (const key in envelope) if (!ENVELOPE.has(key)) meta[key] = envelope[key]
  return meta
}

const isDirectCall = (method: string, link: Link, opening: Opening): boolean =>
  link.direct && !isProtocolMethod(method) && opening.isTool(method)
const isProtocolMethod = (method: string): boolean => revisions.some(r => r.methods.has(method))
const isStatelessOnly = (method: string): boolean =>
  revisions.every(r => (r.era === 'stateless') === r.methods.has(method))

const unknownMethod = (method: string): Error => fault('method-not-found', `Method not found: ${method.slice(0, 200)}`)

const badEnvelope = (key: string, what: string): Error =>
  fault('invalid-params', `Invalid params: params._meta["${key}"] must be ${what}`, { missing: key })

function unsupported(requested: string, known: Revision | undefined, newest: string | undefined): Error {
  // A stateful date in an envelope must not be offered again, or a client would retry for ever.
  const supported = offered(newest)
    .filter(r => !known || r.era === 'stateless')
    .map(r => r.version)
  return fault('unsupported-version', 'Unsupported protocol version', { supported, requested })
}
