import { after } from '../awaitable.ts'
import type { Awaitable, Link } from '../call.ts'
import { RpcError, fault } from '../jsonrpc/errors.ts'
import { Malformed, failure, isObject, parseJson, toMessage } from '../jsonrpc/message.ts'
import type { Response } from '../jsonrpc/message.ts'
import { lasting } from '../lasting.ts'
import { META } from '../protocol/keys.ts'
import { revisionOf } from '../protocol/session.ts'
import { unreadable } from '../reply.ts'
import type { Server } from '../server.ts'

const LONGEST_BATCH = 1000

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
  return unreadable({ id, error, enveloped: isEnveloped(value) }, link, server.log)
}

/** The answers to a batch: one each, or a single refusal of the whole. */
export function answerBatch(server: Server, batch: readonly unknown[], link: Link): Awaitable<Response | Response[]> {
  const error = refuseBatch(batch, link)
  if (error) return unreadable({ id: undefined, error }, link, server.log)
  const answers = batch.map(value => answerMember(server, value, link))
  return after(all(answers), settled => settled.filter(answer => answer !== undefined))
}

const all = <T>(values: Awaitable<T>[]): Awaitable<T[]> =>
  values.some(value => value instanceof Promise) ? Promise.all(values) : (values as T[])

/** Answers as JSON: nothing for none, an array for a batch. */
export function serializeAll(answers: Response | readonly Response[], server: Pick<Server, 'log'>): string | undefined {
  if (!isList(answers)) return serialize(answers, server)
  return answers.length === 0 ? undefined : `[${answers.map(response => serialize(response, server)).join(',')}]`
}

const isList = (answers: Response | readonly Response[]): answers is readonly Response[] => Array.isArray(answers)

function refuseBatch(batch: readonly unknown[], { session }: Link): RpcError | undefined {
  const bad = (why: string): RpcError => fault('invalid-request', `Invalid Request: ${why}`)
  if (batch.length === 0) return bad('the batch is empty')
  if (batch.length > LONGEST_BATCH) return bad(`a batch may hold at most ${LONGEST_BATCH} messages`)
  if (!revisionOf(session).traits.batch || batch.some(isEnveloped))
    return bad('this revision of the protocol has no batches')
  return undefined
}

/** Does it describe itself, as messages of the stateless era do? */
export const isEnveloped = (value: unknown): boolean =>
  isObject(value) &&
  isObject(value.params) &&
  isObject(value.params._meta) &&
  META.protocolVersion in value.params._meta

function answerMember(server: Server, value: unknown, link: Link): Awaitable<Response | undefined> {
  const message = toMessage(value, link.nullIds)
  const isHandshake = !(message instanceof Malformed) && 'method' in message && message.method === 'initialize'
  if (!isHandshake) return answerOne(server, value, link)
  const id = 'id' in message ? message.id : undefined
  if (id === undefined) return undefined
  const error = fault('invalid-request', 'Invalid Request: initialize cannot be part of a batch')
  return unreadable({ id, error }, link, server.log)
}

const kept = new WeakMap<object, string>()

/** A response as JSON; the text of a lasting result is kept. */
export function serialize(response: Response, server: Pick<Server, 'log'>): string {
  try {
    if ('result' in response && isObject(response.result) && lasting.has(response.result)) {
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
