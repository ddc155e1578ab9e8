import { isObject } from '../jsonrpc/message.ts'
import type { Params } from '../jsonrpc/message.ts'
import type { Connection } from './connection.ts'
import type { InFlightRequest } from './in-flight-request.ts'
import { unref } from './timers.ts'

const AGAIN_MS = 1000
const MOST_AGAIN_MS = 60_000

/** Which changes of a server are to be heard of, in whichever way its revision has for that. */
export class Subscriptions {
  readonly #connection: Connection
  readonly #uris = new Set<string>()
  #lists = false
  #listening: InFlightRequest | undefined
  #again: NodeJS.Timeout | undefined
  #failures = 0

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Resources whose changes are heard of. */
  get uris(): ReadonlySet<string> {
    return this.#uris
  }

  /** Is a request open that does nothing but listen? */
  get isListening(): boolean {
    return this.#listening !== undefined
  }

  /** Hear when lists change; servers of the stateful era tell without being asked. */
  followLists(): void {
    if (this.#lists) return
    this.#lists = true
    this.#relisten()
  }

  async subscribe(uri: string): Promise<void> {
    if (this.#uris.has(uri)) return
    this.#uris.add(uri)
    if (this.#isStateless) return this.#relisten()
    await this.#ask('resources/subscribe', uri).catch((error: unknown) => {
      this.#uris.delete(uri)
      throw error
    })
  }

  async unsubscribe(uri: string): Promise<void> {
    if (!this.#uris.delete(uri)) return
    if (this.#isStateless) return this.#relisten()
    await this.#ask('resources/unsubscribe', uri)
  }

  /** Say everything again, to a server that forgot. */
  renew(): void {
    if (this.#isStateless) return this.#relisten()
    for (const uri of this.#uris) this.#ask('resources/subscribe', uri).catch(() => {})
  }

  stop(): void {
    clearTimeout(this.#again)
    this.#lists = false
    this.#uris.clear()
    const listening = this.#listening
    this.#listening = undefined
    listening?.cancel(new Error('Nobody listens any more'))
  }

  get #isStateless(): boolean {
    return !this.#connection.revision.traits.handshake
  }

  #ask(method: string, uri: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#connection.start({ method, params: { uri } }, { onResult: () => resolve(), onError: reject })
    })
  }

  /** The new one is open before the old one is given up, so that nothing is missed. */
  #relisten(): void {
    if (!this.#isStateless) return
    clearTimeout(this.#again)
    const old = this.#listening
    const notifications = this.#wanted()
    this.#listening = Object.keys(notifications).length > 0 ? this.#listen(notifications) : undefined
    old?.cancel(new Error('Listening for something else'))
  }

  #listen(notifications: Params): InFlightRequest {
    const over = (): void => {
      if (this.#listening !== flight || this.#connection.closed) return
      this.#listening = undefined
      const wait = Math.min(AGAIN_MS * 2 ** Math.min(this.#failures++, 6), MOST_AGAIN_MS)
      this.#again = unref(setTimeout(() => this.#relisten(), wait))
    }
    const outgoing = { method: 'subscriptions/listen', params: { notifications }, timeoutMs: 0 }
    const flight: InFlightRequest = this.#connection.start(outgoing, { onResult: over, onError: over })
    return flight
  }

  #wanted(): Params {
    const { tools, prompts, resources } = this.#connection.capabilities
    const tells = (capability: unknown, what: string): boolean => isObject(capability) && capability[what] === true
    return {
      ...(this.#lists && tells(tools, 'listChanged') && { toolsListChanged: true }),
      ...(this.#lists && tells(prompts, 'listChanged') && { promptsListChanged: true }),
      ...(this.#lists && tells(resources, 'listChanged') && { resourcesListChanged: true }),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    }
  }
}
