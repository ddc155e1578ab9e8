import type { Call, Policy } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { MOST_VALUES } from '../jsonrpc/json-shape.ts'
import { cut } from '../jsonrpc/message.ts'
import { resultStep } from './result-step.ts'

// What a result may consist of, whatever its size: work per item stays bounded.
const MOST_BLOCKS = 10_000

/** Refuse results that would be more than `bytes` on the wire, or consist of too many parts. */
export const resultLimit = (bytes: number): Policy =>
  resultStep({
    onResult: function limitResult(result, call) {
      // What is verbatim is bounded by what was published of it.
      if (!call.descriptor.work || call.cancellation.isVerbatim) return result
      if (Array.isArray(result.content) && result.content.length > MOST_BLOCKS)
        throw tooMany(call, 'content blocks', MOST_BLOCKS)
      const least = leastSize(result, bytes)
      if (isLarger(result, bytes, least)) throw tooLarge(call, bytes)
      // A value takes two characters at least.
      if (least > 2 * MOST_VALUES && hasManyValues(result)) throw tooMany(call, 'values', MOST_VALUES)
      return result
    },
  })

// A character takes one byte at least and six at most (as \uXXXX), so most results are judged without writing them out.
const MOST_PER_CHARACTER = 6

/** Is the value, as JSON, more than so many bytes? */
export function isLarger(value: unknown, bytes: number, least: number = leastSize(value, bytes)): boolean {
  if (least > bytes) return true
  return least * MOST_PER_CHARACTER > bytes && Buffer.byteLength(JSON.stringify(value)) > bytes
}

/** Does the value have more parts than may be looked at one by one? A small one cannot. */
function hasManyValues(value: unknown): boolean {
  let left = MOST_VALUES
  const count = (part: unknown): void => {
    if (--left < 0 || typeof part !== 'object' || part === null) return
    if (Array.isArray(part)) for (const item of part) count(item)
    else for (const key in part) count((part as Record<string, unknown>)[key])
  }
  count(value)
  return left < 0
}

/** Characters the value has at least, counted until they are too many. */
export function leastSize(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return String(value).length
  if ('toJSON' in value && typeof value.toJSON === 'function') return leastSize(value.toJSON(''), enough)
  return Array.isArray(value) ? leastOfList(value, enough) : leastOfMembers(value, enough)
}

// Two brackets, and a comma less than there are members.
function leastOfMembers(value: object, enough: number): number {
  let size = 1
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key]
    if (!isLeftOut(member)) size += key.length + 4 + leastSize(member, enough - size)
    if (size > enough) return size
  }
  return size
}

function leastOfList(list: readonly unknown[], enough: number): number {
  let size = 1
  for (const item of list) {
    size += 1 + leastSize(isLeftOut(item) ? null : item, enough - size)
    if (size > enough) return size
  }
  return size
}

const isLeftOut = (value: unknown): boolean =>
  value === undefined || typeof value === 'function' || typeof value === 'symbol'

const HINT = 'Ask for less: narrow the question, or use a limit or an offset if there is one.'

const subjectOf = ({ method, params }: Call): string =>
  method === 'tools/call' ? `The result of tool '${cut(String(params.name), 100)}'` : `The result of ${method}`

const tooLarge = (call: Call, bytes: number): Error =>
  fault('result-too-large', `${subjectOf(call)} is larger than ${bytes} bytes`, { limitBytes: bytes }, { hint: HINT })

const tooMany = (call: Call, what: string, limit: number): Error =>
  fault('result-too-large', `${subjectOf(call)} has more than ${limit} ${what}`, { limit, of: what }, { hint: HINT })
