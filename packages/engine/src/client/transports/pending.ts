import { refusalOf } from '../../jsonrpc/json-shape.ts'
import { Malformed, isResponse, parseJson, toMessage } from '../../jsonrpc/message.ts'
import type { Id, Response } from '../../jsonrpc/message.ts'
import { ShortLivedMap } from '../../jsonrpc/short-lived-map.ts'
import type { RequestSink, TransportListener } from './transport.ts'

/** Requests on a stream that all of them share, until they are answered. */
export class Pending {
  readonly #sinks = new ShortLivedMap<Id, RequestSink>()
  /** Responses that came and could not be read: their requests are not known. */
  #untaken = 0

  get size(): number {
    return this.#sinks.size
  }

  add(id: Id, sink: RequestSink): void {
    this.#sinks.set(id, sink)
  }

  /** False if nothing waits under that id, since it was answered, lost or given up. */
  delete(id: Id): boolean {
    const waited = this.#sinks.delete(id)
    this.#settleUntaken()
    return waited
  }

  /** One text that came in: a message or a batch; anything else is noise. */
  takeText(text: string, listener: TransportListener): void {
    let value: unknown
    try {
      value = parseJson(text)
    } catch {
      const refusal = refusalOf(text)
      listener.onInvalid?.(refusal === undefined ? text : `a message that is not read: ${refusal}`)
      if (refusal !== undefined) this.untaken()
      return
    }
    this.take(value, listener)
  }

  /** One parsed value that came in: an answer finds its request, everything else goes to the listener. */
  take(value: unknown, listener: TransportListener): void {
    if (Array.isArray(value)) {
      for (const one of value) this.take(one, listener)
      return
    }
    const message = toMessage(value)
    if (message instanceof Malformed) listener.onInvalid?.(message.error.message)
    else if (isResponse(message)) this.#answer(message, listener)
    else listener.onMessage(message)
  }

  #answer(response: Response, listener: TransportListener): void {
    const id = response.id ?? this.#only(response)
    const sink = id === undefined ? undefined : this.#sinks.get(id)
    if (!sink || id === undefined) return listener.onInvalid?.('an answer to an unknown request')
    this.#sinks.delete(id)
    sink.onResponse(response)
    this.#settleUntaken()
  }

  /** An error without an id may be about any request; where there is only one, it is about that. */
  #only(response: Response): Id | undefined {
    const [only] = this.#sinks.keys()
    return 'error' in response && this.#sinks.size === 1 ? only : undefined
  }

  /** A message was too large or too costly, or no text: if it was an answer, the last one left is the one that it answered. */
  untaken(): void {
    this.#untaken += 1
    this.#settleUntaken()
  }

  #settleUntaken(): void {
    if (this.#untaken === 0 || this.#sinks.size > this.#untaken) return
    this.#untaken = 0
    this.lose(new Error('The answer was too large, had too many values, or was not text'), true)
  }

  /** No more responses will come. */
  lose(why: Error, sent: boolean): void {
    const sinks = [...this.#sinks.values()]
    this.#sinks.clear()
    for (const sink of sinks) sink.onLost(why, sent)
  }
}
