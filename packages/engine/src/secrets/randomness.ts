// Values that stand for a secret in documentation, tests and templates.
const PLACEHOLDER =
  /[<>{}]|\$[\w(]|%[sdv]|\*{3}|\.{3}|…|([A-Za-z0-9])\1{4}|example|placeholder|redacted|change[-_]?me|your[-_]?|dummy|sample|abcdefg|abc123|1234567|deadbeef/i
// A salted or plain digest, whose original cannot be found.
const DIGEST =
  /^(?:\$(?:2[abxy]|argon2\w{0,2}|pbkdf2[\w-]{0,8}|scrypt|[156])\$|\{\w{2,8}\}|(?:sha|md)\d{1,3}[-:=]|h1:)/i
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i
const LEAST_BITS = 3
const LONGEST_RUN = 10

/** Does a value only show where a secret would stand? */
export const isPlaceholder = (value: string): boolean => PLACEHOLDER.test(value)

/**
 * Was a value drawn at random, rather than written by a person? Names, words, versions, dates, paths and digests were
 * not. Short values cannot be distinguished, so at least about 16 characters are needed.
 */
export function isRandom(value: string): boolean {
  if (isPlaceholder(value) || DIGEST.test(value)) return false
  if (UUID.test(value)) return true
  const runs = value.split(/[^A-Za-z0-9]+/)
  if (!runs.some(run => run.length >= LONGEST_RUN) || entropyOf(value) < LEAST_BITS) return false
  const letters = count(value, /[A-Za-z]/g)
  const digitGroups = count(value, /\d+/g)
  if (letters < 3) return false
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value)
  if (!isMixed) return digitGroups >= 3
  const changes = count(value, /[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g)
  return wordShareOf(value) < 0.55 && changes >= value.length / 4
}

/** Shannon's entropy of the characters, in bits per character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const n of counts.values()) bits -= (n / value.length) * Math.log2(n / value.length)
  return bits
}

/** How much of a value reads as words: `Capital`, `lower` or `UPPER`. */
const wordShareOf = (value: string): number =>
  [...value.matchAll(/[A-Z]?[a-z]{3,}|[A-Z]{4,}/g)].reduce((sum, [word]) => sum + word.length, 0) / value.length

const count = (value: string, pattern: RegExp): number => value.match(pattern)?.length ?? 0
