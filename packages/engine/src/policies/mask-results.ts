import type { Awaitable, Policy } from '../call.ts'
import type { Result } from '../jsonrpc/message.ts'
import { MASK, isCount, isSecretName, maskSecrets } from '../secrets.ts'

/**
 * Mask what looks like a secret in everything that tools, resources and prompts return, and in their errors. Not on by
 * default: a model that writes back what it read would write the mask.
 */
export const maskResults = (): Policy =>
  function maskResults(call, next) {
    let result: Awaitable<Result>
    try {
      result = next(call)
    } catch (error) {
      throw masked(error)
    }
    if (!(result instanceof Promise)) return mask(result) as Result
    return result.then(
      value => mask(value) as Result,
      (error: unknown) => {
        throw masked(error)
      },
    )
  }

/** The result limit bounds how much there is to look at. */
function mask(value: unknown): unknown {
  if (typeof value === 'string') return maskSecrets(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(mask)
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, isSecretValue(key, v) ? MASK : mask(v)]))
}

const isSecretValue = (key: string, value: unknown): boolean =>
  (typeof value === 'string' || typeof value === 'number') && isSecretName(key) && !isCount(key, value)

function masked(error: unknown): unknown {
  if (error instanceof Error) error.message = maskSecrets(error.message)
  return error
}
