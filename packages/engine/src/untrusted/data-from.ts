import type { Call, Policy } from '../call.ts'
import { markError } from '../results/data-writers.ts'
import { copyOf } from '../jsonrpc/copy-of.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Params, Result } from '../jsonrpc/message.ts'
import { RESULT_META } from '../results/meta-keys.ts'
import { resultStep } from '../policies/result-step.ts'
import { showInvisible } from './invisible.ts'

/**
 * For what returns text that others wrote: a program, a repository, another server. Its results are marked as data
 * (`_meta`), and what cannot be seen in their text is taken away or shown; contents of resources are left as they are.
 */
export function dataFrom(writer: string, { exact = false }: DataOptions = {}): Policy {
  return exact ? exactFrom(writer) : cleanFrom(writer)
}

/** How text of others is passed on. */
export interface DataOptions {
  /** Keep every character, as editing needs it; only `spotlight` treats such a result in another way than others. */
  readonly exact?: boolean
}

const exactFrom =
  (writer: string): Policy =>
  (call, next) => {
    call.cancellation.writer = writer
    return next(call)
  }

function cleanFrom(writer: string): Policy {
  const mark = { [RESULT_META.data]: writer }
  const cleaned = (result: Result): Result => {
    if (result.resultType === 'input_required') return result
    const { content, messages, structuredContent, _meta } = result
    const clean: Result = copyOf(result)
    clean._meta = isObject(_meta) ? { ..._meta, ...mark } : mark
    if (content !== undefined) clean.content = shown(content, 0)
    if (messages !== undefined) clean.messages = shown(messages, 0)
    if (structuredContent !== undefined) clean.structuredContent = shown(structuredContent, 0)
    return clean
  }
  const fail = (error: unknown, call: Call): never => {
    if (error instanceof Error) {
      error.message = showInvisible(error.message)
      markError(call, error, writer)
    }
    throw error
  }
  return resultStep({ onResult: cleaned, onError: fail })
}

const DEEPEST = 1000
// Pictures and sound are no text, and a link must be as it was given.
const EXACT = new Set(['data', 'blob', 'uri', 'mimeType', 'type', 'annotations', '_meta'])

/** The value with nothing hidden in its texts: itself where there is nothing. */
export function shown(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return showInvisible(value)
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  return Array.isArray(value) ? shownItems(value, depth) : shownMembers(value, depth)
}

/** The same list where nothing had to be shown, which is nearly always. */
function shownItems(list: readonly unknown[], depth: number): readonly unknown[] {
  let copy: unknown[] | undefined
  for (const [i, item] of list.entries()) {
    const seen = shown(item, depth + 1)
    if (seen !== item) (copy ??= [...list])[i] = seen
  }
  return copy ?? list
}

function shownMembers(value: object, depth: number): object {
  const isBlock = 'type' in value
  let changed: [string, unknown][] | undefined
  for (const key of Object.keys(value)) {
    if (isBlock && EXACT.has(key)) continue
    const member = (value as Params)[key]
    const seen = shown(member, depth + 1)
    if (seen !== member) (changed ??= []).push([key, seen])
  }
  // As own members, whatever their names.
  return changed ? Object.fromEntries([...Object.entries(value), ...changed]) : value
}
