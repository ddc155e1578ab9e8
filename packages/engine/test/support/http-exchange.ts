import { request } from 'node:http'
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { ReceivedMessage } from './peer.ts'

/** One HTTP request, as a test writes it. */
export interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Text goes as it is; anything else as JSON. */
  readonly body?: unknown
}

/** One HTTP answer, complete. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** One server-sent event. */
export interface SentEvent {
  readonly event?: string
  readonly id?: string
  readonly retry?: number
  readonly data: string
}

/** The body as the message it is. */
export const messageOf = ({ text }: Answer): ReceivedMessage => JSON.parse(text) as ReceivedMessage
/** The body as the batch it is. */
export const messagesOf = ({ text }: Answer): ReceivedMessage[] => JSON.parse(text) as ReceivedMessage[]

/** An answer that may still be coming: its head is here, the rest is read as it arrives. */
export class Stream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  text = ''
  /** Resolves when nothing more will come, whoever ended it. */
  readonly ended: Promise<void>
  over = false
  readonly #response: IncomingMessage
  readonly #waiting = new Set<() => void>()

  constructor(response: IncomingMessage) {
    this.#response = response
    this.status = response.statusCode ?? 0
    this.headers = response.headers
    response.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk
      this.#look()
    })
    response.on('error', () => {})
    this.ended = new Promise(resolve => {
      response.once('close', () => {
        this.over = true
        this.#look()
        resolve()
      })
    })
  }

  /** Complete events so far; comments are none. */
  get events(): SentEvent[] {
    return this.text
      .split('\n\n')
      .slice(0, -1)
      .filter(block => !block.startsWith(':'))
      .map(toEvent)
  }

  /** The messages of the events so far. */
  get messages(): ReceivedMessage[] {
    return this.events.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data) as ReceivedMessage)
  }

  /** The ids of the events so far. */
  get ids(): string[] {
    return this.events.flatMap(({ id }) => (id === undefined ? [] : [id]))
  }

  /** The first message that fits; rejects if the stream ends without one. */
  async until(fits: (message: ReceivedMessage) => boolean): Promise<ReceivedMessage> {
    const find = (): ReceivedMessage | undefined => this.messages.find(fits)
    await this.reads(() => find() !== undefined)
    return find() as ReceivedMessage
  }

  /** Resolves once that is so; rejects if the stream ends before. */
  reads(isSo: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!isSo() && !this.over) return
        this.#waiting.delete(look)
        if (isSo()) resolve()
        else reject(new Error(`The stream ended before that; it said: ${this.text.slice(0, 2000)}`))
      }
      this.#waiting.add(look)
      look()
    })
  }

  /** Give away the data of each event as it comes; resolves when the stream ends. */
  async follow(onData: (data: string) => void): Promise<void> {
    let at = 0
    const look = (): void => {
      const { events } = this
      for (; at < events.length; at++) onData(events[at]?.data ?? '')
    }
    this.#waiting.add(look)
    look()
    await this.ended
  }

  /** Take nothing more until `resume`. */
  pause(): void {
    this.#response.pause()
  }

  resume(): void {
    this.#response.resume()
  }

  /** Leave without a word. */
  hangUp(): void {
    this.#response.destroy()
  }

  #look(): void {
    for (const look of this.#waiting) look()
  }
}

function toEvent(block: string): SentEvent {
  const fields = block.split('\n').map(line => {
    const at = line.indexOf(':')
    return [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')] as const
  })
  const { retry, data = '', ...rest } = Object.fromEntries(fields) as Record<string, string>
  return { ...rest, data, ...(retry !== undefined && { retry: Number(retry) }) }
}

/** Send a request, and be free to leave before it is answered. */
export function begin(url: string, { method = 'POST', path = '/mcp', headers = {}, body }: Sent): ClientRequest {
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  const sending = request(new URL(path, url), { method, headers: given, agent: false })
  sending.on('error', () => {})
  if (body instanceof Readable) body.pipe(sending)
  else sending.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
  return sending
}

/** Send a request; resolves when the head of the answer is here. */
export function open(url: string, sent: Sent): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const sending = begin(url, sent)
    sending.once('response', response => resolve(new Stream(response)))
    sending.on('error', reject)
  })
}

/** Send a request and read the answer to its end. */
export async function exchange(url: string, sent: Sent): Promise<Answer> {
  const stream = await open(url, sent)
  await stream.ended
  return stream
}

/** The headers of an ordinary POST. */
export const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
} as const
