import type { Link, Session } from '../call.ts'
import { Calls } from '../jsonrpc/calls.ts'
import { close, newSession, rejectQuestions } from '../protocol/session.ts'
import { answerValue } from './answer.ts'
import { formatEvent } from './event-stream.ts'
import { Refusal, parsed } from './exchange.ts'
import type { Events, Exchange } from './exchange.ts'
import { accepts, isJson } from './guard.ts'
import { OwnerCounts } from './owner-counts.ts'
import type { HttpShared } from './streamable-http.ts'

interface Opened {
  readonly link: Link & { readonly session: Session }
  readonly events: Events
}

/** The two-endpoint transport of the first revision: a stream of everything, and a place to post. */
export class HttpSse {
  readonly #shared: HttpShared
  readonly #most: number
  readonly #mostOfOne: number
  readonly #counts = new OwnerCounts()
  readonly #open = new Map<string, Opened>()

  constructor(shared: HttpShared, most: number, mostOfOne: number) {
    this.#shared = shared
    this.#most = most
    this.#mostOfOne = mostOfOne
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
    const opened = this.#open.get(id)
    if (!opened || opened.link.principal?.name !== exchange.principal?.name) {
      throw new Refusal(404, 'Session not found. Open a stream with GET /sse.', -32001)
    }
    if (!isJson(exchange.header('content-type'))) throw new Refusal(415, 'Content-Type must be application/json')
    const value = parsed(await exchange.readBody(this.#shared.maxBody))
    exchange.reply(202, 'Accepted', { 'Content-Type': 'text/plain' })
    const answer = await answerValue(this.#shared.server, value, opened.link, this.#shared.budget)
    if (answer !== undefined) opened.events.write(formatEvent(answer, { event: 'message' }))
  }

  /** No client can answer any more: calls that wait for an answer go on without it. */
  rejectQuestions(): void {
    for (const { link } of this.#open.values()) rejectQuestions(link.session)
  }

  #link({ principal, address }: Exchange, events: Events): Opened['link'] {
    const send: Link['send'] = message => events.write(formatEvent(JSON.stringify(message), { event: 'message' }))
    const session = newSession(this.#shared.sessions.newId(), send)
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
