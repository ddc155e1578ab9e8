import type { Message, Request } from '../../jsonrpc/message.ts'
import { EventReader } from './event-parser.ts'
import type { ServerEvent } from './event-parser.ts'
import type { HttpClient, HttpExchange } from './http-client.ts'
import { clientFor } from './http-transport.ts'
import type { HttpTransportOptions } from './http-transport.ts'
import { Pending } from './pending.ts'
import { Posts } from './posts.ts'
import type { PostListener } from './posts.ts'
import { ConnectionLost, HttpError, IGNORING } from './transport.ts'
import type { RequestSink, ClientTransport, TransportListener } from './transport.ts'

const OPEN_WITHIN_MS = 30_000

/** The two-endpoint transport of the first revision: one stream for everything that comes, and a place to post. */
export class SseTransport implements ClientTransport {
  readonly bound = false
  listener: TransportListener = IGNORING
  readonly #url: URL
  readonly #headers: Readonly<Record<string, string>>
  readonly #limit: number
  readonly #client: HttpClient
  readonly #posts: Posts
  readonly #pending = new Pending()
  #post: URL | undefined
  #stream: HttpExchange | undefined
  #over: Error | undefined

  constructor(options: HttpTransportOptions) {
    this.#url = new URL(options.url)
    this.#headers = options.headers ?? {}
    this.#limit = options.maxMessage ?? 10 * 1024 * 1024
    this.#client = clientFor(options)
    this.#posts = new Posts(this.#client, 300)
  }

  /** Resolves when the server has said where to post. */
  async open(): Promise<void> {
    await this.#client.load()
    await new Promise<void>((resolve, reject) => {
      const startClock = () =>
        setTimeout(() => failed(new Error('The server did not say where to post')), OPEN_WITHIN_MS)
      let late = startClock()
      const failed = (why: Error): void => {
        clearTimeout(late)
        reject(why)
        this.#onLost(why)
      }
      const opened = (): void => (clearTimeout(late), resolve())
      const events = new EventReader(this.#limit, event => this.#onEvent(event, opened, failed))
      const headers = { ...this.#headers, accept: 'text/event-stream' }
      this.#stream = this.#client.send(
        { method: 'GET', url: this.#url, headers },
        {
          onStart: status => {
            if (status !== 200) failed(new HttpError(status, `The server answered GET with HTTP status ${status}`))
          },
          onText: text => {
            if (this.#over) return
            try {
              events.feed(text)
            } catch (error) {
              failed(error as Error)
            }
          },
          onHold: isHeld => {
            clearTimeout(late)
            if (!isHeld) late = startClock()
          },
          onEnd: () => failed(new ConnectionLost('The server closed its stream')),
          onError: failed,
        },
      )
    })
  }

  request(request: Request, sink: RequestSink): void {
    if (this.#over) return sink.onLost(this.#over, false)
    this.#pending.add(request.id, sink)
    const failed = (why: Error, sent: boolean): void => {
      // A request that already failed or was answered is not notified again.
      if (this.#pending.delete(request.id)) sink.onLost(why, sent)
    }
    this.#deliver(request, { onFailed: failed, onHold: isHeld => sink.onHold?.(isHeld) }, true)
  }

  cancel({ id }: Request): void {
    this.#pending.delete(id)
  }

  send(message: Message): void {
    this.#deliver(message, {
      onFailed: why => this.listener.onInvalid?.(`a message could not be sent: ${why.message}`),
    })
  }

  async close(): Promise<void> {
    this.#onLost(new ConnectionLost('The connection was closed'), false)
    await this.#client.close()
  }

  #deliver(message: Message, listener: PostListener, isRequest = false): void {
    const url = this.#post
    if (!url || this.#over)
      return listener.onFailed(this.#over ?? new ConnectionLost('The connection is not open'), false)
    const headers = { ...this.#headers, 'content-type': 'application/json' }
    this.#posts.send({ method: 'POST', url, headers, body: JSON.stringify(message) }, listener, isRequest)
  }

  #onEvent({ event, data }: ServerEvent, opened: () => void, failed: (why: Error) => void): void {
    if (event === 'endpoint') {
      const url = URL.canParse(data, this.#url.href) ? new URL(data, this.#url) : undefined
      // A server may not send our messages, and the token they carry, elsewhere.
      if (url?.origin !== this.#url.origin) return failed(new Error('The server named another origin to post to'))
      this.#post = url
      return opened()
    }
    if (event === 'message') this.#pending.takeText(data, this.listener)
  }

  #onLost(why: Error, notifyListener = true): void {
    if (this.#over) return
    this.#over = why
    this.#stream?.abort()
    this.#pending.lose(why, true)
    if (notifyListener) this.listener.onClose(why)
  }
}
