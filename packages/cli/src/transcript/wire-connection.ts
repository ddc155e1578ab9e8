import type { Id, Message, Params } from '@causeway/engine'
import type { ClientTransport, Target } from '@causeway/engine/client'
import { isObject, mirrorsFor } from '@causeway/engine/internal'

/** Gets what comes from a server. */
export interface WireListener {
  onMessage(message: Message): void
  /** A request that will not be answered. */
  onLost(id: Id, why: Error): void
  onClose(why: Error): void
}

/** Messages as they are, over any transport: nothing is added, left out or understood but what the transport needs. */
export class WireConnection {
  readonly #transport: ClientTransport
  readonly #listener: WireListener
  readonly #open = new Map<Id, string>()

  constructor(target: Target, listener: WireListener) {
    this.#transport = target.open()
    this.#listener = listener
    this.#transport.listener = {
      onMessage: message => listener.onMessage(message),
      onClose: why => listener.onClose(why),
    }
  }

  open(): Promise<void> {
    return this.#transport.open()
  }

  send(message: Message): void {
    const { method, id, params = {} } = message as { method?: string; id?: Id; params?: Params }
    if (method === undefined || id === undefined) return this.#notify(message, method, params)
    this.#open.set(id, method)
    const { mirrors, version } = mirrorsFor(method, params)
    if (version !== undefined) this.#transport.useVersion?.(version)
    const sink = {
      onMessage: (one: Message) => this.#listener.onMessage(one),
      onResponse: (response: Message) => this.#onResponse(id, response),
      onLost: (why: Error) => {
        this.#open.delete(id)
        this.#listener.onLost(id, why)
      },
    }
    this.#transport.request({ jsonrpc: '2.0', id, method, params }, sink, version === undefined ? undefined : mirrors)
  }

  /** Take nothing more from the server for now, or go on; false if there is no way to. */
  hold(isHeld: boolean): boolean {
    this.#transport.hold?.(isHeld)
    return this.#transport.hold !== undefined
  }

  close(): Promise<void> {
    return this.#transport.close()
  }

  #notify(message: Message, method: string | undefined, params: Params): void {
    const { requestId } = params
    const cancelled = method === 'notifications/cancelled' ? this.#open.get(requestId as Id) : undefined
    this.#transport.send(message)
    // Where a request has a stream of its own, leaving that cancels it.
    if (cancelled !== undefined && this.#transport.bound)
      this.#transport.cancel({ jsonrpc: '2.0', id: requestId as Id, method: cancelled })
    if (method === 'notifications/initialized') this.#transport.listen?.()
  }

  #onResponse(id: Id, response: Message): void {
    const method = this.#open.get(id)
    this.#open.delete(id)
    const { result } = response as { result?: unknown }
    if (method === 'initialize' && isObject(result) && typeof result.protocolVersion === 'string')
      this.#transport.useVersion?.(result.protocolVersion)
    this.#listener.onMessage(response)
  }
}
