import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** The head of an answer. */
export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** What came after it so far. */
  readonly rest: string
}

/** A connection of bytes: nothing is added to what a test writes. */
export class Raw {
  readonly socket: Socket
  text = ''
  /** Resolves when the other side is gone too. */
  readonly closed: Promise<void>
  readonly #waiting = new Set<() => void>()

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    this.socket.setNoDelay(true)
    this.socket.setEncoding('latin1').on('data', (chunk: string) => {
      this.text += chunk
      this.#look()
    })
    this.socket.on('error', () => {})
    this.closed = new Promise(resolve => {
      this.socket.once('close', () => {
        this.#look()
        resolve()
      })
    })
    this.socket.once('end', () => this.#look())
  }

  /** A connection that is there. */
  static async open(port: number): Promise<Raw> {
    const raw = new Raw(port)
    await once(raw.socket, 'connect')
    return raw
  }

  write(text: string | Uint8Array): void {
    this.socket.write(text)
  }

  /** Resolves once that much was read; rejects if the other side ends before. */
  reads(isSo: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const over = this.socket.readableEnded || this.socket.destroyed
        if (!isSo() && !over) return
        this.#waiting.delete(look)
        if (isSo()) resolve()
        else reject(new Error(`The connection ended before that; it said: ${this.text.slice(0, 2000)}`))
      }
      this.#waiting.add(look)
      look()
    })
  }

  /** The head of the next answer. */
  async head(): Promise<Head> {
    await this.reads(() => this.text.includes('\r\n\r\n'))
    return headOf(this.text)
  }

  /** Resolves when the other side has said its last word. */
  async ended(): Promise<void> {
    if (this.socket.readableEnded || this.socket.destroyed) return
    await Promise.race([once(this.socket, 'end').catch(() => {}), this.closed])
  }

  hangUp(): void {
    this.socket.destroy()
  }

  /** Hang up with a reset instead of a goodbye. */
  reset(): void {
    this.socket.resetAndDestroy()
  }

  #look(): void {
    for (const look of this.#waiting) look()
  }
}

function headOf(text: string): Head {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const fields = lines.map(line => {
    const at = line.indexOf(':')
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const
  })
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(fields), rest: rest.join('\r\n\r\n') }
}

/** A request, spelled out. */
export interface RawSent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string
}

/** The bytes of a request; nothing is added but a Host where none is given. */
export function spelled({ method = 'POST', path = '/mcp', headers = {}, body = '' }: RawSent): string {
  const all = {
    host: '127.0.0.1',
    ...headers,
    ...(body !== '' && { 'content-length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${body}`
}

/** The head of the answer to one request, after which the connection is dropped. */
export async function raw(port: number, sent: RawSent): Promise<Head> {
  const connection = await Raw.open(port)
  connection.write(spelled(sent))
  const head = await connection.head()
  connection.hangUp()
  return head
}
