import { isPlaceholder, isRandom } from './randomness.ts'
import { ISSUED_CREDENTIAL, JWT, WEBHOOK } from './secret-formats.ts'
import { MASK, isSecretName } from './secrets.ts'

/** One kind of secret: the pattern has a group `secret`, and what precedes it in the match is kept. */
interface Rule {
  readonly pattern: RegExp
  readonly isSecret: (secret: string, name: string) => boolean
}

// Every quantifier is bounded and no pattern crosses a line, so a text is searched in linear time and keeps its lines.
const VALUE = String.raw`[\w.~+/=%-]`

// What stands for a password wherever one is shown.
const WELL_KNOWN = /pass|ssword|pwd|secret|token|user|admin|root|guest|foo|bar|test|sesame|^(?:x+|[A-Z_]+|[\W\dA-F]+)$/i
const SHORTEST_PASSWORD = 6

/** A password that someone chose, and not one that documentation shows. */
function isPassword(value: string): boolean {
  if (value.length < SHORTEST_PASSWORD || isPlaceholder(value)) return false
  const plain = value.replaceAll(/%[\da-f]{2}/gi, '')
  const hasBoth = /\d/.test(plain) && /[A-Za-z]/.test(plain)
  return hasBoth ? plain.length > SHORTEST_PASSWORD : plain.length > 2 && !WELL_KNOWN.test(plain)
}

const RULES: readonly Rule[] = [
  { pattern: named(ISSUED_CREDENTIAL), isSecret: isIssued },
  { pattern: named(JWT), isSecret: value => !isPlaceholder(value) },
  { pattern: named(WEBHOOK), isSecret: value => value.length >= 20 && !/x{5}/i.test(value) },
  // https://user:password@host
  {
    pattern: /:\/\/[^\s:/?#@'"`<>\\]{0,256}:(?<secret>[^\s:/?#@'"`<>\\]{1,256})(?=@[\w[])/g,
    isSecret: isPassword,
  },
  // https://token@host
  { pattern: /:\/\/(?<secret>[\w.~-]{20,512})(?=@[\w[])/g, isSecret: isRandom },
  // Authorization: Bearer …
  {
    pattern: new RegExp(String.raw`(?<![\w-])(?:bearer|ssws|apikey|token)[ \t]{1,4}(?<secret>${VALUE}{16,2048})`, 'gi'),
    isSecret: isRandom,
  },
  { pattern: /(?<![\w-])basic[ \t]{1,4}(?<secret>[A-Za-z\d+/]{12,512}={0,2})(?![\w+/=-])/gi, isSecret: isBasic },
  // X-Api-Key: …
  {
    pattern: new RegExp(
      String.raw`(?<![\w-])(?:x-[a-z-]{0,40}(?:key|token|secret)|private-token|api-key)["']?[ \t]{0,4}:[ \t]{0,4}["']?(?<secret>${VALUE}{16,512})`,
      'gi',
    ),
    isSecret: isRandom,
  },
  // Cookie: name=…
  {
    pattern: new RegExp(
      String.raw`(?<![\w-])(?:set-)?cookie["']?[ \t]{0,4}:[ \t]{0,4}["']?[\w.-]{1,64}=(?<secret>${VALUE}{20,4096})`,
      'gi',
    ),
    isSecret: isRandom,
  },
  // apiKey: string = "…", 'api_key' => '…'
  {
    pattern:
      /(?<![\w-])(?<name>[A-Za-z_][\w.-]{1,127})(?:\??[ \t]{0,4}:[ \t]{0,4}[A-Za-z]{1,32}(?=[ \t]{0,4}=))?\\?["'`]?\]?[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}[bru]?(?<quote>\\?["'`])(?<secret>[^\s"'`\\]{16,512})(?=\k<quote>)/g,
    isSecret: isNamedSecret,
  },
  // API_KEY=… and api_key: … on a line of their own
  {
    pattern:
      /(?<=^[+\- ]?[ \t]{0,64}(?:export[ \t]{1,4})?)(?<name>[A-Za-z_][\w.-]{2,63})(?:[ \t]{0,4}=[ \t]{0,4}|:[ \t]{1,4})(?<secret>[^\s"'`$(){}[\]<>,;]{16,512})(?=[ \t]{0,64}\r?$)/gm,
    isSecret: isNamedSecret,
  },
]

/**
 * The text of a diff, a source or a log with what is certainly a secret masked: credentials of a known format, private
 * keys, credentials in URLs and headers, random literals under a telling name. Code stays as it is, and every line
 * stays a line. `onMasked` is given each value that was masked.
 */
export function maskCertainSecrets(text: string, onMasked: (value: string) => void = () => {}): string {
  let masked = maskPrivateKeys(text, onMasked)
  for (const { pattern, isSecret } of RULES) {
    masked = masked.replace(pattern, (match: string, ...rest: unknown[]) => {
      const { secret = match, name = '' } = (rest.at(-1) as Record<string, string | undefined>) ?? {}
      if (secret === MASK || !isSecret(secret, name)) return match
      onMasked(secret)
      return match.slice(0, match.length - secret.length) + MASK
    })
  }
  return masked
}

/** The same pattern with its whole match as the secret. */
function named({ source, flags }: RegExp): RegExp {
  return new RegExp(`(?<secret>${source})`, flags)
}

// Formats that other things can have by chance.
const COMMON = /^(?:sk-|key-|secret_|[MNO][\w-]{22}|[\da-f]{32}-us|.{3}\dQ~|1\/\/0)/

/** A credential of a known format, unless it is one that documentation shows. */
function isIssued(value: string): boolean {
  if (/x{6}|X{6}|\*{3}|\.{3}|EXAMPLE$/.test(value)) return false
  return !COMMON.test(value) || (/\d/.test(value) && new Set(value).size >= 12)
}

/** Base64 of `user:password`. */
function isBasic(value: string): boolean {
  const [, password] = /^[^:]{0,256}:(.{1,512})$/s.exec(Buffer.from(value, 'base64').toString('latin1')) ?? []
  return password !== undefined && /^[\x20-\x7e]+$/.test(password) && isPassword(password)
}

/** Is it a random value under a name that tells of a secret? */
export function isNamedSecret(value: string, name: string): boolean {
  return isSecretName(name) && !/hash|digest|checksum|sha\d|fingerprint|etag|commit/i.test(name) && isRandom(value)
}

const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
// What may stand before the text of a key on its lines: the sign of a diff, a comment, an opening quote.
const KEY_LINE = /^([+\- ]?[ \t]{0,64}(?:[#*"'`/>|;%]{1,3}[ \t]{0,4})?)([A-Za-z\d+/=]{16,128})/
const KEY_LAST_LINE = /^([+\- ]?[ \t]{0,64}(?:[#*"'`/>|;%]{1,3}[ \t]{0,4})?)([A-Za-z\d+/=]{1,128})/
const KEY_HEADER = /^[+\- ]?[ \t]{0,64}["'`]?(?:[A-Za-z-]{4,20}: .{1,200}|["'`+\\n ]{0,8})$/
const KEY_INLINE = /^(?:\\r|\\n|[ \t]){1,4}([A-Za-z\d+/=\\ \t]{32,16384})/
const MOST_INLINE = 16_400
const MOST_KEY_LINES = 200

/** Only the text of a key is masked, line by line; what only speaks of one has none. */
function maskPrivateKeys(text: string, onMasked: (value: string) => void): string {
  let masked = ''
  let at = 0
  for (const begin of text.matchAll(KEY_BEGINS)) {
    const start = begin.index + begin[0].length
    if (start < at) continue
    const inline = KEY_INLINE.exec(text.slice(start, start + MOST_INLINE))
    masked += text.slice(at, start)
    at = start
    if (inline?.[1] !== undefined) {
      onMasked(inline[1])
      masked += inline[0].slice(0, inline[0].length - inline[1].length) + MASK
      at = start + inline[0].length
      continue
    }
    const block = keyBlock(text, start)
    if (block.key !== '') onMasked(block.key)
    masked += block.masked
    at = block.end
  }
  return masked + text.slice(at)
}

/** The lines of a key after its first one, masked, up to the first line that is none of it. */
function keyBlock(text: string, start: number): { masked: string; end: number; key: string } {
  let end = endOfLine(text, start)
  let masked = text.slice(start, end)
  let key = ''
  for (let lines = 0; lines < MOST_KEY_LINES && end < text.length; lines++) {
    const next = endOfLine(text, end + 1)
    const isLast = key !== '' && text.startsWith('-----END', text.indexOf('-', next + 2))
    const line = keyLine(text.slice(end + 1, next), isLast, key === '')
    if (line === undefined) break
    key += line.key
    masked += `\n${line.masked}`
    end = next
  }
  return { masked, end, key }
}

/** A line of a key, masked; headers may stand before its text. */
function keyLine(line: string, isLast: boolean, isHead: boolean): { masked: string; key: string } | undefined {
  const [whole, before = '', key = ''] = (isLast ? KEY_LAST_LINE : KEY_LINE).exec(line) ?? []
  if (whole !== undefined) return { masked: before + MASK + line.slice(whole.length), key }
  return isHead && KEY_HEADER.test(line) ? { masked: line, key: '' } : undefined
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}
