import { after } from '../../awaitable.ts'
import type { Awaitable, Link } from '../../call.ts'
import { Calls } from '../../jsonrpc/calls.ts'
import { fault } from '../../jsonrpc/errors.ts'
import type { RpcError } from '../../jsonrpc/errors.ts'
import { Malformed, failure, isRequest, isResponse, toMessage } from '../../jsonrpc/message.ts'
import type { Message, Notification, Request, Response } from '../../jsonrpc/message.ts'
import { refuseBatch, refuseMember } from '../../protocol/batch.ts'
import { describesItself } from '../../protocol/envelope.ts'
import { isSessionVersion } from '../../protocol/revisions.ts'
import { requiredScopes } from '../../auth/scopes.ts'
import { inDialect, kindOf } from '../../errors/error-response.ts'
import { serialize } from '../serve/serve-message.ts'
import { serveBatch } from '../serve/serve-batch.ts'
import { Refusal, parsed } from '../http/exchange.ts'
import type { Exchange } from '../http/exchange.ts'
import { accepts, acceptsBoth, isJson } from '../http/origin-check.ts'
import { FEED_STREAM } from '../sessions/change-stream.ts'
import { StatefulReply, StatelessReply } from './reply.ts'
import type { HttpShared } from './http-shared.ts'
import { batchOptions, lackedRights } from './refused-batch.ts'
import type { HttpSession } from '../sessions/session.ts'
import { tooManySessions } from '../sessions/eviction.ts'
import type { HttpSessions } from '../sessions/sessions.ts'
import type { SessionOwner } from '../sessions/principal-counts.ts'
import type { Resumed } from '../sessions/resumable-stream.ts'

const SESSION = 'mcp-session-id'
const VERSION = 'mcp-protocol-version'

type Reply = StatefulReply | StatelessReply

/** Streamable HTTP, both eras on one path, told apart per message. */
export function streamableHttp(exchange: Exchange, shared: HttpShared): Awaitable<void> {
  switch (exchange.method) {
    case 'POST':
      return post(exchange, shared)
    case 'GET':
      return after(existing(exchange, shared), session => listenOn(session, exchange, shared))
    case 'DELETE':
      return after(existing(exchange, shared), session =>
        after(shared.sessions.remove(session, 'The client ended the session'), () => exchange.reply(200)),
      )
    default:
      throw new Refusal(405, 'Method not allowed', -32000, { Allow: 'GET, POST, DELETE' })
  }
}

function post(exchange: Exchange, shared: HttpShared): Promise<void> {
  if (!isJson(exchange.header('content-type'))) throw new Refusal(415, 'Content-Type must be application/json')
  if (!acceptsBoth(exchange.header('accept'))) {
    throw new Refusal(406, 'Not Acceptable: Accept must allow application/json and text/event-stream')
  }
  return exchange.readBody(shared.maxBody).then(body => receive(parsed(body), exchange, shared))
}

function receive(value: unknown, exchange: Exchange, shared: HttpShared): Awaitable<void> {
  if (Array.isArray(value)) return batch(value, exchange, shared)
  const message = toMessage(value)
  if (message instanceof Malformed) {
    exchange.answering = message.id
    return fail(exchange, shared, 400, message.error)
  }
  if (isRequest(message)) exchange.answering = message.id
  if (!describesItself(message, exchange.header(VERSION))) return stateful(message, exchange, shared)
  if (isResponse(message)) throw new Refusal(400, 'Invalid Request: this revision has no responses to send', -32600)
  return stateless(message, exchange, shared)
}

/** A request or notification that describes itself: checked against its headers, then served on its own. */
function stateless(request: Request | Notification, exchange: Exchange, shared: HttpShared): Awaitable<void> {
  const { server, keepAlive } = shared
  const reply = new StatelessReply(exchange, keepAlive)
  const link = linkOf(exchange, shared, reply)
  const response = server.handle(request, link)
  const finish = (answer: Response | undefined): void =>
    reply.finish(answer && serialize(answer, server), answer ? statusOf(answer, exchange, shared) : 202)
  if (!(response instanceof Promise)) return finish(response)
  exchange.onHangUp(() => link.calls.cancelAll('The client disconnected'))
  return response.then(finish)
}

/** Kinds of errors whose answer has a status of its own while nothing of it was sent. */
const STATUS: Readonly<Record<string, number>> = {
  'invalid-envelope': 400,
  'header-mismatch': 400,
  'missing-capability': 400,
  'unsupported-version': 400,
  'method-not-found': 404,
}

const statusOf = (response: Response, exchange: Exchange, shared: HttpShared): number =>
  'error' in response ? (STATUS[kindOf(response) ?? ''] ?? rightsStatus(response, exchange, shared)) : 200

/** A call that needs more rights is a 403 that says which, in every revision; other answers are none of its business. */
export function rightsStatus(response: Response, exchange: Exchange, { challenge }: HttpShared): number {
  if (!('error' in response) || kindOf(response) !== 'insufficient-scope') return 200
  exchange.setHeader('WWW-Authenticate', challenge(requiredScopes(response), exchange))
  return 403
}

/** A message of a session, or the one that opens it. */
function stateful(message: Message, exchange: Exchange, shared: HttpShared): Awaitable<void> {
  if (isRequest(message) && message.method === 'initialize') return initialize(message, exchange, shared)
  const session = existing(exchange, shared)
  // Written out, since nearly every request finds its session at hand.
  if (session instanceof Promise) return session.then(found => within(found, message, exchange, shared))
  return within(session, message, exchange, shared)
}

function within(session: HttpSession, message: Message, exchange: Exchange, shared: HttpShared): Awaitable<void> {
  const { server } = shared
  checkVersion(exchange)
  const elsewhere = shared.sessions.forward(session, message)
  if (elsewhere) return elsewhere.then(() => exchange.reply(202))
  const reply = new StatefulReply(exchange, session, shared.keepAlive)
  const link = linkOf(exchange, shared, reply, session)
  const finish = (response: Response | undefined): void =>
    reply.finish(response && serialize(response, server), response && rightsStatus(response, exchange, shared))
  return after(server.handle(message, link), response => {
    // What the request changed is known to the other processes before the client hears of it.
    return session.saved ? session.saved.then(() => finish(response)) : finish(response)
  })
}

async function initialize(request: Request, exchange: Exchange, shared: HttpShared): Promise<void> {
  const { server, sessions } = shared
  const known = exchange.header(SESSION)
  if (known !== undefined && (await sessions.find(known, ownerOf(exchange, shared)))) {
    return fail(exchange, shared, 400, fault('already-initialised', 'Already initialized'))
  }
  const session = await sessions.open(ownerOf(exchange, shared))
  if (!session) throw tooManySessions()
  const reply = new StatefulReply(exchange, session, shared.keepAlive)
  const response = await server.handle(request, linkOf(exchange, shared, reply, session))
  if (!response || 'error' in response) sessions.abandon(session)
  else await opened(session, exchange, sessions)
  reply.finish(response && serialize(response, server), response && rightsStatus(response, exchange, shared))
}

async function opened(session: HttpSession, exchange: Exchange, sessions: HttpSessions): Promise<void> {
  await session.saved
  if (!sessions.isStored(session)) {
    sessions.abandon(session)
    throw cannotOpen()
  }
  exchange.setHeader('Mcp-Session-Id', session.id)
  const revoked = (): void => void sessions.remove(session, 'The token was taken back')
  exchange.principal?.revoked?.addEventListener('abort', revoked, { once: true, signal: session.session.signal })
}

const cannotOpen = (): Refusal =>
  new Refusal(503, 'Sessions cannot be opened now. Try again later.', -32004, { 'Retry-After': '1' })

async function batch(values: unknown[], exchange: Exchange, shared: HttpShared): Promise<void> {
  const { server, keepAlive } = shared
  const isHandshake = exchange.header(SESSION) === undefined ? values.map(refuseMember).find(Boolean) : undefined
  const refused = refuseBatch(values, undefined, exchange.header(VERSION)) ?? isHandshake
  if (refused) throw new Refusal(400, refused.message, refused.code)
  const session = await existing(exchange, shared)
  checkVersion(exchange)
  const messages = values.flatMap(value => {
    const message = toMessage(value)
    return message instanceof Malformed ? [] : [message]
  })
  const forward = (): Promise<unknown> =>
    Promise.all(messages.map(async message => shared.sessions.forward(session, message)))
  const options = batchOptions(exchange, shared, forward)
  if (!options.onAllowed) await forward()
  const owed = messages.filter(isRequest).map(({ id }) => id)
  const reply = new StatefulReply(exchange, session, keepAlive, owed)
  try {
    const answers = await serveBatch(server, values, linkOf(exchange, shared, reply, session), options)
    if (typeof answers === 'string') return exchange.reply(400, answers)
    await session.saved
    reply.finishBatch(answers)
  } catch (error) {
    exchange.reply(403, lackedRights(error, exchange, shared))
  }
}

/** The stream for what belongs to no request, or the rest of one that was cut off. */
function listenOn(session: HttpSession, exchange: Exchange, { keepAlive, sessions }: HttpShared): Awaitable<void> {
  if (!accepts(exchange.header('accept'), 'text/event-stream')) {
    throw new Refusal(406, 'Not Acceptable: Accept must allow text/event-stream')
  }
  checkVersion(exchange)
  const open = (): ReturnType<Exchange['openEvents']> =>
    keepAlive.add(exchange.openEvents({ 'Mcp-Session-Id': session.id }))
  const last = exchange.header('last-event-id')
  const start = (): Awaitable<Resumed> =>
    last === undefined ? after(session.listen(open), () => 'resumed' as const) : session.resume(last, open)
  const isFeed = last === undefined || last.startsWith(FEED_STREAM)
  const announced = isFeed ? sessions.listeners.announce(session) : undefined
  const resumed = announced ? announced.then(start) : start()
  const asked = resumed instanceof Promise ? resumed.catch(unlessRefused) : resumed
  return after(asked, resumed => {
    const shown = last?.slice(0, 100)
    if (resumed === 'unknown') throw new Refusal(400, `Unknown Last-Event-ID '${shown}'`)
    if (resumed === 'gone') {
      throw new Refusal(410, `The events after '${shown}' are no longer kept. Send the request again.`)
    }
  })
}

/** Events that cannot be looked up now may be there later. */
function unlessRefused(error: unknown): never {
  if (error instanceof Refusal) throw error
  throw new Refusal(503, 'Events cannot be looked up. Try again later.', -32004, { 'Retry-After': '1' })
}

const ownerOf = ({ principal, address }: Exchange, { view }: HttpShared): SessionOwner => ({
  principal: principal?.name,
  address,
  view: view?.name,
})

function existing(exchange: Exchange, shared: HttpShared): Awaitable<HttpSession> {
  const id = exchange.header(SESSION)
  if (id === undefined) {
    if (exchange.method !== 'POST' && describesItself(undefined, exchange.header(VERSION))) {
      throw new Refusal(405, 'Method not allowed', -32000, { Allow: 'POST' })
    }
    throw new Refusal(400, 'Bad Request: the header Mcp-Session-Id is required. Begin with initialize.')
  }
  const session = shared.sessions.find(id, ownerOf(exchange, shared))
  return session instanceof Promise ? session.then(orNotFound) : orNotFound(session)
}

function orNotFound(session: HttpSession | undefined): HttpSession {
  if (!session) throw new Refusal(404, 'Session not found. Begin again with initialize.', -32001)
  return session
}

function checkVersion(exchange: Exchange): void {
  const version = exchange.header(VERSION)
  if (version !== undefined && !isSessionVersion(version)) {
    throw new Refusal(400, `Bad Request: unsupported protocol version '${version.slice(0, 100)}'`)
  }
}

/** The link of one exchange, alone or within a session; written out in one piece, since every request makes one. */
function linkOf(exchange: Exchange, shared: HttpShared, reply: Reply, within?: HttpSession): Link {
  const { principal, address } = exchange
  return {
    transport: 'http',
    session: within?.session,
    principal,
    address,
    view: shared.view,
    calls: within?.calls ?? new Calls(),
    strict: shared.strict,
    direct: false,
    // Outside of sessions every request is repeated in headers.
    headers: within ? undefined : { required: true, get: name => exchange.header(name) },
    traceparent: exchange.header('traceparent'),
    signal: shared.ending,
    send: message => reply.send(message),
    detach: () => reply.detach(),
  }
}

/** Answer with a JSON-RPC error under a status of its own. */
function fail(exchange: Exchange, { server }: HttpShared, status: number, error: RpcError): void {
  const { answering: request } = exchange
  server.log('debug', 'request failed', { request, kind: error.kind, problem: error.message })
  exchange.reply(status, JSON.stringify(failure(request, inDialect(error, server.dialect))))
}
