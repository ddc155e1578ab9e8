import { after, all } from '../awaitable.ts'
import type { Awaitable, Link } from '../call.ts'
import { RpcError, fault } from '../jsonrpc/errors.ts'
import { Malformed, failure, isObject, parseJson, toMessage } from '../jsonrpc/message.ts'
import type { Response } from '../jsonrpc/message.ts'
import { cacheable } from '../cacheable.ts'
import { refuseBatch, refuseMember } from '../protocol/batch.ts'
import { describesItself } from '../protocol/envelope.ts'
import { spoken } from '../protocol/session.ts'
import { unreadable } from '../reply.ts'
import type { Server } from '../server.ts'

/** One text in, one text out: a message or a batch of them, parsed once and written once. */
export function answerText(server: Server, text: string, link: Link): Awaitable<string | undefined> {
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    return serialize(unreadable({ id: undefined, error: asRpcError(error) }, link, server.log), server)
  }
  return answerValue(server, value, link)
}

/** The same for a value that was parsed already. */
export function answerValue(server: Server, value: unknown, link: Link): Awaitable<string | undefined> {
  if (Array.isArray(value)) return after(answerBatch(server, value, link), answers => serializeAll(answers, server))
  return after(answerOne(server, value, link), response => response && serialize(response, server))
}

/** The answer to one value that should be a message. */
export function answerOne(server: Server, value: unknown, link: Link): Awaitable<Response | undefined> {
  const message = toMessage(value, link.nullIds)
  if (!(message instanceof Malformed)) return server.handle(message, link)
  const { id, error } = message
  return unreadable({ id, error, enveloped: describesItself(value) }, link, server.log)
}

/** The answers to a batch: one each, or a single refusal of the whole. */
export function answerBatch(server: Server, batch: readonly unknown[], link: Link): Awaitable<Response | Response[]> {
  const error = refuseBatch(batch, server.batches ? undefined : spoken(link.session))
  if (error) return unreadable({ id: undefined, error }, link, server.log)
  const answers = batch.map(value => answerMember(server, value, link))
  return after(all(answers), settled => settled.filter(answer => answer !== undefined))
}

/** Answers as JSON: nothing for none, an array for a batch. */
export function serializeAll(answers: Response | readonly Response[], server: Pick<Server, 'log'>): string | undefined {
  if (!isList(answers)) return serialize(answers, server)
  return answers.length === 0 ? undefined : `[${answers.map(response => serialize(response, server)).join(',')}]`
}

const isList = (answers: Response | readonly Response[]): answers is readonly Response[] => Array.isArray(answers)

function answerMember(server: Server, value: unknown, link: Link): Awaitable<Response | undefined> {
  const message = toMessage(value, link.nullIds)
  const error = message instanceof Malformed ? undefined : refuseMember(message)
  if (!error) return answerOne(server, value, link)
  const id = 'id' in message ? message.id : undefined
  return id === undefined ? undefined : unreadable({ id: id ?? undefined, error }, link, server.log)
}

const kept = new WeakMap<object, string>()

/** A response as JSON; the text of a cacheable result is kept. */
export function serialize(response: Response, server: Pick<Server, 'log'>): string {
  try {
    if ('result' in response && isObject(response.result) && cacheable.has(response.result)) {
      const text = kept.get(response.result) ?? JSON.stringify(response.result)
      kept.set(response.result, text)
      return `{"jsonrpc":"2.0","id":${JSON.stringify(response.id)},"result":${text}}`
    }
    return JSON.stringify(response)
  } catch (error) {
    server.log('error', 'an answer could not be written as JSON', { request: response.id, error })
    const why = error instanceof RangeError ? 'it is nested too deeply' : 'it holds something JSON cannot express'
    return JSON.stringify(failure(response.id, fault('internal', `The answer could not be written: ${why}`)))
  }
}

const asRpcError = (error: unknown): RpcError =>
  error instanceof RpcError ? error : fault('internal', 'Internal error')
