import { RpcError, fault } from '@causeway/engine'
import type { Policy } from '@causeway/engine'
import { SYNTHETIC_MARK } from './plan/provenance.ts'

/** Around each tool: an error of a tool whose data is generated says so first, in its words and in its data. */
export const markErrors = (isSynthetic: () => boolean): Policy =>
  async function markErrors(call, next) {
    try {
      return await next(call)
    } catch (error) {
      throw isSynthetic() ? marked(error) : error
    }
  }

function marked(error: unknown): unknown {
  if (error instanceof RpcError) {
    const data = { synthetic: true, ...(typeof error.data === 'object' && error.data) }
    const { code, kind, hint, subject } = error
    const options = { ...(kind && { kind }), ...(hint && { hint }), ...(subject && { subject }), cause: error }
    return new RpcError(code, `${SYNTHETIC_MARK} ${error.message}`, data, options)
  }
  // Anything else but a plain error is an accident, which the engine masks.
  if (!(error instanceof Error) || error.constructor !== Error) return error
  return fault('tool-failed', `${SYNTHETIC_MARK} ${error.message}`, { synthetic: true }, { cause: error })
}
