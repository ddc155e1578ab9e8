import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { TlsPeer } from '../../auth/authenticator.ts'
import type { Principal } from '../../auth/principal.ts'
import type { Id } from '../../jsonrpc/message.ts'
import { HeldBytes, SMALL } from '../limits/byte-budget.ts'
import type { ByteBudget } from '../limits/byte-budget.ts'
import { BEHIND_MS, FAR_BEHIND } from '../limits/slow-readers.ts'
import { onExpiry } from './admission.ts'
import { Refusal, STREAM_HEADERS, tooLarge, tooManyAnswers, tooMuch } from './exchange.ts'
import type { Events, Exchange } from './exchange.ts'
import { textOf } from '../stdio/utf8.ts'
import { answerInOneWrite } from './one-write.ts'

const JSON_TYPE = 'application/json'
// How long a client that was refused may go on sending data that is not read.
const LINGER_MS = 5_000

/** A header, as one text. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** Says where a client is. */
export type AddressOf = (request: IncomingMessage) => string

/** Where a client is; one on a Unix socket is `local`. */
export const addressOf: AddressOf = ({ socket }) => socket.remoteAddress ?? 'local'

// A certificate is read once per connection, on which it cannot change.
const peers = new WeakMap<TLSSocket, TlsPeer | undefined>()

// Of requests that another process passed on, whose own connections have none.
const passedPeers = new WeakMap<IncomingMessage, TlsPeer>()

/** Says whose certificate was shown for a request that came over a private socket. */
export const setTlsPeer = (request: IncomingMessage, peer: TlsPeer): void => void passedPeers.set(request, peer)

/** The certificate that the client showed, on a TLS connection that asks for one. */
export function tlsPeerOf(request: IncomingMessage): TlsPeer | undefined {
  const { socket } = request
  if (!('getPeerCertificate' in socket)) return passedPeers.get(request)
  const secure = socket as TLSSocket
  if (!peers.has(secure)) peers.set(secure, readPeer(secure))
  return peers.get(secure)
}

function readPeer(socket: TLSSocket): TlsPeer | undefined {
  const certificate = socket.getPeerCertificate()
  // An empty object stands for none; a connection that is over has none any more.
  return certificate && 'raw' in certificate ? { certificate, authorized: socket.authorized } : undefined
}

/** What the exchanges of one front share. */
export interface NodeParts {
  readonly budget: ByteBudget
  readonly addressOf: AddressOf
  readonly idleMs: number
}

/** An exchange straight on node's own request and response: nothing is wrapped that need not be. */
export class NodeExchange implements Exchange {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #parts: NodeParts
  readonly #budget: ByteBudget
  #held = 0
  readonly path: string
  principal: Principal | undefined
  answering: Id | null | undefined

  constructor(request: IncomingMessage, response: ServerResponse, path: string, parts: NodeParts) {
    this.#request = request
    this.#response = response
    this.path = path
    this.#parts = parts
    this.#budget = parts.budget
  }

  get method(): string {
    return this.#request.method ?? 'GET'
  }

  get address(): string {
    return this.#parts.addressOf(this.#request)
  }

  get tlsPeer(): TlsPeer | undefined {
    return tlsPeerOf(this.#request)
  }

  get connection(): object {
    return this.#request.socket
  }

  header(name: string): string | undefined {
    return headerOf(this.#request, name)
  }

  query(name: string): string | undefined {
    const url = this.#request.url ?? ''
    const start = url.indexOf('?')
    return start < 0 ? undefined : (new URLSearchParams(url.slice(start)).get(name) ?? undefined)
  }

  readBody(limit: number): Promise<string> {
    const request = this.#request
    if (Number(request.headers['content-length']) > limit) return Promise.reject(tooLarge(limit))
    if (request.readableEnded) return readBefore(request)
    if (request.destroyed) return Promise.reject(endedEarly())
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      const stop = (refusal: Refusal): void => {
        request.removeAllListeners('data')
        chunks.length = 0
        reject(refusal)
      }
      let size = 0
      request.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > limit) return stop(tooLarge(limit))
        const more = Math.max(0, size - SMALL - this.#held)
        if (!this.#budget.take(more)) return stop(tooMuch())
        this.#held += more
        chunks.push(chunk)
      })
      request.on('end', () => {
        const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
        const text = textOf(body)
        if (text === undefined) reject(new Refusal(400, 'Parse error: the body is not valid UTF-8', -32700))
        else resolve(text)
      })
      // A connection that closes early is an error too.
      request.on('error', () => reject(endedEarly()))
    })
  }

  release(): void {
    this.#budget.give(this.#held)
    this.#held = 0
  }

  setHeader(name: string, value: string): void {
    if (!this.#response.headersSent) this.#response.setHeader(name, value)
  }

  reply(status: number, body: string | Uint8Array = '', headers?: Readonly<Record<string, string>>): void {
    const response = this.#response
    if (response.headersSent || response.destroyed) return
    const length = sizeOf(body)
    if (length > SMALL) this.#holdAnswer(length)
    const isRead = this.#request.complete || !hasBody(this.#request)
    if (status === 200 && !headers && isRead && this.#answersInOneWrite(body, length)) return
    response.writeHead(status, {
      ...usualHeaders(status, length),
      ...headers,
      ...(isRead ? undefined : { Connection: 'close' }),
    })
    if (isRead) response.end(body)
    else linger(this.#request, response, body)
  }

  /** Where each character is one byte there is nothing to encode. */
  #answersInOneWrite(body: string | Uint8Array, length: number): boolean {
    const isText = typeof body === 'string' && length > 0 && length === body.length
    return isText && answerInOneWrite(this.#response, body, this.#parts.idleMs)
  }

  /** A large answer counts as held until the client has read it. */
  #holdAnswer(length: number): void {
    const held = new HeldBytes(this.#budget, SMALL)
    if (!held.set(length)) throw tooManyAnswers()
    onceOver(this.#response, () => held.release())
  }

  openEvents(headers: Readonly<Record<string, string>> = {}): Events {
    const response = this.#response
    const onClose = (listener: () => void): void => onceOver(response, listener)
    const held = new HeldBytes(this.#budget, SMALL)
    const count = (): void => {
      if (!held.set(response.writableLength)) response.destroy()
    }
    response.writeHead(200, { ...STREAM_HEADERS, ...headers })
    response.flushHeaders()
    response.on('error', () => response.destroy())
    response.on('drain', count)
    const stopWaiting = onExpiry(this.principal, () => response.end())
    onClose(() => {
      held.release()
      stopWaiting()
    })
    let late: NodeJS.Timeout | undefined
    const judge = (): void => {
      late = undefined
      if (response.writableLength > FAR_BEHIND) response.destroy()
    }
    return {
      get open() {
        return !response.writableEnded && !response.destroyed
      },
      write(text) {
        if (response.writableEnded || response.destroyed) return
        if (response.writableLength > FAR_BEHIND) late ??= setTimeout(judge, BEHIND_MS).unref()
        // Only what the client has not taken yet is held.
        if (!response.write(text)) count()
      },
      end: () => void response.end(),
      onClose,
    }
  }

  onHangUp(listener: () => void): void {
    const response = this.#response
    onceOver(response, () => {
      if (!response.writableFinished) listener()
    })
  }
}

/** A client that is still sending when the connection closes may never see the answer: answer at once, close when all was sent. */
export function linger(request: IncomingMessage, response: ServerResponse, body: string | Uint8Array): void {
  response.flushHeaders()
  if (body.length > 0) response.write(body)
  const end = (): void => {
    clearTimeout(late)
    response.end()
  }
  const late = setTimeout(end, LINGER_MS)
  late.unref()
  request.once('close', end).resume()
}

/** Calls back once when the answer is over, be it complete or its connection gone. */
function onceOver(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) queueMicrotask(listener)
  else response.once('close', listener)
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const sizeOf = (body: string | Uint8Array): number => (typeof body === 'string' ? Buffer.byteLength(body) : body.length)

function usualHeaders(status: number, length: number): Readonly<Record<string, string | number>> {
  if (length > 0) return { 'Content-Type': JSON_TYPE, 'Content-Length': length }
  return status === 204 ? {} : { 'Content-Length': 0 }
}

/** The body of a request that was already read, such as by a body parser. */
function readBefore(request: IncomingMessage & { readonly body?: unknown }): Promise<string> {
  const { body } = request
  if (typeof body === 'string') return Promise.resolve(body)
  if (Buffer.isBuffer(body)) return Promise.resolve(body.toString('utf8'))
  if (typeof body === 'object' && body !== null) return Promise.resolve(JSON.stringify(body))
  return Promise.reject(
    new Refusal(500, 'The body was read before the MCP handler could read it. Mount it before body parsers.'),
  )
}

const endedEarly = (): Refusal => new Refusal(400, 'The request ended early')
