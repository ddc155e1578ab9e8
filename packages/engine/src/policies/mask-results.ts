import type { Policy } from '../call.ts'
import type { Result } from '../jsonrpc/message.ts'
import { writerOf, writerOfError } from '../results/data-writers.ts'
import { resultStep } from './result-step.ts'
import { MASK, isCount, isSecretName, maskSecrets } from '../secrets/secrets.ts'

/** What can be chosen about masking. */
export interface MaskOptions {
  /** Only what these wrote, as `dataFrom` names them. Default: everything. */
  readonly writers?: readonly string[]
}

/**
 * Mask what looks like a secret in what tools, resources and prompts return, and in their errors. Where everything is
 * masked, a model that writes back what it read writes the mask.
 */
export function maskResults({ writers }: MaskOptions = {}): Policy {
  const isMasked = (writer: string | undefined): boolean =>
    writers === undefined || (writer !== undefined && writers.includes(writer))
  const mask = (result: Result): Result => (isMasked(writerOf(result)) ? (maskedValue(result) as Result) : result)
  const masked = (error: unknown): unknown => (isMasked(writerOfError(error)) ? maskedError(error) : error)
  return resultStep({
    onResult: mask,
    onError(error) {
      throw masked(error)
    },
  })
}

/** The result limit bounds how much there is to look at. */
function maskedValue(value: unknown): unknown {
  if (typeof value === 'string') return maskSecrets(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(maskedValue)
  return Object.fromEntries(
    Object.entries(value).map(([key, v]) => [key, isSecretValue(key, v) ? MASK : maskedValue(v)]),
  )
}

const isSecretValue = (key: string, value: unknown): boolean =>
  (typeof value === 'string' || typeof value === 'number') && isSecretName(key) && !isCount(key, value)

function maskedError(error: unknown): unknown {
  if (error instanceof Error) error.message = maskSecrets(error.message)
  return error
}
