import { once } from 'node:events'
import { createServer as createListener } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { Server } from '@causeway/engine'
import { httpHandler } from '@causeway/engine/http'
import type { HttpHandler } from '@causeway/engine/http'
import type { CarrierOptions, Carrier, CarrierConnection } from './carriers.ts'
import { mirrors } from './http-client.ts'
import { JSON_HEADERS, Stream, begin } from './http-exchange.ts'
import { P, STATELESS, metaOf } from './peer.ts'
import { WsClient } from './ws-client.ts'

/** A server in the file's one listener, and who waits for its next request to be read. */
interface Mount {
  readonly handler: HttpHandler
  received: () => void
}

type Sent = Readonly<Record<string, unknown>>

const MOUNT = 'x-mount'
const mounts = new Map<string, Mount>()
let listening: Promise<string> | undefined
let last = 0

const mountOf = (request: IncomingMessage): Mount | undefined => mounts.get(String(request.headers[MOUNT]))

/** The file's one listener, started with its first scenario; a header says which server is meant. */
async function listen(): Promise<string> {
  const listener = createListener((request, response) => {
    const mount = mountOf(request)
    // Once the handler had its turn with the whole body, or has answered without it.
    const received = (): void => void setImmediate().then(() => mount?.received())
    request.once('end', received)
    response.once('close', received)
    mount?.handler.handle(request, response)
  })
  listener.on('upgrade', (request, socket, head) => mountOf(request)?.handler.upgrade(request, socket, head))
  listener.listen(0, '127.0.0.1').unref()
  await once(listener, 'listening')
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
}

function mountServer(server: Server, lifecycle: CarrierOptions['lifecycle']): { key: string; mount: Mount } {
  const key = String(++last)
  const mount = { handler: httpHandler(server, { lifecycle, drainMs: 10 }), received: () => {} }
  mounts.set(key, mount)
  return { key, mount }
}

/** One POST a message, each sent when the server has read the one before; with a session, a GET for the rest. */
class HttpConnection implements CarrierConnection {
  readonly #options: CarrierOptions
  readonly #key: string
  readonly #mount: Mount
  /** Requests that are still being answered, by the id of their message. */
  readonly #open = new Map<unknown, ClientRequest>()
  #queue: Promise<unknown> = Promise.resolve()
  #session: string | undefined
  #gone = false

  constructor(server: Server, options: CarrierOptions) {
    this.#options = options
    const { key, mount } = mountServer(server, options.lifecycle)
    this.#key = key
    this.#mount = mount
  }

  send(text: string): void {
    this.#queue = this.#queue.then(() => this.#post(text))
  }

  async sent(): Promise<void> {
    await this.#queue
  }

  async close(): Promise<void> {
    await this.#queue
    await this.#mount.handler.drain()
    // What it said last is on its way to us.
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    this.#gone = true
    for (const request of this.#open.values()) request.destroy()
    mounts.delete(this.#key)
  }

  async #post(text: string): Promise<void> {
    const message = parsedOr(text)
    const { method, id, params } = message
    const isStateless = this.#options.version === STATELESS
    // Without a session, a client cancels by leaving.
    if (isStateless && method === 'notifications/cancelled')
      return this.#hangUp((params as Sent | undefined)?.requestId)
    const received = new Promise<void>(resolve => (this.#mount.received = resolve))
    const answered = this.#exchange({ headers: this.#headers(message), body: text }, id ?? text)
    await (method === 'initialize' ? answered : received)
    if (method === 'notifications/initialized' && this.#session !== undefined) await this.#listen()
  }

  #headers(message: Sent): Record<string, string> {
    const own = `${P}protocolVersion` in metaOf(message.params) || this.#options.version === STATELESS
    const mount = { ...JSON_HEADERS, [MOUNT]: this.#key }
    if (own) return { ...mount, ...mirrors(message) }
    const version = { 'mcp-protocol-version': this.#options.version }
    return { ...mount, ...(this.#session !== undefined && { ...version, 'mcp-session-id': this.#session }) }
  }

  /** Resolves when all of the answer was heard. */
  async #exchange(sent: { headers: Record<string, string>; body: string }, id: unknown): Promise<void> {
    const request = begin(await (listening ??= listen()), sent)
    this.#open.set(id, request)
    const stream = await headOf(request)
    const session = stream?.headers['mcp-session-id']
    if (typeof session === 'string') this.#session = session
    if (stream?.headers['content-type']?.startsWith('text/event-stream')) {
      await stream.follow(data => this.#onText(data))
    } else {
      await stream?.ended
      this.#onText(stream?.text ?? '')
    }
    if (this.#open.get(id) === request) this.#open.delete(id)
  }

  async #listen(): Promise<void> {
    const headers = { ...this.#headers({}), accept: 'text/event-stream' }
    const request = begin(await (listening ??= listen()), { method: 'GET', headers })
    this.#open.set('standalone', request)
    void (await headOf(request))?.follow(data => this.#onText(data))
  }

  async #hangUp(id: unknown): Promise<void> {
    this.#open.get(id)?.destroy()
  }

  #onText(text: string): void {
    if (text !== '' && !this.#gone) this.#options.onText(text)
  }
}

/** The head of the answer, or nothing if the request was given up before. */
function headOf(request: ClientRequest): Promise<Stream | undefined> {
  return new Promise(resolve => {
    request.once('response', response => resolve(new Stream(response)))
    request.once('close', () => resolve(undefined))
  })
}

function parsedOr(text: string): Sent {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Sent) : {}
  } catch {
    return {}
  }
}

function openSocket(server: Server, { onText, lifecycle }: CarrierOptions): CarrierConnection {
  const { key, mount } = mountServer(server, lifecycle)
  const socket = (listening ??= listen()).then(async url => {
    const client = await WsClient.open(url, 'mcp', { headers: { [MOUNT]: key } })
    client.ws.on('message', (data: Buffer) => onText(data.toString()))
    return client
  })
  return {
    send: text => void socket.then(client => client.send(text)),
    async sent() {
      const { ws } = await socket
      ws.ping()
      await once(ws, 'pong')
    },
    async close() {
      await mount.handler.drain()
      await (await socket).close()
      mounts.delete(key)
    },
  }
}

const openHttp: Carrier['open'] = (server, options) => new HttpConnection(server, options)
const isStateless = ({ version }: { version: string }): boolean => version === STATELESS

/** Every way over the network, each with a session and without. */
export const httpCarriers: readonly Carrier[] = [
  {
    name: '/mcp with a session',
    // Nothing can be said outside of a session, and tools have no methods of their own.
    carries: wanted => !isStateless(wanted) && wanted.handshake !== false && !wanted.direct,
    open: openHttp,
  },
  {
    name: '/mcp stateless',
    leavesToCancel: true,
    carries: wanted => isStateless(wanted) && !wanted.direct,
    open: openHttp,
  },
  {
    name: '/ws with a handshake',
    // Here tools always have methods of their own.
    carries: wanted => !isStateless(wanted) && wanted.direct !== false,
    open: openSocket,
  },
  { name: '/ws stateless', carries: isStateless, open: openSocket },
]
