import type { Awaitable, Link } from '../../call.ts'
import { fault } from '../../jsonrpc/errors.ts'
import { Malformed, failure, isObject, toMessage } from '../../jsonrpc/message.ts'
import type { Response } from '../../jsonrpc/message.ts'
import { cacheable } from '../../methods/cacheable.ts'
import { describesItself } from '../../protocol/envelope.ts'
import { unreadable } from '../../errors/error-response.ts'
import type { Server } from '../../server.ts'

/** The answer to one value that should be a message. */
export function serveMessage(server: Server, value: unknown, link: Link): Awaitable<Response | undefined> {
  const message = value instanceof Malformed ? value : toMessage(value, link.plainIds && !describesItself(value))
  if (!(message instanceof Malformed)) return server.handle(message, link)
  const { id, error } = message
  return unreadable({ id, error, enveloped: describesItself(value) }, link, server)
}

const serialized = new WeakMap<object, string>()

/** A response as JSON; the text of a cacheable result is kept. */
export function serialize(response: Response, server: Pick<Server, 'log'>): string {
  try {
    if (!('result' in response)) return JSON.stringify(response)
    const { id, result } = response
    // Put together here: one call for the whole response takes V8 a third longer.
    return `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},"result":${textOf(result)}}`
  } catch (error) {
    server.log('error', 'an answer could not be written as JSON', { request: response.id, error })
    const why = error instanceof RangeError ? 'it is nested too deeply' : 'it holds something JSON cannot express'
    return JSON.stringify(failure(response.id, fault('internal', `The answer could not be written: ${why}`)))
  }
}

// A bare value of a tool called directly may be one that JSON has no text for.
function textOf(result: unknown): string {
  if (!isObject(result) || !cacheable.has(result)) return JSON.stringify(result) ?? 'null'
  const text = serialized.get(result) ?? JSON.stringify(result)
  serialized.set(result, text)
  return text
}
