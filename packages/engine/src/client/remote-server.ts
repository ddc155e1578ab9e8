import type { Awaitable } from '../call.ts'
import { Cancellation } from '../jsonrpc/cancellation.ts'
import { RpcError, codes, fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Params, Result } from '../jsonrpc/message.ts'
import { ALL_CAPABILITIES } from '../protocol/asks.ts'
import { connectRemote } from '../protocol/remote/connect.ts'
import { LISTS } from '../protocol/downgrade.ts'
import { paramHeaders } from '../protocol/headers.ts'
import { ParkedCalls, ticketIn } from '../protocol/remote/parked-calls.ts'
import { refusalFor } from '../protocol/remote/questions.ts'
import { jsonSize } from '../support/json-size.ts'
import type { Ask, Implementation, LogLevel, ParamHeader } from '../wire.ts'
import { KeptResults } from './kept-results.ts'
import type { Remote, RemoteLink, ServerChange, Target } from './remote.ts'

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
  /** How long a request may take without a sign of life. Default: 60 s; 0 means without limit. */
  readonly timeoutMs?: number
  /** How long the start may take. Default: 30 s. */
  readonly startTimeoutMs?: number
  /** Keep lists and contents for as long as the server allows. Default: yes. */
  readonly cache?: boolean
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
  /** Ask the server even where an earlier result may still be used. */
  readonly fresh?: boolean
  readonly onProgress?: (params: Params) => void
  readonly onLog?: (params: Params) => void
  /** Answers the questions of this request, in place of the `answer` of the client. */
  readonly answer?: RemoteOptions['answer']
}

/** Questions that are being answered: each can be withdrawn. */
type OpenQuestions = Map<string, AbortController>

const MOST_ROUNDS = 16
const MOST_PAGES = 1000
// What all pages of a list may have together, in characters.
const LONGEST_LIST = 64 * 1024 * 1024

/** A server elsewhere, in any revision and over any transport. */
export class RemoteServer {
  readonly #remote: Remote
  readonly #parked: ParkedCalls
  readonly #answer: RemoteOptions['answer']
  readonly #headers = new Map<string, readonly ParamHeader[]>()
  readonly #uris = new Set<string>()
  readonly #followsLists: boolean
  readonly #kept: KeptResults | undefined

  private constructor(remote: Remote, parking: ParkedCalls, kept: KeptResults | undefined, options: RemoteOptions) {
    this.#remote = remote
    this.#parked = parking
    this.#kept = kept
    this.#answer = options.answer
    this.#followsLists = options.onChange !== undefined
  }

  /** Reach a server, and agree on a revision. */
  static async connect(target: Target, options: RemoteOptions): Promise<RemoteServer> {
    const { answer, capabilities, timeoutMs = 60_000, startTimeoutMs = 30_000, ...rest } = options
    const parking = new ParkedCalls()
    const kept = options.cache === false ? undefined : new KeptResults()
    const remote = await connectRemote(target, {
      ...rest,
      ...(answer && { answer }),
      capabilities: capabilities ?? (answer ? ALL_CAPABILITIES : {}),
      timeoutMs,
      startTimeoutMs,
      parking,
      onChange(change) {
        kept?.changed(change)
        options.onChange?.(change)
      },
    })
    const server = new RemoteServer(remote, parking, kept, options)
    await server.#follow()
    return server
  }

  /** The revision that is spoken. */
  get version(): string {
    return this.#remote.version
  }

  /** Who the server says it is. */
  get server(): Implementation | undefined {
    return this.#remote.server
  }

  get capabilities(): Params {
    return this.#remote.capabilities
  }

  get instructions(): string | undefined {
    return this.#remote.instructions
  }

  /** How many requests wait for their answer. */
  get inFlight(): number {
    return this.#remote.inFlight
  }

  /**
   * One request and its result; what the server asks meanwhile is answered. Without an `answer`, a result that asks is
   * returned: send the request again with its `requestState` and the `inputResponses`. An error of the protocol is thrown
   * as an RpcError.
   */
  async request(method: string, params: Params = {}, options: RemoteRequest = {}): Promise<Result> {
    const known = options.fresh ? undefined : this.#kept?.find(method, params)
    const result = known ?? (await this.#answered(method, params, options))
    if (!known) this.#kept?.keep(method, params, result)
    return result
  }

  async #answered(method: string, params: Params, options: RemoteRequest): Promise<Result> {
    const open: OpenQuestions = new Map()
    let result = await this.#call(method, params, options, open).catch((error: unknown) => {
      if (method !== 'tools/call' || !isMismatch(error)) throw error
      // Which arguments headers repeat is known once the tool was listed.
      return this.list('tools/list').then(() => this.#call(method, params, options, open))
    })
    for (let round = 0; result.resultType === 'input_required'; round++) {
      const { inputRequests, requestState } = result
      const answer = options.answer ?? this.#answer
      if (!answer || !isObject(inputRequests)) return result
      if (round === MOST_ROUNDS) throw fault('internal', `Gave up after ${MOST_ROUNDS} rounds of questions`)
      const inputResponses = await answerAll(inputRequests, { answer, signal: options.signal, open })
      if (options.signal?.aborted) throw this.#giveUp(requestState, asError(options.signal.reason))
      result = await this.#call(method, { ...params, inputResponses, requestState }, options, open)
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
    let left = LONGEST_LIST
    for (let page = 0; page < MOST_PAGES; page++) {
      const result = await this.request(method, cursor === undefined ? {} : { cursor }, options)
      const list = result[LISTS[method]]
      left -= jsonSize(list, left)
      if (left < 0) throw new Error(`The list of the server is too long: ${method} has more than 64 MB`)
      // Not spread: a page may have more items than a call can have arguments.
      for (const item of Array.isArray(list) ? list : []) if (isObject(item)) items.push(item)
      cursor = result.nextCursor
      if (typeof cursor !== 'string' || seen.has(cursor)) break
      seen.add(cursor)
    }
    return method === 'tools/list' && this.#remote.repeatsArguments
      ? items.filter(tool => this.#hasHeaders(tool))
      : items
  }

  /** Have changes of a resource announced, through `onChange`. */
  async subscribe(uri: string): Promise<void> {
    this.#uris.add(uri)
    const why = (await this.#follow()).get(uri)
    if (!why) return
    this.#uris.delete(uri)
    throw why
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#uris.delete(uri)
    const why = (await this.#follow()).get(uri)
    if (why) throw why
  }

  /** Which log messages to send with requests that do not say so themselves. */
  setLogLevel(level: LogLevel): Promise<void> {
    return this.#remote.setLogLevel(level)
  }

  async close(): Promise<void> {
    await this.#remote.close()
    this.#parked.close()
  }

  #follow(): Promise<ReadonlyMap<string, Error>> {
    return this.#remote.follow({ lists: this.#followsLists, uris: this.#uris })
  }

  /** A tool is left out whose definition says wrongly which arguments headers repeat. */
  #hasHeaders({ name, inputSchema }: Params): boolean {
    try {
      const headers = paramHeaders(String(name), isObject(inputSchema) ? inputSchema : {})
      if (headers.length > 0) this.#headers.set(String(name), headers)
      else this.#headers.delete(String(name))
      return true
    } catch {
      return false
    }
  }

  /** The server does not have to wait for answers any more. */
  #giveUp(state: unknown, why: Error): Error {
    const ticket = ticketIn(state)
    if (ticket) this.#parked.find(ticket.ticket)?.giveUp(fault('internal', why.message))
    return why
  }

  #call(method: string, params: Params, options: RemoteRequest, open: OpenQuestions): Promise<Result> {
    const { meta, timeoutMs, logLevel, signal, onProgress, onLog } = options
    const { inputResponses, requestState, ...own } = params
    const cancellation = new Cancellation()
    if (signal?.aborted) return Promise.reject(asError(signal.reason))
    const abort = (): void => cancellation.cancel(asError(signal?.reason))
    signal?.addEventListener('abort', abort)
    const onWithdrawn = (question: string): void => open.get(question)?.abort()
    const link: RemoteLink = { cancellation, onWithdrawn, ...(onProgress && { onProgress }), ...(onLog && { onLog }) }
    const answers = inputResponses as Params | undefined
    const headers = method === 'tools/call' ? this.#headers.get(String(params.name)) : undefined
    const request = { method, params: own, meta, timeoutMs, logLevel, headers, answers, state: requestState }
    return this.#remote.call(request, link).finally(() => signal?.removeEventListener('abort', abort))
  }
}

const isAsk = (ask: unknown): ask is { method: string; params?: Params } =>
  isObject(ask) && typeof ask.method === 'string' && (ask.params === undefined || isObject(ask.params))

const isMismatch = (error: unknown): boolean => error instanceof RpcError && error.code === codes['header-mismatch']

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error('The request was cancelled'))

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The answer is no longer needed')), { once: true })
  })

type Answer = NonNullable<RemoteOptions['answer']>

interface Answering {
  readonly answer: Answer
  readonly signal: AbortSignal | undefined
  readonly open: OpenQuestions
}

async function answerAll(asks: Params, { answer, signal, open }: Answering): Promise<Params> {
  const abort = (): void => {
    for (const ending of open.values()) ending.abort()
  }
  signal?.addEventListener('abort', abort)
  const answered = Object.entries(asks).map(async ([key, ask]) => {
    const ending = new AbortController()
    open.set(key, ending)
    if (!isAsk(ask)) return [key, fault('internal', `The question '${key.slice(0, 100)}' cannot be read`)] as const
    return [key, await answerOne(ask, answer, ending.signal)] as const
  })
  try {
    return Object.fromEntries(await Promise.all(answered))
  } finally {
    signal?.removeEventListener('abort', abort)
    open.clear()
  }
}

/** If the answer fails or is no longer needed, the question is refused. */
async function answerOne(
  { method, params = {} }: Partial<Ask> & Pick<Ask, 'method'>,
  answer: Answer,
  signal: AbortSignal,
): Promise<Result | RpcError> {
  try {
    return await Promise.race([answer({ method, params }, signal), aborted(signal)])
  } catch (error) {
    return refusalFor(error)
  }
}
