import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { RESULT_META } from './meta-keys.ts'

const writers = new WeakMap<Error, string>()

/** Who wrote the text of a result, if not this server. */
export function writerOf(result: Result): string | undefined {
  const writer = isObject(result._meta) ? result._meta[RESULT_META.data] : undefined
  return typeof writer === 'string' ? writer : undefined
}

/** Who wrote the words of a failure, if not this server. */
export const writerOfError = (error: unknown): string | undefined =>
  error instanceof Error ? writers.get(error) : undefined

/** Remember who wrote the words of a failure. */
export const markError = (error: Error, writer: string): void => void writers.set(error, writer)
