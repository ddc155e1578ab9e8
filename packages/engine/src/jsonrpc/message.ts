import { isObject } from '../support/is-object.ts'
import { refusalOf } from './json-shape.ts'
import { fault } from './errors.ts'
import type { RpcError } from './errors.ts'

/** A request's name for itself: a string or an integer, echoed with its JSON type. */
export type Id = string | number
/** Named parameters. */
export type Params = Record<string, unknown>
/** What a method gives back. */
export type Result = Record<string, unknown>
/** A message that wants an answer. */
export interface Request {
  readonly jsonrpc: '2.0'
  readonly id: Id
  readonly method: string
  readonly params?: Params
}
/** A message that never gets one. */
export interface Notification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: Params
}
/** An answer that went well. */
export interface Success {
  readonly jsonrpc: '2.0'
  readonly id: Id
  readonly result: unknown
}
/** An answer that did not; its id is missing or null where the request's could not be read. */
export interface Failure {
  readonly jsonrpc: '2.0'
  readonly id?: Id | null
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown }
}
/** An answer. */
export type Response = Success | Failure
/** Anything that travels. */
export type Message = Request | Notification | Response

/** A value that is no message, with the id to answer under if there was one to read. */
export class Malformed {
  readonly id: Id | undefined
  readonly error: RpcError
  constructor(id: Id | undefined, problem: string | RpcError) {
    this.id = id
    this.error = typeof problem === 'string' ? fault('invalid-request', `Invalid Request: ${problem}`) : problem
  }
}

/** Is it an answer to something we sent? */
export const isResponse = (message: Message): message is Response => !('method' in message)
/** Does it want an answer? */
export const isRequest = (message: Message): message is Request => 'method' in message && 'id' in message
export { isObject }

/** A value that is echoed, cut to so many characters. */
export const cut = (value: string, length: number): string =>
  value.length > length ? `${value.slice(0, length)}…` : value

/** JSON text → value; anything unreadable is a parse error that says where. */
export function parseJson(text: string): unknown {
  const refusal = refusalOf(text)
  if (refusal !== undefined) throw fault('parse', 'Parse error', { detail: refusal })
  try {
    return JSON.parse(text)
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message.slice(0, 200) : undefined
    throw fault('parse', 'Parse error', detail === undefined ? undefined : { detail }, { cause })
  }
}

/** A JSON value → the message it is, or what is wrong with it; plain JSON-RPC knows ids that are null, or no integers. */
export function toMessage(value: unknown, plainIds = false): Message | Malformed {
  if (!isObject(value)) return new Malformed(undefined, 'a message must be a JSON object')
  if (value.method === undefined && ('result' in value || 'error' in value)) return value as unknown as Response
  const id = plainIds && isPlainId(value.id) ? (value.id as Id) : readId(value.id)
  const problem = problemOf(value, id)
  if (problem !== undefined) return new Malformed(id, problem)
  return value as unknown as Request | Notification
}

function problemOf(
  { jsonrpc, method, id, params }: Record<string, unknown>,
  known: Id | undefined,
): string | undefined {
  if (jsonrpc !== '2.0') return '"jsonrpc" must be "2.0"'
  if (typeof method !== 'string') return '"method" must be a string'
  if (id === undefined) return undefined
  if (known === undefined) return '"id" must be a string or an integer'
  return isStructured(params) ? undefined : '"params" must be an object'
}

const isStructured = (params: unknown): boolean =>
  params === undefined || (typeof params === 'object' && params !== null)

// Beyond ±2^53 the number that came in is no longer the one we would echo.
const readId = (id: unknown): Id | undefined =>
  typeof id === 'string' || Number.isSafeInteger(id) ? (id as Id) : undefined

const isPlainId = (id: unknown): boolean => id === null || (Number.isFinite(id) && !Number.isInteger(id))

/** The answer to a request that went well. */
export const success = (id: Id, result: unknown): Success => ({ jsonrpc: '2.0', id, result })

/** The answer to a request that did not. */
export function failure(id: Id | null | undefined, { code, message, data }: RpcError): Failure {
  const error = data === undefined ? { code, message } : { code, message, data }
  return id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error }
}

/** A message that wants no answer. */
export const notification = (method: string, params?: Params): Notification =>
  params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params }
