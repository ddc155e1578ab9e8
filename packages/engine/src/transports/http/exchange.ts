import type { TlsPeer } from '../../auth/authenticator.ts'
import type { Principal } from '../../auth/principal.ts'
import { spellRefusal } from '../../errors/error-response.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { failure, parseJson } from '../../jsonrpc/message.ts'
import type { Id } from '../../jsonrpc/message.ts'
import type { Server } from '../../server.ts'

/** A request that HTTP itself refuses: a status, and words for the body. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: number
  readonly headers: Readonly<Record<string, string>>
  /** What the body has in addition to its message. */
  data: unknown
  constructor(status: number, message: string, code = -32000, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

/** An open event stream: text goes out until one of the sides ends it. */
export interface Events {
  readonly open: boolean
  write(text: string): void
  end(): void
  /** Called once, when the stream is over, whichever side ended it. */
  onClose(listener: () => void): void
}

/** One HTTP request and its answer, as a transport sees them. */
export interface Exchange {
  readonly method: string
  readonly path: string
  /** Where the client is; `local` if it is not known. */
  readonly address: string
  /** The certificate the client showed, if it did. */
  readonly tlsPeer: TlsPeer | undefined
  /** Stands for the connection, if requests have one in common: something may be remembered for as long as it lasts. */
  readonly connection?: object | undefined
  /** Who was authenticated. */
  principal: Principal | undefined
  /** The request that is being answered, once it is known: a refusal names it. */
  answering: Id | null | undefined
  header(name: string): string | undefined
  query(name: string): string | undefined
  /** The body as text, refused while it arrives if it is too long. */
  readBody(limit: number): Promise<string>
  /** Headers every answer to this request carries. */
  setHeader(name: string, value: string): void
  reply(status: number, body?: string | Uint8Array, headers?: Readonly<Record<string, string>>): void
  openEvents(headers?: Readonly<Record<string, string>>): Events
  /** Called if the client leaves before the answer is complete. */
  onHangUp(listener: () => void): void
  /** It was served, or refused: nothing of the request has to be held any longer. An event stream may still be open. */
  release(): void
}

/** Tell a client why it was refused, as a JSON-RPC error. */
export function refuse(
  exchange: Exchange,
  { status, code, message, headers, data }: Refusal,
  { dialect }: Pick<Server, 'dialect'>,
): void {
  const spelled = spellRefusal(code, message, dialect)
  const error = new RpcError(code, spelled.message, dialect.details ? (data ?? spelled.data) : undefined)
  exchange.reply(status, JSON.stringify(failure(exchange.answering, error)), headers)
}

/** A body as JSON, or a refusal. */
export function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    const refusal = new Refusal(400, error instanceof Error ? error.message : 'Parse error', -32700)
    if (error instanceof RpcError) refusal.data = error.data
    throw refusal
  }
}

/** The headers of every event stream. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
}

/** Unread answers fill the memory. */
export const tooManyAnswers = (): Refusal =>
  new Refusal(503, 'Too many large answers wait to be read. Try again later.', -32004, { 'Retry-After': '1' })

/** Large requests that are still being read fill it, too. */
export const tooMuch = (): Refusal =>
  new Refusal(503, 'Too many large requests at once. Try again later.', -32004, {
    Connection: 'close',
    'Retry-After': '1',
  })

/** What is still coming is not read, so the connection is of no more use. */
export const tooLarge = (limit: number): Refusal =>
  new Refusal(413, `Request too large: at most ${limit} bytes are accepted`, -32600, { Connection: 'close' })
