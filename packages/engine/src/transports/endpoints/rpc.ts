import type { Link } from '../../call.ts'
import { Calls } from '../../jsonrpc/calls.ts'
import type { Message, Response } from '../../jsonrpc/message.ts'
import { serveMessage, serialize } from '../serve/serve-message.ts'
import { serveBatch, joined } from '../serve/serve-batch.ts'
import { formatEvent } from './event-stream.ts'
import { Refusal, parsed } from '../http/exchange.ts'
import type { Events, Exchange } from '../http/exchange.ts'
import { batchOptions, lackedRights } from './refused-batch.ts'
import { rightsStatus } from './streamable-http.ts'
import type { HttpShared } from './http-shared.ts'
import { isJson } from '../http/origin-check.ts'

/** Plain JSON-RPC 2.0 over POST: a request or a batch in, the answer out, no session and no handshake. */
export async function rpc(exchange: Exchange, shared: HttpShared): Promise<void> {
  const value = await valueOf(exchange, shared.maxBody, 'POST')
  let status = 200
  const onAnswer = (response: Response): void => void (status = rightsStatus(response, exchange, shared))
  const onLacking = (): void => void (status = 403)
  const answers = await answersTo(value, exchange, shared, { send: () => {}, onAnswer, onLacking })
  const text = answers && joined(answers)
  return text === undefined ? exchange.reply(204) : exchange.reply(status, text)
}

/** The same, each answer a `data:` event, and a last event that says there are no more. */
export async function rpcEvents(exchange: Exchange, shared: HttpShared): Promise<void> {
  const value = await valueOf(exchange, shared.maxBody, 'GET, POST')
  let opened: Events | undefined
  const events = (): Events =>
    (opened ??= shared.keepAlive.add(exchange.openEvents({ 'Content-Type': 'text/event-stream; charset=utf-8' })))
  let status = 200
  const onAnswer = (response: Response): void => {
    if (!opened) status = rightsStatus(response, exchange, shared)
  }
  const write = (text: string): void => events().write(formatEvent(text))
  const send: Send = message => write(JSON.stringify(message))
  // Where scopes decide, a refusal still has a status of its own.
  if (!shared.decidesScopes) events()
  const onLacking = (): void => void (status = 403)
  const begin = (): void => void events()
  const answers = await answersTo(value, exchange, shared, { send, onAnswer, onLacking, begin })
  if (status !== 200 && typeof answers === 'string') return exchange.reply(status, answers)
  for (const answer of answers === undefined ? [] : [answers].flat()) write(answer)
  events().write(formatEvent('{}', { event: 'done' }))
  events().end()
}

async function valueOf(exchange: Exchange, limit: number, Allow: string): Promise<unknown> {
  // Plain JSON-RPC answers under null what it cannot read.
  exchange.answering = null
  if (exchange.method !== 'POST') throw new Refusal(405, 'Method not allowed', -32000, { Allow })
  if (!isJson(exchange.header('content-type'))) throw new Refusal(415, 'Content-Type must be application/json')
  return parsed(await exchange.readBody(limit))
}

type Send = (message: Message) => void

/** What becomes of an answer, and of what comes before it. */
interface Answering {
  readonly send: Send
  readonly onAnswer: (response: Response) => void
  /** Called if the caller of a batch lacks scopes. */
  readonly onLacking: () => void
  /** Called when a call may run. */
  readonly begin?: () => void
}

async function answersTo(
  value: unknown,
  exchange: Exchange,
  shared: HttpShared,
  { send, onAnswer, onLacking, begin }: Answering,
): Promise<string | readonly string[] | undefined> {
  const { server, ending } = shared
  const link = { ...rpcLink(exchange, ending, send), ...(begin && { begin }) }
  exchange.onHangUp(() => link.calls.cancelAll('The client disconnected'))
  if (Array.isArray(value)) {
    try {
      return await serveBatch(server, value, link, batchOptions(exchange, shared, begin))
    } catch (error) {
      onLacking()
      return lackedRights(error, exchange, shared)
    }
  }
  // Headers that repeat the request are optional here, but must not contradict it.
  const headers = { required: false, get: (name: string) => exchange.header(name) }
  const response = await serveMessage(server, value, { ...link, headers })
  if (response) onAnswer(response)
  return response && serialize(response, server)
}

const rpcLink = (exchange: Exchange, signal: AbortSignal, send: Send): Link => ({
  transport: 'rpc',
  session: undefined,
  principal: exchange.principal,
  address: exchange.address,
  traceparent: exchange.header('traceparent'),
  calls: new Calls(),
  strict: false,
  direct: true,
  plainIds: true,
  signal,
  send,
})
