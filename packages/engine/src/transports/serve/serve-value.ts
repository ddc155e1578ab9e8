import { after } from '../../awaitable.ts'
import type { Awaitable, Link } from '../../call.ts'
import { RpcError, fault } from '../../jsonrpc/errors.ts'
import { Malformed, parseJson } from '../../jsonrpc/message.ts'
import type { Server } from '../../server.ts'
import { serveMessage, serialize } from './serve-message.ts'
import { serveBatch, joined } from './serve-batch.ts'
import type { ByteBudget } from '../limits/byte-budget.ts'

/** One value in, one text out: a message, a batch of messages, or text that could not be parsed. */
export function serveValue(
  server: Server,
  value: unknown,
  link: Link,
  budget?: ByteBudget,
): Awaitable<string | undefined> {
  if (Array.isArray(value)) return after(serveBatch(server, value, link, { budget }), joined)
  const response = serveMessage(server, value, link)
  if (response instanceof Promise) return response.then(later => later && serialize(later, server))
  return response && serialize(response, server)
}

/** The value of a text, to be served; for text that is not JSON, the error to answer with. */
export function parseText(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    return new Malformed(undefined, error instanceof RpcError ? error : fault('internal', 'Internal error'))
  }
}
