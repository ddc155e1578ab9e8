import type { Call } from '../call.ts'
import type { Result } from '../jsonrpc/message.ts'
import { RESULT_META } from './meta-keys.ts'
import type { Repair } from '../schema/repair.ts'

const MOST = 50

/** Remember what was done to the arguments of a call. */
export function noteRepairs({ cancellation }: Call, repairs: readonly Repair[]): void {
  cancellation.repairs = repairs.slice(0, MOST)
}

/** What was done to the arguments of a call, if anything was. */
export const repairsOf = ({ cancellation }: Call): readonly Repair[] | undefined =>
  cancellation.repairs as readonly Repair[] | undefined

/** The result of a call, which says what was done to its arguments. */
export function withRepairs(call: Call, result: Result): Result {
  const repairs = repairsOf(call)
  if (!repairs || result.resultType === 'input_required') return result
  return { ...result, _meta: { ...(result._meta as object | undefined), [RESULT_META.repaired]: repairs } }
}
