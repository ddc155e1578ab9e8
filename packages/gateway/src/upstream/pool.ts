import { fault } from '@causeway/engine'
import type { Call, Params } from '@causeway/engine'
import type { ClientTransport, ConnectionOptions, Target } from '@causeway/engine/client'
import { askable, signatureOf } from './client-capabilities.ts'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import { Conversation } from './pooled-connection.ts'
import type { Habits } from './pooled-connection.ts'
import type { PoolListener } from './pool-listener.ts'
import { Backoff, unavailable } from './backoff.ts'

/** Whom the server is told it speaks to. */
export const CLIENT = { name: 'causeway-gateway', version: '0.1.0' } as const
const EVERYTHING: Params = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }
const SLOW_MS = 5000
const MOST_REMOTE = 1000
const WAIT_MS = 30_000

interface OpeningConnection {
  readonly since: number
  /** What it has opened so far, to be closed where nobody waits for it any more. */
  readonly transports: Set<ClientTransport>
  readonly promise: Promise<Conversation>
}

interface Wanted {
  readonly key: string
  readonly call: Call | undefined
  readonly transports: Set<ClientTransport>
}

/** A call that waits for room. */
interface Waiter extends Pick<Wanted, 'key' | 'call'> {
  go(conversation: Conversation): void
  fail(error: Error): void
}

/** Conversations with one server: shared where it keeps nothing of them, else one for each principal. */
export class Pool {
  readonly backoff: Backoff
  readonly #config: UpstreamConfig
  readonly #target: Target
  readonly #listener: PoolListener
  readonly #isShared: boolean
  readonly #habits: Habits = { asks: false }
  readonly #conversations = new Map<string, Conversation[]>()
  readonly #opening = new Map<string, OpeningConnection>()
  #waiting: Waiter[] = []
  #isServing = false
  /** Known once a conversation was had. */
  #stateless = false
  #closed = false

  constructor(config: UpstreamConfig, target: Target, listener: PoolListener) {
    this.#config = config
    this.#target = target
    this.#listener = listener
    this.#isShared = listener.sharing !== undefined
    this.backoff = new Backoff(config.name)
  }

  get size(): number {
    return [...this.#conversations.values()].reduce((sum, list) => sum + list.length, 0)
  }

  /** How many calls wait for room. */
  get waiting(): number {
    return this.#waiting.length
  }

  get isStarting(): boolean {
    return this.#opening.size > 0
  }

  /** Any conversation, for what concerns everybody. */
  get any(): Conversation | undefined {
    return this.#conversations.values().next().value?.[0]
  }

  /** A conversation with room for a call; at once where there is one. */
  acquire(call: Call | undefined): Conversation | Promise<Conversation> {
    // A session that other processes use is not the place to subscribe, or to listen for changes of lists.
    if (!call && !this.#isShared && this.any) return this.any
    const key = this.#keyOf(call)
    const free = this.#conversations.get(key)?.find(conversation => conversation.isFree)
    return free ?? this.#openOrWait(key, call)
  }

  /** A call has left; whoever waits for room gets it. */
  release(conversation: Conversation): void {
    conversation.usedAt = Date.now()
    if (this.#waiting.length === 0) return
    const own = this.#waiting.find(({ key }) => key === conversation.key)
    if (own && conversation.isFree && !conversation.connection.closed) own.go(conversation)
    else this.#serveWaiting()
  }

  /** End what nobody used for so long. */
  async stopIdle(idleMs: number, now: number = Date.now()): Promise<void> {
    const all = [...this.#conversations.values()].flat()
    const old = all.filter(one => one.isIdle && now - one.usedAt >= idleMs)
    const idle = old.filter(({ key }) => key !== '' || !this.#isShared || old.length === all.length)
    await Promise.all(idle.map(one => this.#end(one)))
  }

  /** End everything; the next call begins anew. */
  async restart(): Promise<void> {
    this.backoff.reset()
    await Promise.all([...this.#conversations.values()].flat().map(one => this.#end(one)))
  }

  async close(): Promise<void> {
    this.#closed = true
    const why = new Error('The gateway is shutting down')
    for (const { fail } of this.#waiting) fail(why)
    const opening = [...this.#opening.values()].map(async ({ promise, transports }) => {
      await Promise.all([...transports].map(transport => transport.close()))
      await promise.then(one => one.close()).catch(() => {})
    })
    await Promise.all([...opening, this.restart()])
  }

  get #isChild(): boolean {
    return this.#config.target.kind === 'stdio'
  }

  #keyOf(call: Call | undefined): string {
    if (!call || this.#stateless) return ''
    const principal = call.link.principal === undefined ? '' : `p:${call.link.principal.name}`
    // A server that keeps a session knows what its client can do; questions on a shared stream are sorted out here.
    return this.#config.target.kind === 'http' ? `${principal}|${signatureOf(call)}` : principal
  }

  #openOrWait(key: string, call: Call | undefined): Promise<Conversation> {
    const opening = this.#opening.get(key)
    if (opening) {
      const seconds = Math.round((Date.now() - opening.since) / 1000)
      if (Date.now() - opening.since < SLOW_MS) return opening.promise
      throw unavailable(this.#config.name, `it has been starting for ${seconds} s`, 1000)
    }
    if (this.#closed) throw new Error('The gateway is shutting down')
    this.backoff.check()
    if (!this.#hasRoom && !this.#makeRoom(key)) return this.#wait(key, call)
    return this.#begin(key, call)
  }

  #begin(key: string, call: Call | undefined): Promise<Conversation> {
    const transports = new Set<ClientTransport>()
    const promise = this.#open({ key, call, transports }).finally(() => {
      this.#opening.delete(key)
      this.#serveWaiting()
    })
    this.#opening.set(key, { since: Date.now(), promise, transports })
    return promise
  }

  /** Whoever waits is served as soon as there is room, wherever it came from. */
  #serveWaiting(): void {
    if (this.#isServing || this.#closed) return
    this.#isServing = true
    for (const { key, call, go, fail } of this.#waiting) {
      const free = this.#conversations.get(key)?.find(one => one.isFree && !one.connection.closed)
      if (free) go(free)
      else if (this.#opening.has(key)) continue
      else if (this.backoff.retryAfterMs > 0) fail(this.#unavailable())
      else if (this.#hasRoom || this.#makeRoom(key)) this.#begin(key, call).then(go, fail)
    }
    this.#isServing = false
  }

  /** Whoever was given it comes in this turn, or does not want it any more: then others may have it. */
  #promise(conversation: Conversation): void {
    conversation.isPromised = true
    setImmediate(() => {
      conversation.isPromised = false
      this.#serveWaiting()
    })
  }

  get #hasRoom(): boolean {
    return this.size + this.#opening.size < (this.#isChild ? this.#config.processes : MOST_REMOTE)
  }

  #unavailable(): Error {
    const { why, retryAfterMs } = this.backoff
    return unavailable(this.#config.name, why?.message ?? 'it failed', retryAfterMs)
  }

  /** The one not used for longest makes room, if it is another's. */
  #makeRoom(key: string): boolean {
    const idle = [...this.#conversations.values()].flat().filter(one => one.isIdle && one.key !== key)
    const [oldest] = idle.sort((a, b) => a.usedAt - b.usedAt)
    if (oldest) void this.#end(oldest)
    return oldest !== undefined
  }

  #wait(key: string, call: Call | undefined): Promise<Conversation> {
    const { name, limits } = this.#config
    const busy = (): Error =>
      fault('busy', `The server '${name}' is busy: all of its processes are in use.`, { retryAfterMs: 1000 })
    if (this.#waiting.length >= limits.inFlight) throw busy()
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(late)
        this.#waiting = this.#waiting.filter(other => other !== waiter)
      }
      const fail = (error: Error): void => (leave(), reject(error))
      const waiter: Waiter = { key, call, fail, go: one => (leave(), this.#promise(one), resolve(one)) }
      const late = setTimeout(() => fail(busy()), WAIT_MS).unref()
      this.#waiting.push(waiter)
      call?.cancellation.watch(fail)
    })
  }

  /** The way to the server, remembering what was opened on it. */
  #tracked(transports: Set<ClientTransport>): Target {
    const track = (open: () => ClientTransport) => (): ClientTransport => {
      if (this.#closed) throw new Error('The gateway is shutting down')
      const transport = open()
      transports.add(transport)
      return transport
    }
    const { fallback } = this.#target
    return { open: track(() => this.#target.open()), ...(fallback && { fallback: track(fallback) }) }
  }

  async #open({ key, call, transports }: Wanted): Promise<Conversation> {
    const { startTimeoutMs, timeoutMs, target, revision: version } = this.#config
    const capabilities = target.kind === 'http' && call ? askable(call) : EVERYTHING
    const listener: Pick<ConnectionOptions, 'onChange' | 'onClose' | 'onInvalid' | 'onListening'> = {
      onChange: change => conversation && this.#listener.changed(change, conversation),
      onClose: why => conversation && this.#onLost(conversation, why),
      onInvalid: what => this.#listener.onInvalid(what),
      onListening: () => conversation && this.#listener.onListening(conversation),
    }
    let conversation: Conversation | undefined
    try {
      const sessions = call && this.#listener.sharing?.(key)
      const options = { client: CLIENT, capabilities, version, startTimeoutMs, timeoutMs, sessions, ...listener }
      conversation = await Conversation.open({ key, habits: this.#habits }, this.#tracked(transports), options)
    } catch (error) {
      const why = this.#worded(error as Error)
      this.backoff.failed(why)
      throw unavailable(this.#config.name, why.message, this.backoff.retryAfterMs)
    }
    this.backoff.started()
    this.#stateless = !conversation.connection.revision.traits.handshake
    const kept = this.#keyOf(call)
    const known = this.#conversations.get(kept) ?? []
    this.#conversations.set(kept, [...known, conversation])
    this.#promise(conversation)
    this.#listener.opened(conversation)
    return conversation
  }

  #worded(error: Error): Error {
    const words = this.#listener.lastWords()
    return words === undefined ? error : new Error(`${error.message}. It wrote: ${words.slice(0, 200)}`)
  }

  /** It ended by itself. */
  #onLost(conversation: Conversation, cause: Error): void {
    const why = this.#worded(cause)
    this.#remove(conversation)
    this.backoff.failed(why)
    void conversation.close()
    this.#serveWaiting()
  }

  async #end(conversation: Conversation): Promise<void> {
    this.#remove(conversation)
    this.#serveWaiting()
    await conversation.close()
  }

  #remove(conversation: Conversation): void {
    for (const [key, list] of this.#conversations) {
      const left = list.filter(other => other !== conversation)
      if (left.length > 0) this.#conversations.set(key, left)
      else this.#conversations.delete(key)
    }
    this.#listener.ended(conversation)
  }
}
