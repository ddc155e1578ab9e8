import type { Link } from '../call.ts'
import { Calls } from '../jsonrpc/calls.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import { Malformed, failure, isObject, isRequest, toMessage } from '../jsonrpc/message.ts'
import type { Message, Response } from '../jsonrpc/message.ts'
import { checkMirrors, checkVersionHeader } from '../protocol/headers.ts'
import { META } from '../protocol/keys.ts'
import { answerOne, serialize } from './answer-one.ts'
import { answerBatch, joined } from './batch.ts'
import { formatEvent } from './event-stream.ts'
import { Refusal, parsed } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import type { HttpShared } from './streamable-http.ts'
import { isJson } from './guard.ts'

/** Plain JSON-RPC 2.0 over POST: a request or a batch in, the answer out, no session and no handshake. */
export async function rpc(exchange: Exchange, shared: HttpShared): Promise<void> {
  const value = await valueOf(exchange, shared.maxBody, 'POST')
  const answers = await answersTo(value, exchange, shared, () => {})
  const text = answers && joined(answers)
  return text === undefined ? exchange.reply(204) : exchange.reply(200, text)
}

/** The same, each answer a `data:` event, and a last event that says there are no more. */
export async function rpcEvents(exchange: Exchange, shared: HttpShared): Promise<void> {
  const value = await valueOf(exchange, shared.maxBody, 'GET, POST')
  const events = shared.keepAlive.add(exchange.openEvents({ 'Content-Type': 'text/event-stream; charset=utf-8' }))
  const write = (text: string): void => events.write(formatEvent(text))
  const answers = await answersTo(value, exchange, shared, message => write(JSON.stringify(message)))
  for (const answer of answers === undefined ? [] : [answers].flat()) write(answer)
  events.write(formatEvent('{}', { event: 'done' }))
  events.end()
}

async function valueOf(exchange: Exchange, limit: number, Allow: string): Promise<unknown> {
  // Plain JSON-RPC answers under null what it cannot read.
  exchange.answering = null
  if (exchange.method !== 'POST') throw new Refusal(405, 'Method not allowed', -32000, { Allow })
  if (!isJson(exchange.header('content-type'))) throw new Refusal(415, 'Content-Type must be application/json')
  return parsed(await exchange.readBody(limit))
}

type Send = (message: Message) => void

async function answersTo(
  value: unknown,
  exchange: Exchange,
  shared: HttpShared,
  send: Send,
): Promise<string | readonly string[] | undefined> {
  const { server, ending } = shared
  const link = rpcLink(exchange, ending, send)
  exchange.onHangUp(() => link.calls.cancelAll('The client hung up'))
  if (Array.isArray(value)) return answerBatch(server, value, link, shared.budget)
  const response = mirrorsFail(value, exchange) ?? (await answerOne(server, value, link))
  return response && serialize(response, server)
}

const rpcLink = ({ principal, address }: Exchange, signal: AbortSignal, send: Send): Link => ({
  transport: 'rpc',
  session: undefined,
  principal,
  address,
  calls: new Calls(),
  strict: false,
  direct: true,
  nullIds: true,
  signal,
  send,
})

/** Headers that repeat the request are optional here, but must not contradict it. */
function mirrorsFail(value: unknown, exchange: Exchange): Response | undefined {
  const message = toMessage(value)
  if (message instanceof Malformed || !isRequest(message)) return undefined
  const version = isObject(message.params?._meta) ? message.params._meta[META.protocolVersion] : undefined
  if (typeof version !== 'string') return undefined
  const headers = (name: string): string | undefined => exchange.header(name)
  try {
    checkVersionHeader(headers, version, false)
    checkMirrors(headers, message, false)
    return undefined
  } catch (error) {
    if (error instanceof RpcError) return failure(message.id, error)
    throw error
  }
}
