import { setMaxListeners } from 'node:events'
import type { Principal } from './auth/principal.ts'
import type { Link } from './call.ts'
import { RpcError } from './jsonrpc/errors.ts'
import { isObject, isRequest } from './jsonrpc/message.ts'
import type { Message, Params, Request, Response, Result } from './jsonrpc/message.ts'
import { ALL_CAPABILITIES } from './protocol/asks.ts'
import { META } from './protocol/keys.ts'
import { isStatelessVersion, versions } from './protocol/revisions.ts'
import { close, newSession } from './protocol/session.ts'
import type { Server } from './server.ts'
import { Calls } from './jsonrpc/calls.ts'
import { parseText, serveValue } from './transports/serve/serve-value.ts'

/** A question of the server's: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
export interface AskedOfClient {
  readonly method: string
  readonly params: Params
}

/** How a client in memory behaves. */
export interface ClientOptions {
  /** The revision to speak; default: the newest. */
  readonly version?: string
  /** Answers the server's questions; without it the client declares that it cannot be asked. */
  readonly answer?: (asked: AskedOfClient) => unknown
  /** What the client declares, instead of everything `answer` implies. */
  readonly capabilities?: Params
  /** Refuse what comes before the handshake, as on stdio. */
  readonly strict?: boolean
  readonly direct?: boolean
  /** Who the client is taken for. */
  readonly principal?: Principal
  /** Gets what the server sends in addition to responses, as it comes. */
  readonly onMessage?: (message: Message) => void
}

/** What may be chosen about one call. */
export interface CallOptions {
  /** Cancels the call, as a client does that gives up. */
  readonly signal?: AbortSignal
  /** Hears of its progress. */
  readonly onProgress?: (progress: Params) => void
}

/** A client wired straight to a server: the same messages, no sockets. */
export interface Client {
  /** Everything the server sent in addition to responses. */
  readonly seen: Message[]
  /** One request, its answer's result; a protocol error is thrown as an RpcError. */
  request(method: string, params?: Params): Promise<Result>
  /** Call a tool: its structured value, else its text, or its blocks where they are more than text. An error result is thrown. */
  call(tool: string, args?: Params, meta?: Params, options?: CallOptions): Promise<unknown>
  notify(method: string, params?: Params): Promise<void>
  /** Any text, as a transport would hand it over; the answer's text, if there is one. */
  raw(text: string): Promise<string | undefined>
  /** End the conversation. */
  close(): void
}

const CLIENT_INFO = { name: 'causeway-test', version: '1.0.0' }

/** Connect to a server in memory, in any revision; the handshake is made before the first request. */
export function connect(server: Server, options: ClientOptions = {}): Client {
  const { version = versions[0] ?? '', answer } = options
  const capabilities = options.capabilities ?? (answer ? ALL_CAPABILITIES : {})
  const stateless = isStatelessVersion(version)
  const listeners = new Set<(message: Message) => void>()
  if (options.onMessage) listeners.add(options.onMessage)
  const onMessage = (message: Message): void => listeners.forEach(listener => listener(message))
  const { raw, seen, close } = wire(server, { ...options, onMessage })
  const send = (message: object): Promise<string | undefined> => raw(JSON.stringify(message))

  let last = 0
  const exchange = async (method: string, params: Params, onId?: (id: number) => void): Promise<Result> => {
    const id = ++last
    onId?.(id)
    const text = await send({ jsonrpc: '2.0', id, method, params })
    return resultOf(text === undefined ? undefined : (JSON.parse(text) as Response))
  }
  const handshake = async (): Promise<void> => {
    await exchange('initialize', { protocolVersion: version, capabilities, clientInfo: CLIENT_INFO })
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }
  let initialized: Promise<void> | undefined
  const ready = (): Promise<void> => (initialized ??= stateless ? Promise.resolve() : handshake())

  const envelope = {
    [META.protocolVersion]: version,
    [META.clientCapabilities]: capabilities,
    [META.clientInfo]: CLIENT_INFO,
  }
  const request = async (method: string, params: Params = {}, onId?: (id: number) => void): Promise<Result> => {
    await ready()
    const _meta = { ...(isObject(params._meta) && params._meta), ...(stateless && envelope) }
    const result = await exchange(method, Object.keys(_meta).length > 0 ? { ...params, _meta } : params, onId)
    if (result.resultType !== 'input_required' || !answer || !isObject(result.inputRequests)) return result
    const inputResponses = await answerAll(result.inputRequests as Record<string, AskedOfClient>, answer)
    return request(method, { ...params, inputResponses, requestState: result.requestState }, onId)
  }
  return {
    seen,
    request,
    raw,
    close,
    call: caller({ request, send, listeners }),
    notify: async (method, params) => {
      await ready()
      await send({ jsonrpc: '2.0', method, ...(params && { params }) })
    },
  }
}

/** The connection itself: texts go in, answers come out, and what else the server sends is recorded. */
function wire(
  server: Server,
  { answer, onMessage, principal, strict = false, direct = false }: ClientOptions,
): Pick<Client, 'raw' | 'seen' | 'close'> {
  const seen: Message[] = []
  const ending = new AbortController()
  const answerLive = async ({ id, method, params = {} }: Request): Promise<void> => {
    if (answer) await raw(JSON.stringify({ jsonrpc: '2.0', id, result: await answer({ method, params }) }))
  }
  const send = (message: Message): void => {
    const copy = JSON.parse(JSON.stringify(message)) as Message
    seen.push(copy)
    onMessage?.(copy)
    if (isRequest(copy)) void answerLive(copy)
  }
  const session = newSession(crypto.randomUUID(), send)
  const { signal } = ending
  // As on other transports: each listening request waits for the end.
  setMaxListeners(0, signal)
  const link: Link = { transport: 'memory', session, principal, calls: new Calls(), strict, direct, signal, send }
  const raw = async (text: string): Promise<string | undefined> => serveValue(server, parseText(text), link)
  const end = (): void => {
    ending.abort()
    close(session)
  }
  return { seen, raw, close: end }
}

interface Calling {
  readonly request: (method: string, params: Params, onId: (id: number) => void) => Promise<Result>
  readonly send: (message: object) => Promise<unknown>
  readonly listeners: Set<(message: Message) => void>
}

/** Calls tools, and may give up or hear of their progress. */
function caller({ request, send, listeners }: Calling): Client['call'] {
  return async (name, args = {}, meta, { signal, onProgress } = {}) => {
    const progressToken = onProgress && crypto.randomUUID()
    const _meta = progressToken === undefined ? meta : { ...meta, progressToken }
    let id: number | undefined
    const cancel = (): void =>
      void send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'Given up' } })
    const hear = (message: Message): void => {
      if ('method' in message && message.params?.progressToken === progressToken) onProgress?.(message.params ?? {})
    }
    signal?.throwIfAborted()
    signal?.addEventListener('abort', cancel, { once: true })
    if (onProgress) listeners.add(hear)
    try {
      const params = { name, arguments: args, ...(_meta && { _meta }) }
      return valueOf(await request('tools/call', params, sent => (id = sent)))
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    } finally {
      signal?.removeEventListener('abort', cancel)
      listeners.delete(hear)
    }
  }
}

async function answerAll(
  asks: Record<string, AskedOfClient>,
  answer: (asked: AskedOfClient) => unknown,
): Promise<Params> {
  const answered = Object.entries(asks).map(async ([key, asked]) => [key, await answer(asked)] as const)
  return Object.fromEntries(await Promise.all(answered))
}

function resultOf(response: Response | undefined): Result {
  if (!response) throw new Error('The server did not answer')
  if ('error' in response) throw new RpcError(response.error.code, response.error.message, response.error.data)
  return response.result as Result
}

function valueOf(result: Result): unknown {
  const content = Array.isArray(result.content) ? result.content : []
  const text = content.map(block => (isObject(block) && typeof block.text === 'string' ? block.text : '')).join('')
  if (result.isError === true) throw new Error(text)
  if (result.structuredContent !== undefined) return result.structuredContent
  return content.some(block => !isObject(block) || block.type !== 'text') ? content : text
}
