import type { Ask, Awaitable, Implementation, LogLevel } from '../call.ts'
import { RpcError, codes, fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Params, Result } from '../jsonrpc/message.ts'
import { LISTS } from '../protocol/downgrade.ts'
import { paramHeaders } from '../protocol/headers.ts'
import { Connection } from './connection.ts'
import type { ServerChange } from './connection.ts'
import type { Reply } from './in-flight-request.ts'
import type { Target } from './negotiate.ts'
import { Subscriptions } from './subscriptions.ts'

/** How a server is spoken to. */
export interface RemoteOptions {
  /** Who this client is. */
  readonly client: Implementation
  /** Answers the server's questions: `elicitation/create`, `sampling/createMessage`, `roots/list`. */
  readonly answer?: (ask: Ask, signal: AbortSignal) => Awaitable<Result>
  /** What the client declares; default: everything if there is an `answer`, else nothing. */
  readonly capabilities?: Params
  /** The revision to speak, and no other; default: the newest both sides know. */
  readonly version?: string
  /** How long a request may take without a word of progress. Default: 60 s; 0 means for ever. */
  readonly timeoutMs?: number
  /** How long the handshake may take. Default: 30 s. */
  readonly startTimeoutMs?: number
  readonly onLog?: (params: Params) => void
  readonly onChange?: (change: ServerChange) => void
  readonly onClose?: (why: Error) => void
}

/** What can be said about one request. */
export interface RemoteRequest {
  readonly meta?: Params
  readonly timeoutMs?: number
  readonly logLevel?: LogLevel
  readonly signal?: AbortSignal
  readonly onProgress?: (params: Params) => void
  readonly onLog?: (params: Params) => void
}

const EVERYTHING: Params = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }
const MOST_ROUNDS = 16
const MOST_PAGES = 1000

/** A server elsewhere, in any revision and over any transport. */
export class RemoteServer {
  readonly connection: Connection
  readonly #answer: RemoteOptions['answer']
  readonly #subscriptions: Subscriptions

  private constructor(connection: Connection, subscriptions: Subscriptions, answer: RemoteOptions['answer']) {
    this.connection = connection
    this.#answer = answer
    this.#subscriptions = subscriptions
  }

  /** Reach a server, and agree on a revision. */
  static async connect(target: Target, options: RemoteOptions): Promise<RemoteServer> {
    const { client, answer, timeoutMs = 60_000, startTimeoutMs = 30_000, onLog, onChange, onClose } = options
    let subscriptions: Subscriptions | undefined
    const connection = await Connection.open(target, {
      client,
      capabilities: options.capabilities ?? (answer ? EVERYTHING : {}),
      version: options.version,
      timeoutMs,
      startTimeoutMs,
      ...(answer && { onQuestion: (ask, reply) => answering(ask, reply, answer) }),
      ...(onLog && { onLog: onLog }),
      ...(onChange && { onChange: onChange }),
      ...(onClose && { onClose: onClose }),
      onNewSession: () => subscriptions?.renew(),
    })
    subscriptions = new Subscriptions(connection)
    if (onChange) subscriptions.followLists()
    return new RemoteServer(connection, subscriptions, answer)
  }

  /** One request and its result; what the server asks meanwhile is answered. An error of the protocol is thrown as an RpcError. */
  async request(method: string, params: Params = {}, options: RemoteRequest = {}): Promise<Result> {
    let result = await this.#exchange(method, params, options).catch((error: unknown) => {
      if (method !== 'tools/call' || !isMismatch(error)) throw error
      // Which arguments headers repeat is known once the tool was listed.
      return this.list('tools/list').then(() => this.#exchange(method, params, options))
    })
    for (let round = 0; result.resultType === 'input_required'; round++) {
      const { inputRequests, requestState } = result
      if (!this.#answer || !isObject(inputRequests)) return result
      if (round === MOST_ROUNDS) throw fault('internal', `Gave up after ${MOST_ROUNDS} rounds of questions`)
      const inputResponses = await this.#answerAll(inputRequests, options.signal)
      const state = requestState === undefined ? {} : { requestState }
      result = await this.#exchange(method, { ...params, inputResponses, ...state }, options)
    }
    return result
  }

  /** Call a tool. */
  callTool(name: string, args: Params = {}, options?: RemoteRequest): Promise<Result> {
    return this.request('tools/call', { name, arguments: args }, options)
  }

  /** Every item of a list, page by page: `tools/list`, `prompts/list`, `resources/list` or `resources/templates/list`. */
  async list(method: keyof typeof LISTS, options: RemoteRequest = {}): Promise<readonly Params[]> {
    const items: Params[] = []
    const seen = new Set<unknown>()
    let cursor: unknown
    for (let page = 0; page < MOST_PAGES; page++) {
      const result = await this.request(method, cursor === undefined ? {} : { cursor }, options)
      const list = result[LISTS[method]]
      if (Array.isArray(list)) items.push(...list.filter(isObject))
      cursor = result.nextCursor
      if (typeof cursor !== 'string' || seen.has(cursor)) break
      seen.add(cursor)
    }
    return method === 'tools/list' ? items.filter(tool => this.#mirrored(tool)) : items
  }

  /** Hear, through `onChange`, when a resource changes. */
  subscribe(uri: string): Promise<void> {
    return this.#subscriptions.subscribe(uri)
  }

  unsubscribe(uri: string): Promise<void> {
    return this.#subscriptions.unsubscribe(uri)
  }

  /** Which log messages to send, where the server is told once for all; elsewhere each request says so itself. */
  async setLogLevel(level: LogLevel): Promise<void> {
    const { revision, capabilities } = this.connection
    if (revision.traits.handshake && isObject(capabilities.logging)) await this.request('logging/setLevel', { level })
  }

  async close(): Promise<void> {
    this.#subscriptions.stop()
    await this.connection.close()
  }

  /** Where headers repeat arguments, a tool that says wrongly which is no use to anyone. */
  #mirrored(tool: Params): boolean {
    const { connection } = this
    if (!connection.bound || connection.revision.traits.handshake) return true
    try {
      const headers = paramHeaders(String(tool.name), isObject(tool.inputSchema) ? tool.inputSchema : {})
      connection.mirror(String(tool.name), headers)
      return true
    } catch {
      return false
    }
  }

  async #answerAll(asks: Params, signal?: AbortSignal): Promise<Params> {
    const answer = this.#answer
    const { revision } = this.connection
    const one = async ([key, ask]: [string, unknown]): Promise<[string, Result]> => {
      if (!isAsk(ask) || !answer) throw fault('internal', `The server asked '${key}' in a way nobody can answer`)
      const given = await answer(
        { method: ask.method, params: ask.params ?? {} },
        signal ?? new AbortController().signal,
      )
      return [key, revision.writeAnswer(ask.method, given)]
    }
    return Object.fromEntries(await Promise.all(Object.entries(asks).map(one)))
  }

  #exchange(method: string, params: Params, options: RemoteRequest): Promise<Result> {
    const { meta, timeoutMs, logLevel, signal, onProgress, onLog } = options
    const answer = this.#answer
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(asError(signal.reason))
      const abort = (): void => flight.cancel(asError(signal?.reason))
      const done = (): void => signal?.removeEventListener('abort', abort)
      const flight = this.connection.start(
        { method, params, meta, timeoutMs, logLevel },
        {
          onResult: result => (done(), resolve(result)),
          onError: error => (done(), reject(error)),
          ...(onProgress && { onProgress: onProgress }),
          ...(onLog && { onLog: onLog }),
          ...(answer && { onQuestion: (ask: Ask, reply: Reply) => answering(ask, reply, answer) }),
        },
      )
      signal?.addEventListener('abort', abort)
    })
  }
}

const isAsk = (ask: unknown): ask is { method: string; params?: Params } =>
  isObject(ask) && typeof ask.method === 'string' && (ask.params === undefined || isObject(ask.params))

const isMismatch = (error: unknown): boolean => error instanceof RpcError && error.code === codes['header-mismatch']

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error('The request was given up'))

/** Whatever an answer turns out to be, the server gets one. */
function answering(ask: Ask, reply: Reply, answer: NonNullable<RemoteOptions['answer']>): () => void {
  const ending = new AbortController()
  const refused = (error: unknown): void =>
    reply(error instanceof RpcError ? error : fault('internal', error instanceof Error ? error.message : 'No answer'))
  new Promise<Result>(resolve => resolve(answer(ask, ending.signal))).then(reply, refused)
  return () => ending.abort()
}
