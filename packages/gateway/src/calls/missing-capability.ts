import { fault } from '@causeway/engine'
import { resultStep } from '@causeway/engine/policies'
import type { Params, Policy, Result } from '@causeway/engine'
import { ERROR_META } from '@causeway/engine/client'

/** Where a server could only say in words that its client lacks a capability, clients that know a code for it get the code. */
export const missingCapability: Policy = resultStep({ onResult })

function onResult(result: Result): Result {
  const { isError, _meta, content } = result
  if (isError !== true || _meta === undefined) return result
  const { kind, data } = ((_meta as Params)[ERROR_META] ?? {}) as { kind?: unknown; data?: unknown }
  const [block] = Array.isArray(content) ? (content as Params[]) : []
  if (kind === 'missing-capability' && typeof block?.text === 'string') throw fault(kind, block.text, data)
  return result
}
