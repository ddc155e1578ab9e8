import { after } from '../../awaitable.ts'
import type { Awaitable, Link } from '../../call.ts'
import { RpcError, fault } from '../../jsonrpc/errors.ts'
import { parseJson } from '../../jsonrpc/message.ts'
import { unreadable } from '../../errors/error-response.ts'
import type { Server } from '../../server.ts'
import { serveMessage, serialize } from './serve-message.ts'
import { serveBatch, joined } from './serve-batch.ts'
import type { ByteBudget } from '../limits/byte-budget.ts'

/** One text in, one text out: a message or a batch of them, parsed once and written once. */
export function serveText(
  server: Server,
  text: string,
  link: Link,
  budget?: ByteBudget,
): Awaitable<string | undefined> {
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    return serialize(unreadable({ id: undefined, error: asRpcError(error) }, link, server.log), server)
  }
  return serveValue(server, value, link, budget)
}

/** The same for a value that was parsed already. */
export function serveValue(
  server: Server,
  value: unknown,
  link: Link,
  budget?: ByteBudget,
): Awaitable<string | undefined> {
  if (Array.isArray(value)) return after(serveBatch(server, value, link, budget), joined)
  return after(serveMessage(server, value, link), response => response && serialize(response, server))
}

const asRpcError = (error: unknown): RpcError =>
  error instanceof RpcError ? error : fault('internal', 'Internal error')
