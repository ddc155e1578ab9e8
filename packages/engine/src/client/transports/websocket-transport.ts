import type { WebSocket } from 'ws'
import type { IncomingMessage } from 'node:http'
import type { Message, Request } from '../../jsonrpc/message.ts'
import { asksForCredentials, unauthorized } from '../auth/authorized-client.ts'
import { challengesIn } from '../auth/challenge.ts'
import type { HttpTransportOptions } from './http-transport.ts'
import { Pending } from './pending.ts'
import { ConnectionLost, HttpError, IGNORING } from './transport.ts'
import type { RequestSink, ClientTransport, TransportListener } from './transport.ts'

const MOST_WAITING = 64 * 1024 * 1024
const UNREAD = 'The server does not read what it is sent'
const OPEN_WITHIN_MS = 30_000
const CLOSE_WITHIN_MS = 1000
const MOST_REFUSALS = 8

/** The server answered the upgrade with something else. */
class Refused extends Error {
  override readonly name = 'Refused'
  readonly response: IncomingMessage

  constructor(response: IncomingMessage) {
    super('The upgrade was refused')
    this.response = response
  }
}

/** A server behind a WebSocket: a message a text frame. */
export class WebSocketTransport implements ClientTransport {
  readonly bound = false
  listener: TransportListener = IGNORING
  readonly #options: HttpTransportOptions
  readonly #pending = new Pending()
  #socket: WebSocket | undefined
  #over: Error | undefined
  readonly #ending = new AbortController()

  constructor(options: HttpTransportOptions) {
    this.#options = options
  }

  async open(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const sent = await this.#credentials()
      try {
        return await this.#connect(sent)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        await this.#renew(error.response, sent, attempt)
      }
    }
  }

  async #credentials(): Promise<Readonly<Record<string, string>>> {
    const { url, authorizer } = this.#options
    try {
      return (await authorizer?.headers({ method: 'GET', url: new URL(url) })) ?? {}
    } catch (error) {
      throw unauthorized(401, error)
    }
  }

  /** Get better credentials after the upgrade was refused, or throw. */
  async #renew(response: IncomingMessage, sent: Readonly<Record<string, string>>, attempt: number): Promise<void> {
    const { url, authorizer } = this.#options
    const { statusCode: status = 0, headers } = response
    authorizer?.onResponse?.(headers)
    if (!authorizer || !asksForCredentials(status, headers) || attempt > MOST_REFUSALS)
      throw new HttpError(status, `The server answered the upgrade with HTTP status ${status}`)
    const { signal } = this.#ending
    const refusal = { status, method: 'GET', url: new URL(url), challenges: challengesIn(headers), headers }
    await authorizer.onRefused({ ...refusal, sent, attempt, signal }).catch((error: unknown) => {
      throw unauthorized(status, error)
    })
    if (signal.aborted) throw new ConnectionLost('The connection was closed')
  }

  async #connect(credentials: Readonly<Record<string, string>>): Promise<void> {
    const { WebSocket: Socket } = await import('ws')
    const { url, headers = {}, maxMessage = 10 * 1024 * 1024, lookup } = this.#options
    const socket = new Socket(url, 'mcp', {
      headers: { ...headers, ...credentials },
      maxPayload: maxMessage,
      handshakeTimeout: OPEN_WITHIN_MS,
      ...(lookup && { lookup }),
    })
    this.#socket = socket
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('unexpected-response', (_, response) => {
        reject(new Refused(response))
        socket.terminate()
      })
      socket.on('error', reject)
      socket.on('close', () => reject(new ConnectionLost('The server closed the socket')))
    })
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.#pending.takeText((data as Buffer).toString('utf8'), this.listener)
    })
    const over = (): void => this.#onLost(new ConnectionLost('The server closed the socket'))
    socket.on('close', over).on('error', over)
    if (socket.readyState > 1) over()
  }

  request(request: Request, sink: RequestSink): void {
    const socket = this.#socket
    if (this.#over || !socket) return sink.onLost(this.#over ?? new ConnectionLost('The socket is not open'), false)
    if (socket.bufferedAmount > MOST_WAITING) {
      return sink.onLost(new Error(UNREAD), false)
    }
    this.#pending.add(request.id, sink)
    socket.send(JSON.stringify(request))
  }

  cancel({ id }: Request): void {
    this.#pending.delete(id)
  }

  send(message: Message): void {
    const socket = this.#socket
    if (this.#over || !socket) return
    if (socket.bufferedAmount > MOST_WAITING) this.listener.onInvalid?.(`a message could not be sent: ${UNREAD}`)
    else socket.send(JSON.stringify(message))
  }

  async close(): Promise<void> {
    this.#ending.abort()
    const socket = this.#socket
    this.#onLost(new ConnectionLost('The connection was closed'), false)
    if (!socket || socket.readyState === 3) return
    await new Promise<void>(resolve => {
      const late = setTimeout(() => socket.terminate(), CLOSE_WITHIN_MS)
      socket.once('close', () => (clearTimeout(late), resolve()))
      socket.close()
    })
  }

  #onLost(why: Error, notifyListener = true): void {
    if (this.#over) return
    this.#over = why
    this.#pending.lose(why, true)
    if (notifyListener) this.listener.onClose(why)
  }
}
