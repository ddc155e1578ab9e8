import type { Awaitable, Link, Session } from '../../call.ts'
import { Calls } from '../../jsonrpc/calls.ts'
import { close, newSession, rejectQuestions } from '../../protocol/session.ts'
import type { Params } from '../../jsonrpc/message.ts'
import { serialize, serveMessage } from '../serve/serve-message.ts'
import { serveValue } from '../serve/serve-value.ts'
import { formatEvent } from './event-stream.ts'
import { Refusal, parsed } from '../http/exchange.ts'
import type { Events, Exchange } from '../http/exchange.ts'
import { accepts, isJson } from '../http/origin-check.ts'
import { newSessionId } from '../sessions/session.ts'
import { PrincipalCounts } from '../sessions/principal-counts.ts'
import { joined, serveBatch } from '../serve/serve-batch.ts'
import { batchOptions, lackedRights } from './refused-batch.ts'
import { rightsStatus } from './streamable-http.ts'
import type { HttpShared } from './http-shared.ts'

// Between processes messages wait in Redis's buffers, which are not large.
const MOST_FORWARDED = 1024 * 1024

interface Opened {
  readonly link: Link & { readonly session: Session }
  readonly events: Events
}

/** The request that a message came with, which is accepted once the message may be served. */
interface Posted {
  readonly exchange: Exchange
  readonly accept: () => void
}

/** The two-endpoint transport of the first revision: a stream of everything, and a place to post. */
export class HttpSse {
  readonly #shared: HttpShared
  readonly #most: number
  readonly #mostOfOne: number
  readonly #counts = new PrincipalCounts()
  readonly #open = new Map<string, Opened>()

  constructor(shared: HttpShared, most: number, mostOfOne: number) {
    this.#shared = shared
    this.#most = most
    this.#mostOfOne = mostOfOne
    shared.sessions.processes.on('post', body => this.#onForwarded(body))
  }

  /** GET: opens the session, and says where to post. */
  listen(exchange: Exchange): void {
    if (!accepts(exchange.header('accept'), 'text/event-stream')) {
      throw new Refusal(406, 'Not Acceptable: Accept must allow text/event-stream')
    }
    const owner = { principal: exchange.principal?.name, address: exchange.address }
    if (this.#open.size >= this.#most || this.#counts.of(owner) >= this.#mostOfOne)
      throw new Refusal(503, 'Too many sessions. Try again later.', -32004)
    const events = this.#shared.keepAlive.add(exchange.openEvents())
    const link = this.#link(exchange, events)
    const { id } = link.session
    this.#open.set(id, { link, events })
    this.#counts.add(owner)
    events.onClose(() => {
      this.#open.delete(id)
      this.#counts.remove(owner)
      link.calls.cancelAll('The client closed its stream')
      close(link.session)
    })
    events.write(formatEvent(`${this.#shared.prefix}/messages?sessionId=${id}`, { event: 'endpoint' }))
  }

  /** POST: takes a message; its answer goes to the stream. */
  async post(exchange: Exchange): Promise<void> {
    if (exchange.method !== 'POST') throw new Refusal(405, 'Method not allowed', -32000, { Allow: 'POST' })
    const id = exchange.query('sessionId')
    if (id === undefined) throw new Refusal(400, 'Bad Request: the query must name a sessionId')
    const opened = this.#find(id, exchange.principal?.name)
    const processId = opened ? undefined : this.#processIdOf(id)
    if (!opened && processId === undefined) throw notFound()
    if (!isJson(exchange.header('content-type'))) throw new Refusal(415, 'Content-Type must be application/json')
    const text = await exchange.readBody(this.#shared.maxBody)
    const value = parsed(text)
    const { name: principal, scopes } = exchange.principal ?? {}
    if (processId !== undefined) await this.#forward(processId, { id, principal, scopes, text })
    await this.#take(opened, value, exchange)
  }

  /** No client can answer any more: calls that wait for an answer go on without it. */
  rejectQuestions(): void {
    for (const { link } of this.#open.values()) rejectQuestions(link.session)
  }

  async #take(opened: Opened | undefined, value: unknown, exchange: Exchange): Promise<void> {
    const accept = (): void => exchange.reply(202, 'Accepted', { 'Content-Type': 'text/plain' })
    if (!opened || !this.#shared.decidesScopes) accept()
    if (opened) await this.#answer(opened, value, { exchange, accept })
  }

  #find(id: string, principal: unknown): Opened | undefined {
    const opened = this.#open.get(id)
    return opened?.link.principal?.name === principal ? opened : undefined
  }

  /** The answer goes to the stream; a call that lacks scopes is refused where it was posted, too. */
  async #answer({ link, events }: Opened, value: unknown, posted?: Posted): Promise<void> {
    const own = posted ? { ...link, principal: posted.exchange.principal, begin: posted.accept } : link
    const text = await (posted ? this.#judge(value, own, posted) : this.#serve(value, own))
    if (text !== undefined) events.write(formatEvent(text, { event: 'message' }))
  }

  #serve(value: unknown, link: Link): Awaitable<string | undefined> {
    return serveValue(this.#shared.server, value, link, this.#shared.budget)
  }

  async #judge(value: unknown, link: Link, { exchange, accept }: Posted): Promise<string | undefined> {
    const { server } = this.#shared
    if (Array.isArray(value)) return this.#judgeBatch(value, link, { exchange, accept })
    const response = await serveMessage(server, value, link)
    const text = response && serialize(response, server)
    if (response && rightsStatus(response, exchange, this.#shared) === 403) exchange.reply(403, text)
    accept()
    return text
  }

  async #judgeBatch(values: unknown[], link: Link, { exchange, accept }: Posted): Promise<string | undefined> {
    const options = batchOptions(exchange, this.#shared, accept)
    if (!options.onAllowed) accept()
    try {
      return joined(await serveBatch(this.#shared.server, values, link, options))
    } catch (error) {
      const text = lackedRights(error, exchange, this.#shared)
      exchange.reply(403, text)
      return text
    }
  }

  /** The other process that has the stream, by the id of the session. */
  #processIdOf(id: string): string | undefined {
    const { processId: own } = this.#shared.store
    const [, processId] = /^([\da-z]+)\.[\w-]{32}$/.exec(id) ?? []
    return own === '' || processId === own ? undefined : processId
  }

  async #forward(processId: string, body: Params): Promise<void> {
    if (String(body.text).length > MOST_FORWARDED) {
      throw new Refusal(413, `A message to a stream of another process may have ${MOST_FORWARDED} characters at most`)
    }
    const taken = await this.#shared.sessions.processes.request(processId, 'post', body).catch(() => {
      throw new Refusal(503, 'The process with the stream cannot be reached. Try again later.', -32004, {
        'Retry-After': '1',
      })
    })
    if (taken?.found !== true) throw notFound()
  }

  #onForwarded({ id, principal, scopes, text }: Params): Params {
    const opened = this.#find(String(id), principal)
    if (!opened) return { found: false }
    const { link } = opened
    // The token that the message was posted with decides, not the one that the stream was opened with.
    const rights = { scopes: Array.isArray(scopes) ? scopes.map(String) : [] }
    const own = { ...link, principal: link.principal && { ...link.principal, ...rights } }
    void this.#answer({ ...opened, link: own }, parsed(String(text))).catch((error: unknown) => {
      this.#shared.server.log('error', 'a forwarded message failed', { error })
    })
    return { found: true }
  }

  #link({ principal, address }: Exchange, events: Events): Opened['link'] {
    const send: Link['send'] = message => events.write(formatEvent(JSON.stringify(message), { event: 'message' }))
    const { processId } = this.#shared.store
    const session = newSession(processId === '' ? this.#shared.sessions.newId() : newSessionId(processId), send)
    const { ending: signal, strict } = this.#shared
    return {
      transport: 'sse',
      session,
      principal,
      address,
      calls: new Calls(),
      strict,
      direct: false,
      signal,
      send,
    }
  }
}

const notFound = (): Refusal => new Refusal(404, 'Session not found. Open a stream with GET /sse.', -32001)
