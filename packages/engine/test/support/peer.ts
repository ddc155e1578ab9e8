import { setImmediate } from 'node:timers/promises'
import type { Id, Params, Server } from '@causeway/engine'
import type { Carrier, CarrierConnection } from './carriers.ts'
import { judgeOf } from './official-schema.ts'

/** A message as it stands on the wire. */
export interface ReceivedMessage {
  readonly jsonrpc: '2.0'
  readonly id?: Id | null
  readonly method?: string
  readonly params?: Params
  readonly result?: Params
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Answers a question of the server's. */
export type Answering = (asked: { method: string; params: Params }) => unknown

/** How a conversation is begun. */
export interface PeerOptions {
  readonly capabilities?: Params
  readonly answer?: Answering
  /** `false`: nothing is said before the test says it. */
  readonly handshake?: boolean
  readonly lifecycle?: 'strict' | 'lenient'
  readonly direct?: boolean
}

/** The newest revision, which is the one without sessions. */
export const STATELESS = '2026-07-28'
/** The prefix of the protocol's own keys in `_meta`. */
export const P = 'io.modelcontextprotocol/'

/** Who every client of ours says it is. */
export const CLIENT = { name: 'tester', version: '9.9.9' }
const isRecord = (value: unknown): value is Params => typeof value === 'object' && value !== null

/** The client's end of one conversation; every message that comes is held against the official schema. */
export class Peer {
  readonly carrier: Carrier
  readonly version: string
  readonly stateless: boolean
  readonly received: ReceivedMessage[] = []
  /** How many messages came in each array, and 0 for each that came alone. */
  readonly batches: number[] = []
  /** What the official schema objects to. */
  readonly objections: string[] = []
  answer: Answering | undefined
  capabilities: Params
  readonly #connection: CarrierConnection
  /** What was asked under each id: the method, and the revision it was asked in. */
  readonly #asked = new Map<string, { method: string; version: string }>()
  readonly #waiting = new Set<() => void>()
  #initialized = false
  #last = 100

  constructor(carrier: Carrier, server: Server, version: string, options: PeerOptions = {}) {
    const { lifecycle = 'strict', direct = false } = options
    this.carrier = carrier
    this.version = version
    this.stateless = version === STATELESS
    this.answer = options.answer
    this.capabilities = options.capabilities ?? {}
    this.#connection = carrier.open(server, { lifecycle, direct, version, onText: text => this.#onText(text) })
  }

  /** Make the handshake, where the revision has one. */
  async initialize(): Promise<Params> {
    if (this.stateless) return {}
    const { version: protocolVersion, capabilities } = this
    const result = await this.result('initialize', { protocolVersion, capabilities, clientInfo: CLIENT })
    this.#initialized = true
    this.notify('notifications/initialized')
    await this.#connection.sent?.()
    return result
  }

  /** Any text at all. */
  send(message: unknown): void {
    const text = typeof message === 'string' ? message : JSON.stringify(message)
    this.#note(text)
    this.#connection.send(text)
  }

  notify(method: string, params?: Params): void {
    this.send({ jsonrpc: '2.0', method, ...(params && { params }) })
  }

  /** Send a request, in the revision's envelope, without waiting; the id it went under. */
  ask(method: string, params: Params = {}, id: Id = ++this.#last): Id {
    this.send({ jsonrpc: '2.0', id, method, params: this.envelope(params) })
    return id
  }

  /** The params as this revision's clients write them. */
  envelope(params: Params): Params {
    if (!this.stateless) return params
    const envelope = {
      [`${P}protocolVersion`]: this.version,
      [`${P}clientCapabilities`]: this.capabilities,
      [`${P}clientInfo`]: CLIENT,
    }
    return { ...params, _meta: { ...envelope, ...(isRecord(params._meta) && params._meta) } }
  }

  /** The answer to that id, whatever it is, once it is there. */
  answered(id: Id): Promise<ReceivedMessage> {
    return this.until(m => m.method === undefined && m.id === id)
  }

  request(method: string, params: Params = {}, id: Id = ++this.#last): Promise<ReceivedMessage> {
    return this.answered(this.ask(method, params, id))
  }

  /** The result of a request; questions that come back as the result are answered, round after round. */
  async result(method: string, params: Params = {}): Promise<Params> {
    const { result, error } = await this.request(method, params)
    if (error) throw new Error(`${method} failed: ${JSON.stringify(error)}`)
    if (result?.resultType !== 'input_required' || !this.answer) return result ?? {}
    const asks = Object.entries(result.inputRequests as Record<string, { method: string; params: Params }>)
    const answers = await Promise.all(asks.map(async ([key, asked]) => [key, await this.answer?.(asked)] as const))
    return this.result(method, {
      ...params,
      inputResponses: Object.fromEntries(answers),
      requestState: result.requestState,
    })
  }

  /** The error of a request that has to fail. */
  async error(method: string, params: Params = {}): Promise<NonNullable<ReceivedMessage['error']>> {
    const { error, result } = await this.request(method, params)
    if (!error) throw new Error(`${method} should have failed: ${JSON.stringify(result)}`)
    return error
  }

  call(name: string, args?: Params, _meta?: Params): Promise<Params> {
    return this.result('tools/call', { name, ...(args && { arguments: args }), ...(_meta && { _meta }) })
  }

  /** The words of a tool's answer. */
  async words(name: string, args?: Params): Promise<string> {
    return wordsOf(await this.call(name, args))
  }

  /** What the server sent of its own accord, of one method or of all. */
  sent(method?: string): ReceivedMessage[] {
    return this.received.filter(m => m.method !== undefined && (method === undefined || m.method === method))
  }

  /** The first message that fits, heard already or still to come. */
  until(fits: (message: ReceivedMessage) => boolean): Promise<ReceivedMessage> {
    return new Promise(resolve => {
      const look = (): void => {
        const found = this.received.find(fits)
        if (!found) return
        this.#waiting.delete(look)
        resolve(found)
      }
      this.#waiting.add(look)
      look()
    })
  }

  /** Resolves when the server has had every chance to say what it should not: a later request, of that id, is answered. */
  async quiet(): Promise<Id> {
    const id = this.ask(this.stateless ? 'server/discover' : 'ping')
    await this.answered(id)
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    return id
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  #onText(text: string): void {
    const value = JSON.parse(text) as ReceivedMessage | ReceivedMessage[]
    this.batches.push(Array.isArray(value) ? value.length : 0)
    for (const message of Array.isArray(value) ? value : [value]) {
      this.received.push(message)
      this.#judge(message)
      if (message.method !== undefined && message.id !== undefined) void this.#reply(message)
    }
    for (const look of this.#waiting) look()
  }

  #note(text: string): void {
    for (const message of messagesIn(text)) {
      if (!isRecord(message) || typeof message.method !== 'string' || message.id === undefined) continue
      const isEnveloped = `${P}protocolVersion` in metaOf(message.params)
      const version = isEnveloped ? STATELESS : this.version
      this.#asked.set(JSON.stringify(message.id), { method: message.method, version })
    }
  }

  #judge(message: ReceivedMessage): void {
    const { version } = this
    const fields = { ...message }
    if (message.method !== undefined) {
      const isListened = `${P}subscriptionId` in metaOf(message.params)
      this.objections.push(...judgeOf(isListened ? STATELESS : version).sent(fields))
      return
    }
    const unknown = { method: '', version: message.id === null && !this.#initialized ? '2024-11-05' : version }
    const asked = this.#asked.get(JSON.stringify(message.id)) ?? unknown
    this.objections.push(...judgeOf(asked.version).answer(fields, asked.method))
  }

  async #reply({ id, method = '', params = {} }: ReceivedMessage): Promise<void> {
    if (!this.answer) return
    this.send({ jsonrpc: '2.0', id, result: await this.answer({ method, params }) })
  }
}

function messagesIn(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : [value]
  } catch {
    return []
  }
}

/** The `_meta` of params, if they have one. */
export function metaOf(params: unknown): Params {
  return isRecord(params) && isRecord(params._meta) ? params._meta : {}
}

/** The text blocks of a tool's answer, joined. */
export function wordsOf({ content }: Params): string {
  return (content as readonly { text?: string }[]).map(block => block.text ?? '').join('')
}
