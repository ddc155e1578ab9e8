import type { Call, Policy } from '../call.ts'
import { markError } from '../results/data-writers.ts'
import { copyOf } from '../jsonrpc/copy-of.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { RESULT_META } from '../results/meta-keys.ts'
import { resultStep } from '../policies/result-step.ts'
import { showInvisible } from './invisible.ts'
import { cleanQuestions } from './questions.ts'
import { isOwn } from './server-text.ts'
import { shown } from './shown.ts'

/**
 * For what returns text that others wrote: a program, a repository, another server. Its results are marked as data
 * (`_meta`), and what cannot be seen in their text is taken away or shown; contents of resources are left as they are.
 */
export function dataFrom(writer: string, { exact = false, asks = false }: DataOptions = {}): Policy {
  return exact ? exactFrom(writer) : cleanFrom(writer, asks)
}

/** How text of others is passed on. */
export interface DataOptions {
  /** Keep every character, as editing needs it; only `spotlight` treats such a result in another way than others. */
  readonly exact?: boolean
  /** The questions it asks the user are text of others, too. */
  readonly asks?: boolean
}

const exactFrom =
  (writer: string): Policy =>
  (call, next) => {
    call.cancellation.writer = writer
    return next(call)
  }

function cleanFrom(writer: string, asks: boolean): Policy {
  const mark = { [RESULT_META.data]: writer }
  const cleaned = (result: Result): Result => {
    const isAsking = result.resultType === 'input_required'
    if (isAsking && !asks) return result
    const { content, messages, structuredContent, _meta } = result
    const clean: Result = copyOf(isAsking ? cleanQuestions(result) : result)
    clean._meta = isObject(_meta) ? { ..._meta, ...mark } : mark
    if (content !== undefined) clean.content = shown(content, 0)
    if (messages !== undefined) clean.messages = shown(messages, 0)
    if (structuredContent !== undefined) clean.structuredContent = shown(structuredContent, 0)
    return clean
  }
  const fail = (error: unknown, call: Call): never => {
    if (error instanceof Error) {
      error.message = showInvisible(error.message)
      if (!isOwn(error)) markError(call, error, writer)
    }
    throw error
  }
  return resultStep({ onResult: cleaned, onError: fail })
}
