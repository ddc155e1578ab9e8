const SECRET = /pass(word|wd|phrase)?$|secret|token|api[-_]?key|authorization|cookie|credential|private[-_]?key/i
const LOOKS_SECRET = /\b(bearer\s+[\w.~+/-]{8,}=*|(?:sk|ghp|gho|xox[abp]|AKIA)[-_]?[\w-]{16,})/gi
const DEEPEST = 8
const LONGEST = 1000
const MOST = 100

/** A copy fit for a log: secrets blotted out by name and by look, long and deep things cut. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cut(value.replace(LOOKS_SECRET, '[redacted]'))
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return '[deep]'
  if (value instanceof Error) return { name: value.name, message: redact(value.message), stack: redact(value.stack) }
  if (Array.isArray(value)) return value.slice(0, MOST).map(item => redact(item, depth + 1))
  const entries = Object.entries(value).slice(0, MOST)
  return Object.fromEntries(entries.map(([key, v]) => [key, isSecret(key, v) ? '[redacted]' : redact(v, depth + 1)]))
}

// A count of tokens is no secret; a progressToken only names a request.
const isSecret = (key: string, value: unknown): boolean =>
  SECRET.test(key) && typeof value !== 'number' && typeof value !== 'boolean' && key !== 'progressToken'
const cut = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text
