import type { Call } from '../call.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { RESULT_META } from './meta-keys.ts'

/** Who wrote the text of a result, if not this server. */
export function writerOf({ _meta }: Result, { cancellation }: Call): string | undefined {
  const writer = isObject(_meta) ? _meta[RESULT_META.data] : undefined
  return typeof writer === 'string' ? writer : cancellation.writer
}

/** Who wrote the words of a call's failure, if not this server. */
export const writerOfError = ({ cancellation }: Call, error: unknown): string | undefined =>
  cancellation.writtenElsewhere?.error === error ? cancellation.writtenElsewhere?.writer : undefined

/** Remember who wrote the words of a call's failure. */
export function markError({ cancellation }: Call, error: Error, writer: string): void {
  cancellation.writtenElsewhere = { error, writer }
}
