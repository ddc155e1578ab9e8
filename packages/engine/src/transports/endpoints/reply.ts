import type { Id, Message } from '../../jsonrpc/message.ts'
import { formatEvent } from './event-stream.ts'
import type { KeepAlive } from './event-stream.ts'
import type { Events, Exchange } from '../http/exchange.ts'
import type { HttpSession } from '../sessions/session.ts'
import type { ResumableStream } from '../sessions/resumable-stream.ts'

/** An answer that stands alone: JSON if it comes first, an event stream if something precedes it. */
export class StatelessReply {
  readonly #exchange: Exchange
  readonly #keepAlive: KeepAlive
  #events: Events | undefined

  constructor(exchange: Exchange, keepAlive: KeepAlive) {
    this.#exchange = exchange
    this.#keepAlive = keepAlive
  }

  send(message: Message): void {
    this.#events ??= this.#keepAlive.add(this.#exchange.openEvents())
    this.#events.write(formatEvent(JSON.stringify(message), { event: 'message' }))
  }

  /** The rest could not be fetched. */
  detach(): void {}

  finish(text: string | undefined, status: number): void {
    if (!this.#events) return this.#exchange.reply(status, text)
    if (text !== undefined) this.#events.write(formatEvent(text, { event: 'message' }))
    this.#events.end()
  }
}

/** An answer in a session: as above, but an event stream can be resumed after its connection is gone. */
export class StatefulReply {
  readonly #exchange: Exchange
  readonly #session: HttpSession
  readonly #keepAlive: KeepAlive
  readonly #owed: readonly Id[] | undefined
  #stream: ResumableStream | undefined

  /** `owed` are the ids of the requests of a batch. */
  constructor(exchange: Exchange, session: HttpSession, keepAlive: KeepAlive, owed?: readonly Id[]) {
    this.#exchange = exchange
    this.#session = session
    this.#keepAlive = keepAlive
    this.#owed = owed
  }

  send(message: Message): void {
    this.#open().push(JSON.stringify(message))
  }

  /** Let the connection go; the client fetches the rest. */
  detach(): void {
    if (this.#session.session.caller?.revision.traits.primed) this.#open().disconnect()
  }

  /** The end: an event if a stream is open, else JSON. */
  finish(text: string | undefined, status = 200): void {
    if (this.#stream) this.#stream.finish(text === undefined ? [] : [text])
    else this.#exchange.reply(text === undefined ? 202 : status, text)
  }

  /** The end of a batch: each answer an event, or all as one JSON text. */
  finishBatch(texts: readonly string[]): void {
    if (this.#stream) this.#stream.finish(texts)
    else this.finish(texts.length === 0 ? undefined : `[${texts.join(',')}]`)
  }

  #open(): ResumableStream {
    if (this.#stream) return this.#stream
    const { answering } = this.#exchange
    this.#stream = this.#session.openStream(
      this.#owed ?? (answering === undefined || answering === null ? [] : [answering]),
    )
    // A new stream has nothing to replay, so this is done at once whatever the store.
    this.#stream.attach(this.#keepAlive.add(this.#exchange.openEvents({ 'Mcp-Session-Id': this.#session.id })))
    if (this.#session.session.caller?.revision.traits.primed) this.#stream.prime()
    return this.#stream
  }
}
