import type { Call, Policy } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut } from '../jsonrpc/message.ts'
import { resultStep } from './result-step.ts'

/** Refuse results that would be more than `bytes` on the wire. */
export const resultLimit = (bytes: number): Policy =>
  resultStep({
    onResult: function limitResult(result, call) {
      if (call.descriptor.work && isLarger(result, bytes)) throw tooLarge(call, bytes)
      return result
    },
  })

// A character takes one byte at least and six at most (as \uXXXX), so most results are judged without writing them out.
const MOST_PER_CHARACTER = 6

/** Is the value, as JSON, more than so many bytes? */
export function isLarger(value: unknown, bytes: number): boolean {
  const least = leastSize(value, bytes)
  if (least > bytes) return true
  return least * MOST_PER_CHARACTER > bytes && Buffer.byteLength(JSON.stringify(value)) > bytes
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

const tooLarge = ({ method, params }: Call, bytes: number): Error => {
  const subject =
    method === 'tools/call' ? `The result of tool '${cut(String(params.name), 100)}'` : `The result of ${method}`
  const hint = 'Ask for less: narrow the question, or use a limit or an offset if there is one.'
  return fault('result-too-large', `${subject} is larger than ${bytes} bytes`, { limitBytes: bytes }, { hint })
}
