import type { Message } from '@causeway/engine'
import { isObject, parseJson } from '@causeway/engine/internal'

/** The value of a JSON text, if it is not too deep or too large to be handled; otherwise an error that says why. */
export function valueIn(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    const { message, data } = error as Error & { readonly data?: unknown }
    throw new Error(isObject(data) && typeof data.detail === 'string' ? data.detail : message, { cause: error })
  }
}

/** Why a value is no message of MCP; undefined if it is one. */
export function problemOf(value: unknown): string | undefined {
  if (!isObject(value)) return 'a message is a JSON object'
  if (value.jsonrpc !== '2.0') return '"jsonrpc" must be "2.0"'
  if (value.method !== undefined) return problemOfAsking(value)
  if (isObject(value.error)) return problemOfError(value.id, value.error)
  if (!isId(value.id)) return ID
  return isObject(value.result) ? undefined : 'it must have "method", "result" or "error"; a result is an object'
}

/** Is it a message? */
export const isMessage = (value: unknown): value is Message => problemOf(value) === undefined

const ID = '"id" must be a string or an integer'

const isId = (id: unknown): boolean => typeof id === 'string' || Number.isSafeInteger(id)

function problemOfAsking({ id, method, params }: Record<string, unknown>): string | undefined {
  if (typeof method !== 'string') return '"method" must be a string'
  if (id !== undefined && !isId(id)) return ID
  return params === undefined || isObject(params) ? undefined : '"params" must be an object'
}

/** An error that is about no request that could be read has no id. */
function problemOfError(id: unknown, { code, message }: Record<string, unknown>): string | undefined {
  if (id !== undefined && id !== null && !isId(id)) return ID
  return Number.isSafeInteger(code) && typeof message === 'string'
    ? undefined
    : 'an error has an integer "code" and a text "message"'
}
