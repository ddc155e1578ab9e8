import type { Policy } from '../call.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { writerOf, writerOfError } from '../results/data-writers.ts'
import { RESULT_META } from '../results/meta-keys.ts'
import { isNamedSecret, maskCertainSecrets } from '../secrets/certain-secrets.ts'
import { MASK, isCount, isSecretName, maskSecrets } from '../secrets/secrets.ts'
import { ownWords } from '../untrusted/server-text.ts'
import { resultStep } from './result-step.ts'

/** What can be chosen about masking. */
export interface MaskOptions {
  /** Only what these wrote, as `dataFrom` names them. Default: everything. */
  readonly writers?: readonly string[]
  /**
   * Also mask what might be a secret: any value under a telling name. It alters code, so it is meant for text that
   * are not edited. Default: only what certainly is one.
   */
  readonly strict?: boolean
}

/** How texts and members are masked; what was masked is collected. */
interface Masker {
  readonly masked: Set<string>
  text(value: string): string
  isSecret(name: string, value: unknown): boolean
}

/**
 * Mask secrets in what tools, resources and prompts return, and in their errors. A note and `_meta` say how many values
 * were masked, since a model that writes back what it read writes the mask.
 */
export function maskResults({ writers, strict = false }: MaskOptions = {}): Policy {
  const isMasked = (writer: string | undefined): boolean =>
    writers === undefined || (writer !== undefined && writers.includes(writer))
  return resultStep({
    onResult: (result, call) =>
      !call.cancellation.isVerbatim && isMasked(writerOf(result, call)) ? maskedResult(result, strict) : result,
    onError(error, call) {
      throw isMasked(writerOfError(call, error)) ? maskedError(error, strict) : error
    },
  })
}

const certain = (masked: Set<string>): Masker => ({
  masked,
  text: value => maskCertainSecrets(value, secret => masked.add(secret)),
  isSecret: (name, value) => typeof value === 'string' && isNamedSecret(value, name),
})

const suspected = (masked: Set<string>): Masker => ({
  masked,
  text(value) {
    const text = maskSecrets(value)
    if (text !== value) masked.add(value)
    return text
  },
  isSecret: (name, value) =>
    (typeof value === 'string' || typeof value === 'number') && isSecretName(name) && !isCount(name, value),
})

const maskerOf = (strict: boolean): Masker => (strict ? suspected : certain)(new Set())

function maskedResult(result: Result, strict: boolean): Result {
  const masker = maskerOf(strict)
  const masked = maskedValue(result, masker) as Result
  const { size } = masker.masked
  if (size === 0) return result
  const content = Array.isArray(masked.content) && { content: [...masked.content, ownWords(noteOf(size))] }
  const meta = isObject(masked._meta) ? masked._meta : {}
  return { ...masked, ...content, _meta: { ...meta, [RESULT_META.masked]: size } }
}

/** The result limit bounds how much there is to look at. */
function maskedValue(value: unknown, masker: Masker): unknown {
  if (typeof value === 'string') return masker.text(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => maskedValue(item, masker))
  return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, maskedMember(name, v, masker)]))
}

function maskedMember(name: string, value: unknown, masker: Masker): unknown {
  if (!masker.isSecret(name, value)) return maskedValue(value, masker)
  masker.masked.add(String(value))
  return MASK
}

function maskedError(error: unknown, strict: boolean): unknown {
  if (!(error instanceof Error)) return error
  const masker = maskerOf(strict)
  const message = masker.text(error.message)
  if (masker.masked.size > 0) error.message = `${message}\n${noteOf(masker.masked.size)}`
  return error
}

const noteOf = (count: number): string =>
  count === 1
    ? `[1 value that looks like a secret is masked as ${MASK}. Do not write the mask back.]`
    : `[${count} values that look like secrets are masked as ${MASK}. Do not write the mask back.]`
