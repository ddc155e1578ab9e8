import { X509Certificate } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import type {
  ClientRequest,
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'
import { ByteBudget } from '../limits/byte-budget.ts'
import { workerIn } from '../sessions/session.ts'
import type { TlsPeer } from '../../auth/authenticator.ts'
import { addressOf, headerOf, linger, tlsPeerOf } from '../http/node-exchange.ts'
import { Pipelining } from '../http/pipelining.ts'

/** Where the process of that name takes requests: a Unix socket, or undefined where there is no such process. */
export type SocketOf = (worker: string) => string | undefined

// Says where the client is; believed only on the private socket, and never passed on from a client.
const ADDRESS = 'x-causeway-address'
// The certificate that the client showed, and whether it is trusted; believed as the address is.
const PEER = 'x-causeway-peer'
// What concerns one connection only.
const HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'expect',
  ADDRESS,
  PEER,
])
// What requests that were sent ahead may hold while they wait for their turn.
const AHEAD_BYTES = 16 * 1024 * 1024
const IN_ONE_PIECE = 64 * 1024
// Shorter than the other side keeps an idle connection, so that none is used as it closes.
const IDLE_MS = 20_000
// The other process is gone, and its sessions with it.
const GONE: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE'])

// The whole of a result, or a task.
const MADE_HERE = /^(?:(result):\/\/([a-z\d]{1,12})\.[\da-f]{48}|([a-z\d]{1,12})\.[\w-]{32}$)/

/** What is said of something that went with its process. */
interface Gone {
  readonly code: number
  readonly message: string
}

const SESSION_GONE: Gone = { code: -32001, message: 'Session not found. Begin again with initialize.' }
const RESULT_GONE: Gone = { code: -32602, message: 'Resource not found: its process has ended. Call the tool again.' }
const TASK_GONE: Gone = { code: -32602, message: 'The process that ran this task has ended. Call the tool again.' }

/** Where a request is passed on to, and what is answered if it cannot be reached. */
interface Destination {
  readonly socketPath: string
  readonly gone: Gone
}

/** Hands requests to the process that has their session, whatever they are: calls, streams, resumption, the end. */
export class Forwarding {
  readonly #self: string
  readonly #socketOf: SocketOf
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 1024, timeout: IDLE_MS })
  readonly #pipelining = new Pipelining(new ByteBudget(AHEAD_BYTES))

  constructor(self: string, socketOf: SocketOf) {
    this.#self = self
    this.#socketOf = socketOf
  }

  /** True where the request is another process's, which answers it. */
  pass(request: IncomingMessage, response: ServerResponse): boolean {
    const id = sessionOf(request)
    const found = id === undefined ? named(request) : { worker: workerIn(id), gone: SESSION_GONE }
    if (found?.worker === undefined || found.worker === this.#self) return false
    const socketPath = this.#socketOf(found.worker)
    if (socketPath === undefined) return false
    const { gone } = found
    const send = (): void => this.#send(request, response, { socketPath, gone })
    if (response.socket) send()
    else this.#pipelining.wait(request, response, send)
    return true
  }

  /** Close unused connections. */
  close(): void {
    this.#agent.destroy()
  }

  #send(request: IncomingMessage, response: ServerResponse, { socketPath, gone }: Destination): void {
    const { method, url: path } = request
    const headers = { ...passable(request.headers), [ADDRESS]: addressOf(request), ...peerHeader(tlsPeerOf(request)) }
    const onward = httpRequest({ socketPath, agent: this.#agent, method, path, headers, setHost: false })
    let answer: IncomingMessage | undefined
    onward.on('response', received => {
      answer = received
      relay(answer, request, response)
    })
    onward.on('error', (error: NodeJS.ErrnoException) => {
      // Who answers before it has read everything may close before we have sent it.
      if (!answer?.complete) sendUnreachable(response, GONE.has(error.code) ? gone : undefined)
    })
    response.once('close', () => onward.destroy())
    request.on('error', () => onward.destroy())
    if (Number(request.headers['content-length']) <= IN_ONE_PIECE) sendWhole(request, onward)
    else request.pipe(onward)
  }
}

/**
 * A short body is sent in one piece with its headers. Node ends what is piped with an empty write, and on a Unix socket
 * whose other side has answered and closed even that fails, and the answer is lost.
 */
function sendWhole(request: IncomingMessage, onward: ClientRequest): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => onward.end(Buffer.concat(chunks)))
}

/** Where the client is whose request came over the private socket: the request says so itself. */
export const forwardedAddress = (request: IncomingMessage): string => headerOf(request, ADDRESS) ?? 'local'

const peerHeader = (peer: TlsPeer | undefined): OutgoingHttpHeaders =>
  peer ? { [PEER]: `${peer.authorized ? 'trusted' : 'unknown'} ${peer.certificate.raw.toString('base64')}` } : {}

/** The certificate of the client whose request came over the private socket. */
export function forwardedPeer(request: IncomingMessage): TlsPeer | undefined {
  const [trust, raw] = headerOf(request, PEER)?.split(' ') ?? []
  if (raw === undefined) return undefined
  const certificate = new X509Certificate(Buffer.from(raw, 'base64')).toLegacyObject()
  return { certificate, authorized: trust === 'trusted' }
}

function sessionOf(request: IncomingMessage): string | undefined {
  const { url = '' } = request
  const start = url.indexOf('?')
  if (start < 0 || !url.slice(0, start).endsWith('/messages')) return headerOf(request, 'mcp-session-id')
  return new URLSearchParams(url.slice(start)).get('sessionId') ?? undefined
}

/** Requests without a session repeat in a header what they are about: the whole of a result and a task are where they were made. */
function named(request: IncomingMessage): { readonly worker: string | undefined; readonly gone: Gone } | undefined {
  const [, result, ofResult, ofTask] = MADE_HERE.exec(headerOf(request, 'mcp-name') ?? '') ?? []
  if (result !== undefined) return { worker: ofResult, gone: RESULT_GONE }
  return ofTask === undefined ? undefined : { worker: ofTask, gone: TASK_GONE }
}

const passable = (headers: IncomingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.has(name)))

function relay(answer: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
  const { 'transfer-encoding': _chunks, ...headers } = passable(answer.headers)
  if (answer.headers.connection === 'close') response.shouldKeepAlive = false
  response.writeHead(answer.statusCode ?? 502, headers)
  // An event stream may say nothing for a while.
  response.flushHeaders()
  answer.on('error', () => response.destroy())
  answer.pipe(response, { end: false })
  answer.on('end', () => {
    request.unpipe()
    if (request.complete) response.end()
    else linger(request, response, '')
  })
}

function sendUnreachable(response: ServerResponse, gone: Gone | undefined): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const error = gone ?? {
    code: -32004,
    message: 'The process that handles this session cannot be reached. Try again later.',
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error })
  response.shouldKeepAlive = false
  response.writeHead(gone ? 404 : 503, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...(gone ? {} : { 'Retry-After': '1' }),
  })
  response.end(body)
}
