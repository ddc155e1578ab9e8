import type { Id, Params } from '@causeway/engine'
import { JSON_HEADERS, exchange, messageOf, open } from './http-exchange.ts'
import type { Answer, Sent, Stream } from './http-exchange.ts'
import { CLIENT, P, STATELESS, metaOf } from './peer.ts'
import type { ReceivedMessage } from './peer.ts'

/** A request, as a value. */
export const ask = (id: Id | null, method: string, params?: Params): Params => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
})

/** A call of a tool, as a value. */
export const call = (id: Id | null, name: string, args: Params = {}, _meta?: Params): Params =>
  ask(id, 'tools/call', { name, arguments: args, ...(_meta && { _meta }) })

/** A notification, as a value. */
export const tell = (method: string, params?: Params): Params => ({ jsonrpc: '2.0', method, ...(params && { params }) })

/** The handshake's request. */
export const hello = (protocolVersion = '2025-11-25', capabilities: Params = {}): Params =>
  ask('hello', 'initialize', { protocolVersion, capabilities, clientInfo: CLIENT })

/** Who a test is when it speaks to a server. */
export interface Who {
  readonly version?: string
  readonly capabilities?: Params
  readonly token?: string
  /** Headers for every request. */
  readonly headers?: Readonly<Record<string, string>>
}

const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }

/** A session over Streamable HTTP. */
export class Stateful {
  readonly url: string
  readonly session: string
  readonly version: string
  readonly #headers: Readonly<Record<string, string>>
  #last = 0

  constructor(url: string, session: string, { version = '2025-11-25', token, headers = {} }: Who) {
    this.url = url
    this.session = session
    this.version = version
    this.#headers = { ...bearer(token), ...headers }
  }

  /** Make the whole handshake. */
  static async open(url: string, who: Who = {}): Promise<Stateful> {
    const headers = { ...JSON_HEADERS, ...bearer(who.token), ...who.headers }
    const answer = await exchange(url, { headers, body: hello(who.version, who.capabilities) })
    const session = answer.headers['mcp-session-id']
    if (typeof session !== 'string') throw new Error(`No session: ${answer.status} ${answer.text}`)
    const client = new Stateful(url, session, who)
    await client.post(tell('notifications/initialized'))
    return client
  }

  /** The headers of a request of this session, unless told otherwise. */
  headers(other: Sent['headers'] = {}): NonNullable<Sent['headers']> {
    const own = { 'mcp-session-id': this.session, 'mcp-protocol-version': this.version }
    return { ...JSON_HEADERS, ...this.#headers, ...own, ...other }
  }

  post(body: unknown, headers?: Sent['headers']): Promise<Answer> {
    return exchange(this.url, { headers: this.headers(headers), body })
  }

  /** Post, and look at the answer while it comes. */
  stream(body: unknown, headers?: Sent['headers']): Promise<Stream> {
    return open(this.url, { headers: this.headers(headers), body })
  }

  /** A request, and its answer whichever way it came. */
  async request(method: string, params?: Params): Promise<ReceivedMessage> {
    const id = ++this.#last
    return answerIn(await this.post(ask(id, method, params)), id)
  }

  /** A call of a tool, and its answer whichever way it came. */
  call(name: string, args: Params = {}, _meta?: Params): Promise<ReceivedMessage> {
    return this.request('tools/call', { name, arguments: args, ...(_meta && { _meta }) })
  }

  /** The standalone stream, or the rest of any stream. */
  listen(lastEventId?: string): Promise<Stream> {
    const headers = { 'content-type': undefined, accept: 'text/event-stream', 'last-event-id': lastEventId }
    return open(this.url, { method: 'GET', headers: this.headers(headers) })
  }

  end(): Promise<Answer> {
    return exchange(this.url, { method: 'DELETE', headers: this.headers() })
  }
}

/** The answer to that id, out of a JSON body or an event stream. */
export function answerIn(answer: Answer, id: Id): ReceivedMessage {
  if (!answer.headers['content-type']?.startsWith('text/event-stream')) return messageOf(answer)
  const data = answer.text.split('\n').filter(line => line.startsWith('data: {'))
  const found = data
    .map(line => JSON.parse(line.slice(6)) as ReceivedMessage)
    .find(m => m.method === undefined && m.id === id)
  if (!found) throw new Error(`No answer to ${id} in: ${answer.text}`)
  return found
}

/** The params of a request that describes itself. */
export const enveloped = (params: Params = {}, capabilities: Params = {}, version: string = STATELESS): Params => ({
  ...params,
  _meta: {
    [`${P}protocolVersion`]: version,
    [`${P}clientCapabilities`]: capabilities,
    [`${P}clientInfo`]: CLIENT,
    ...(params._meta as Params | undefined),
  },
})

const NAMED: Readonly<Record<string, string>> = { 'resources/read': 'uri' }

/** The headers that repeat what a message without a session says of itself. */
export function mirrors({ method, params }: Params): Record<string, string> {
  const name = (params as Params | undefined)?.[NAMED[String(method)] ?? 'name']
  const version = metaOf(params)[`${P}protocolVersion`]
  return {
    'mcp-protocol-version': typeof version === 'string' ? version : STATELESS,
    ...(typeof method === 'string' && { 'mcp-method': method }),
    ...(typeof name === 'string' && { 'mcp-name': name }),
  }
}

/** A client of the newest revision: every request stands alone. */
export class Stateless {
  readonly url: string
  readonly capabilities: Params
  readonly #headers: Readonly<Record<string, string>>
  #last = 0

  constructor(url: string, { capabilities = {}, token, headers = {} }: Who = {}) {
    this.url = url
    this.capabilities = capabilities
    this.#headers = { ...bearer(token), ...headers }
  }

  /** A whole request: envelope, and the headers that repeat it. */
  sent(message: Params, headers: Sent['headers'] = {}): Sent {
    const body = { ...message, params: enveloped(message.params as Params | undefined, this.capabilities) }
    return { headers: { ...JSON_HEADERS, ...this.#headers, ...mirrors(message), ...headers }, body }
  }

  post(message: Params, headers?: Sent['headers']): Promise<Answer> {
    return exchange(this.url, this.sent(message, headers))
  }

  stream(message: Params, headers?: Sent['headers']): Promise<Stream> {
    return open(this.url, this.sent(message, headers))
  }

  async request(method: string, params?: Params, headers?: Sent['headers']): Promise<ReceivedMessage> {
    const id = ++this.#last
    return answerIn(await this.post(ask(id, method, params), headers), id)
  }

  call(name: string, args: Params = {}, _meta?: Params): Promise<ReceivedMessage> {
    return this.request('tools/call', { name, arguments: args, ...(_meta && { _meta }) })
  }
}
