import type { Call, Caller, Link, Method, Revision } from '../call.ts'
import { Cancellation } from '../jsonrpc/cancellation.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut, isObject } from '../jsonrpc/message.ts'
import type { Notification, Params, Request } from '../jsonrpc/message.ts'
import { badEnvelope, isEnvelope, readEnvelope, withoutEnvelope } from './envelope.ts'
import { checkMirrors, checkVersionHeader } from './headers.ts'
import { META } from './keys.ts'
import { nextRound } from './live-asks.ts'
import { asImplementation, briefImplementation } from './client-values.ts'
import type { Seal } from './request-state.ts'
import { handshakeless, isSessionVersion, negotiate, revisions } from './revisions.ts'
import { admit } from './session.ts'

/** What opening a call needs to know of the server. */
export interface CallEnvironment {
  readonly seal: Seal
  /** The newest revision offered in a handshake. */
  readonly newest: string | undefined
  /** Are log messages offered to clients? */
  readonly logging: boolean
  /** Every method there is, of the protocol and of extensions. */
  readonly methods: ReadonlyMap<string, Method>
  readonly extensions: ExtensionMethods
}

/** The methods that are not the revision's own. */
export interface ExtensionMethods {
  /** One that this caller may call. */
  find(method: string, caller: Caller): Method | undefined
  /** Can clients of a revision declare the extension? */
  isFor(extension: string, revision: Revision): boolean
}

const NOTHING: Readonly<Record<string, never>> = Object.freeze({})

/** Request → Call: find out who speaks which revision, and that the method belongs to it. */
export function openCall(request: Request, link: Link, environment: CallEnvironment): Call {
  const params: Params = request.params ?? NOTHING
  const meta = isObject(params._meta) ? params._meta : NOTHING
  if (link.headers?.required || isEnvelope(meta)) return fromEnvelope(request, meta, link, environment)
  const caller = fromSession(request, link, environment)
  const descriptor = namedMethod(request.method, caller, link, environment)
  const named = descriptor.name
  const direct = named !== request.method
  return {
    id: request.id,
    method: named,
    descriptor,
    params: direct ? { name: request.method, arguments: namedParams(params) } : namedParams(params),
    meta,
    caller,
    link,
    cancellation: new Cancellation(),
    answers: NOTHING,
    carried: undefined,
    logLevel: environment.logging ? link.session?.logLevel : undefined,
    direct,
  }
}

/** A request that describes itself: nothing is inferred from the connection. */
function fromEnvelope(request: Request, envelope: Params, link: Link, environment: CallEnvironment): Call {
  const { method, id } = request
  const known = environment.methods.get(method)
  const { caller: sent, logLevel } = sender(request, envelope, link, environment)
  const caller = connected(sent, link)
  if (link.headers) checkMirrors(link.headers, request, known?.mirror)
  const isOwn = caller.revision.methods.has(method)
  const descriptor =
    (isOwn ? known : undefined) ??
    environment.extensions.find(method, caller) ??
    undeclared(method, known, caller, environment)
  if (link.session?.state === 'shutting-down') throw fault('shutting-down', 'The server is shutting down')
  const { params, answers, carried } = resumed(request, link, environment)
  return {
    id,
    method,
    descriptor,
    params,
    meta: withoutEnvelope(envelope),
    caller,
    link,
    cancellation: new Cancellation(),
    answers,
    carried,
    logLevel: environment.logging ? logLevel : undefined,
    direct: false,
  }
}

/** Who sends it; where headers came with it, they must name the same version. */
function sender(
  { method }: Request,
  envelope: Params,
  { headers, principal }: Link,
  { newest }: CallEnvironment,
): ReturnType<typeof readEnvelope> {
  if (!headers) return readEnvelope(envelope, principal, newest)
  if (method === 'initialize' && !isEnvelope(envelope)) {
    throw fault('header-mismatch', 'Header mismatch: initialize belongs to revisions that the header does not name')
  }
  // A version that contradicts the header is refused as such, even where it is none of ours.
  const version = envelope[META.protocolVersion]
  const said = headers.get('mcp-protocol-version')
  if (typeof version === 'string') checkVersionHeader(said, version, false)
  const found = readEnvelope(envelope, principal, newest)
  checkVersionHeader(said, found.caller.revision.version, headers.required)
  return found
}

type Resumed = Pick<Call, 'params' | 'answers' | 'carried'>

/** What a request asks for, apart from the answers and the state it brings along. */
function resumed({ method, params: all = NOTHING }: Request, link: Link, { seal }: CallEnvironment): Resumed {
  if (all.inputResponses === undefined && all.requestState === undefined) {
    return { params: all, answers: NOTHING, carried: undefined }
  }
  const { inputResponses, requestState, ...params } = all
  const { answers, carried } = seal.open(requestState, { method, params, principal: link.principal?.name })
  return { params, ...nextRound({ answers }, answersIn(inputResponses), carried) }
}

function fromSession(request: Request, link: Link, { newest }: CallEnvironment): Caller {
  const { session, strict } = link
  const { method } = request
  if (session) {
    if (session.state === 'new' && isStatelessOnly(method)) throw badEnvelope(META.protocolVersion, 'a string')
    admit(session, method, strict)
  }
  if (method === 'initialize') {
    return connected(callerFromInitialize(namedParams(request.params ?? NOTHING), link, newest), link)
  }
  const { principal, view } = link
  const caller = session?.caller
  if (!caller) return connected({ revision: handshakeless, client: undefined, capabilities: NOTHING, principal }, link)
  // The names are the session's, but each request brings a token of its own, and a view may have changed.
  return caller.principal === principal && caller.view === view ? caller : { ...caller, principal, view }
}

// What a client says of itself is kept for as long as its session, in memory that processes may share.
const MOST_CAPABILITIES = 16 * 1024

/** What a caller can use depends on the connection, too. */
const connected = (caller: Caller, { streams, view }: Link): Caller =>
  streams || view ? { ...caller, ...(streams && { streams }), ...(view && { view }) } : caller

function callerFromInitialize(params: Params, { principal }: Link, newest: string | undefined): Caller {
  const { protocolVersion, capabilities, clientInfo } = params
  if (protocolVersion !== undefined && typeof protocolVersion !== 'string') {
    throw fault('invalid-params', 'Invalid params: protocolVersion must be a string')
  }
  if (capabilities !== undefined && !isObject(capabilities)) {
    throw fault('invalid-params', 'Invalid params: capabilities must be an object')
  }
  if (capabilities && JSON.stringify(capabilities).length > MOST_CAPABILITIES) {
    throw fault('invalid-params', `Invalid params: capabilities may have ${MOST_CAPABILITIES} characters at most`)
  }
  const revision = negotiate(protocolVersion, newest)
  const client = briefImplementation(asImplementation(clientInfo))
  return { revision, client, capabilities: capabilities ?? NOTHING, principal }
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
    if (!isObject(answer)) throw bad(`inputResponses[${JSON.stringify(cut(key, 100))}]`)
  }
  return inputResponses
}

/** A method of the revision or of an extension; where tools can be called directly, any other name is one of a tool, or so it will turn out. */
function namedMethod(method: string, caller: Caller, link: Link, { methods, extensions }: CallEnvironment): Method {
  const known = caller.revision.methods.has(method) ? methods.get(method) : undefined
  const found = known ?? extensions.find(method, caller)
  if (found) return found
  const isTool = link.direct && !isProtocolMethod(method)
  return (isTool ? methods.get('tools/call') : undefined) ?? unknown(method)
}

/** A method of an extension that the request does not declare: it says what is missing. */
function undeclared(method: string, known: Method | undefined, { revision }: Caller, env: CallEnvironment): Method {
  const id = known?.extension
  if (id === undefined || !env.extensions.isFor(id, revision)) return unknown(method)
  const why = `${cut(method, 200)} belongs to the extension ${id}, which this request does not declare`
  const missing = fault('missing-capability', why, { requiredCapabilities: { extensions: { [id]: {} } } })
  const refuse = (): never => {
    throw missing
  }
  return { name: method, run: refuse }
}

/** Who sends a notification: as its envelope says, or the client of the session; undefined where neither does. */
export function notifierOf({ params = NOTHING }: Notification, link: Link): Caller | undefined {
  const meta = isObject(params) && isObject(params._meta) ? params._meta : NOTHING
  if (!isEnvelope(meta)) return link.session?.caller
  try {
    return connected(readEnvelope(meta, link.principal, undefined).caller, link)
  } catch {
    return undefined
  }
}

const isProtocolMethod = (method: string): boolean => revisions.some(r => r.methods.has(method))
const isStatelessOnly = (method: string): boolean =>
  revisions.every(r => isSessionVersion(r.version) !== r.methods.has(method))

function unknown(method: string): never {
  throw fault('method-not-found', `Method not found: ${cut(method, 200)}`)
}
