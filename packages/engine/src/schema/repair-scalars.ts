import type { Json } from './parts.ts'

/** Something a text can be taken for. */
interface Conversion {
  readonly value: unknown
  readonly repair: 'number' | 'boolean' | 'case'
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/
// So many digits every number keeps.
const EXACT_DIGITS = 15
const LONGEST_NUMBER = 40

/** What a text can be taken for, by what it says: a number, true or false, or a choice in another case. */
export function conversions(value: unknown, { enum: choices, const: only }: Json): Conversion[] {
  if (typeof value !== 'string') return []
  const found: Conversion[] = []
  const number = numberIn(value)
  if (number !== undefined) found.push({ value: number, repair: 'number' })
  // Python writes True.
  const word = value.length <= 5 ? value.toLowerCase() : ''
  if (word === 'true' || word === 'false') found.push({ value: word === 'true', repair: 'boolean' })
  const all: readonly unknown[] = Array.isArray(choices) ? choices : [only]
  const same = all.filter(choice => typeof choice === 'string' && choice.toLowerCase() === value.toLowerCase())
  if (new Set(same).size === 1) found.push({ value: same[0], repair: 'case' })
  return found
}

/** The number that a text writes out, if none of its digits is lost. */
function numberIn(text: string): number | undefined {
  if (text.length > LONGEST_NUMBER || !NUMBER.test(text)) return undefined
  const number = Number(text)
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '')
  if (!Number.isFinite(number) || (number === 0 && digits !== '') || Object.is(number, -0)) return undefined
  return digits.length <= EXACT_DIGITS || String(number) === text ? number : undefined
}
