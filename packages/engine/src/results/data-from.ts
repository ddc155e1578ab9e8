import type { Awaitable, Policy } from '../call.ts'
import { markError } from '../data-writers.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { RESULT_META } from '../meta-keys.ts'
import { showInvisible } from './invisible.ts'

/**
 * For what returns text that others wrote: a program, a repository, another server. Its results are marked as data
 * (`_meta`), and what cannot be seen in their text is taken away or shown; contents of resources are left as they are.
 */
export function dataFrom(writer: string): Policy {
  const clean = (result: Result): Result => {
    if (result.resultType === 'input_required') return result
    const { content, messages, structuredContent, _meta } = result
    return {
      ...result,
      ...(content !== undefined && { content: shown(content, 0) }),
      ...(messages !== undefined && { messages: shown(messages, 0) }),
      ...(structuredContent !== undefined && { structuredContent: shown(structuredContent, 0) }),
      _meta: { ...(isObject(_meta) && _meta), [RESULT_META.data]: writer },
    }
  }
  const fail = (error: unknown): never => {
    if (error instanceof Error) {
      error.message = showInvisible(error.message)
      markError(error, writer)
    }
    throw error
  }
  return function dataFromOutside(call, next) {
    let result: Awaitable<Result>
    try {
      result = next(call)
    } catch (error) {
      return fail(error)
    }
    return result instanceof Promise ? result.then(clean, fail) : clean(result)
  }
}

const DEEPEST = 1000
// Pictures and sound are no text, and a link must be as it was given.
const EXACT = new Set(['data', 'blob', 'uri', 'mimeType', 'type', 'annotations', '_meta'])

/** The value with nothing hidden in its texts: itself where there is nothing. */
export function shown(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return showInvisible(value)
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  if (Array.isArray(value)) {
    const items = value.map(item => shown(item, depth + 1))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  const entries = Object.entries(value)
  const isBlock = 'type' in value
  const members = entries.map(([key, member]) => [
    key,
    isBlock && EXACT.has(key) ? (member as unknown) : shown(member, depth + 1),
  ])
  return members.some(([, member], i) => member !== entries[i]?.[1]) ? Object.fromEntries(members) : value
}
