import type { Conversation, Json } from './conversation.ts'
import type { Random } from './random.ts'
import { anyValue, corrupted, mutated, valueOf } from './values.ts'

/** What a server offers, so that what is sent makes some sense. */
export interface Catalog {
  readonly tools: readonly Json[]
  readonly prompts: readonly Json[]
  readonly resources: readonly Json[]
}

const PREFIX = 'io.modelcontextprotocol/'
const LEVELS = ['debug', 'info', 'warning', 'error', 'emergency', 'loud'] as const
/** These go on until someone ends them. */
const ENDLESS = new Set(['subscriptions/listen'])

/** The envelope by which a stateless request describes itself. */
export const envelope = (version: string): Json => ({
  [`${PREFIX}protocolVersion`]: version,
  [`${PREFIX}clientInfo`]: { name: 'fuzz', version: '1.0.0' },
  [`${PREFIX}clientCapabilities`]: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
})

/** Makes messages for one conversation. */
export class Messages {
  readonly #random: Random
  readonly #catalog: Catalog
  readonly #conversation: Conversation
  readonly #stateless: boolean
  readonly #handshake: boolean
  #count = 0

  constructor(
    random: Random,
    catalog: Catalog,
    conversation: Conversation,
    { stateless, handshake }: { readonly stateless: boolean; readonly handshake: boolean },
  ) {
    this.#handshake = handshake
    this.#random = random
    this.#catalog = catalog
    this.#conversation = conversation
    this.#stateless = stateless
  }

  /** The next thing to send, as text; what must be answered is noted in the conversation. */
  next(): string {
    const random = this.#random
    const roll = random.next()
    if (roll < 0.06) return this.#cancel()
    if (roll < 0.1) return JSON.stringify(this.#notification())
    if (roll < 0.14) return JSON.stringify(Array.from({ length: 1 + random.below(4) }, () => this.#unowed()))
    if (roll < 0.22) return this.#damaged()
    if (roll < 0.26) return JSON.stringify(anyValue(random))
    const request = this.#request()
    const message = random.chance(0.35) ? this.#mutatedRequest(request) : request
    if (isRequest(message)) {
      const judged = !this.#stateless || describesItself(message)
      this.#conversation.expect(message.id, message.method, { optional: ENDLESS.has(message.method), judged })
    }
    return JSON.stringify(message)
  }

  #request(): Json & { id: unknown; method: string } {
    const { method, params } = this.#work()
    const meta = this.#stateless ? { _meta: envelope(this.#conversation.version) } : {}
    const wanted = this.#random.chance(0.2) && !this.#stateless ? { _meta: { progressToken: this.#count } } : meta
    return { jsonrpc: '2.0', id: this.#id(), method, params: { ...params, ...wanted } }
  }

  #id(): unknown {
    this.#count += 1
    return this.#random.chance(0.5) ? this.#count : `r${this.#count}`
  }

  /** May or may not be answered, since it may be refused as a whole. */
  #unowed(): Json {
    const request = this.#request()
    this.#conversation.expect(request.id, request.method, { optional: true, judged: false })
    return request
  }

  #damaged(): string {
    const message = this.#unowed()
    const text = corrupted(JSON.stringify(message), this.#random)
    this.#conversation.damage(text, message.id)
    return text
  }

  /** The id stays, so that the answer can be told. */
  #mutatedRequest(request: Json): Json {
    const { id, jsonrpc, ...rest } = request
    const changed = mutated(rest, this.#random)
    return { jsonrpc, id, ...(typeof changed === 'object' && !Array.isArray(changed) ? changed : rest) }
  }

  #cancel(): string {
    const { ids } = this.#conversation
    const requestId = ids.length > 0 ? this.#random.pick(ids.slice(-5)) : 'nothing'
    this.#conversation.excuse(requestId)
    return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'fuzz' } })
  }

  #notification(): Json {
    const method = this.#random.pick(['notifications/initialized', 'notifications/roots/list_changed', 'fuzz/none'])
    return { jsonrpc: '2.0', method, ...(this.#random.chance(0.5) && { params: anyValue(this.#random) }) }
  }

  #work(): { method: string; params: Json } {
    const random = this.#random
    const tool = random.pick(this.#catalog.tools)
    const prompt = this.#catalog.prompts.length > 0 ? random.pick(this.#catalog.prompts) : { name: 'none' }
    const resource = this.#catalog.resources.length > 0 ? random.pick(this.#catalog.resources) : { uri: 'x://none' }
    const all: (() => { method: string; params: Json })[] = [
      () => ({ method: 'ping', params: {} }),
      () => ({ method: random.pick(LISTS), params: random.chance(0.2) ? { cursor: anyValue(random) } : {} }),
      () => ({ method: 'prompts/get', params: { name: prompt.name, arguments: anyValue(random) } }),
      () => ({ method: 'resources/read', params: { uri: random.chance(0.8) ? resource.uri : anyValue(random) } }),
      () => ({ method: random.pick(SUBSCRIBING), params: { uri: resource.uri } }),
      () => ({ method: 'logging/setLevel', params: { level: random.pick(LEVELS) } }),
      () => ({ method: 'completion/complete', params: this.#completion(prompt) }),
      () => ({ method: 'server/discover', params: {} }),
      // Where there was no handshake, one would change what the rest is judged by.
      () => ({ method: this.#handshake ? 'initialize' : 'ping', params: {} }),
      () => ({
        method: 'tools/call',
        params: { name: 'system_echo', arguments: { message: this.#conversation.marker } },
      }),
    ]
    if (random.chance(0.55))
      return { method: 'tools/call', params: { name: tool.name, arguments: valueOf(tool.inputSchema, random) } }
    return random.pick(all)()
  }

  #completion(prompt: Json): Json {
    const argument = { name: 'name', value: anyValue(this.#random, 4) }
    return { ref: { type: 'ref/prompt', name: prompt.name }, argument }
  }
}

const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const
const SUBSCRIBING = ['resources/subscribe', 'resources/unsubscribe'] as const

const isRequest = (message: Json): message is Json & { id: string | number; method: string } =>
  message.jsonrpc === '2.0' && typeof message.method === 'string' && message.id !== undefined

/** Did changing it leave the envelope as it was? */
function describesItself({ params }: Json): boolean {
  if (typeof params !== 'object' || params === null || !('_meta' in params)) return false
  const meta = params._meta as Json | null
  return typeof meta?.[`${PREFIX}protocolVersion`] === 'string'
}
