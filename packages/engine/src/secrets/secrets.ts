import {
  CREDENTIAL_HEADER,
  ISSUED_CREDENTIAL,
  JWT,
  NAME,
  PRIVATE_KEY,
  SCHEME,
  SHORT_OPTION,
  URL_USERINFO,
  VALUE,
  WEBHOOK,
} from './secret-formats.ts'

/** What stands in place of a secret. */
export const MASK = '[redacted]'

// Nothing shorter has a name, a separator and a value.
const SHORTEST = 4

// Long enough to be meant wherever they stand in a name, also where nothing separates the words.
const INSIDE = /password|passwd|passphrase|passcode|secret|credential|authorization|cookie|apikey|connectionstring/
// Only at the end of a word: a tokenizer and tokens that are counted are none.
const AT_END = /(?:token|pwd|privatekey|accesskey|secretkey|authkey)$/
const WORDS = new Set(
  'pass pw pwd pat auth oauth bearer jwt creds cred token tokens sig dsn otp totp passkey apikey'.split(' '),
)
const KINDS_OF_KEY = new Set(
  `api access private secret account auth encryption encrypt decryption signing sign master service shared ssh gpg pgp
  license client app application storage admin root deploy webhook session hmac aes rsa stripe openai anthropic
  subscription`.split(/\s+/),
)
// The last word of a name that speaks about a secret and does not hold it.
const ABOUT = new Set(
  `file files path dir type types length count limit budget expires expiry ttl at policy url uri endpoint enabled required
  ts js mjs cjs tsx jsx json md txt yml yaml toml py go rs sh java html css`.split(/\s+/),
)
// Names that a request or a page goes by.
const HARMLESS = new Set(['progress token', 'page token', 'next page token', 'continuation token', 'sync token'])

const wordsOf = (name: string): string[] =>
  name
    .slice(0, 200)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(word => word !== '')

/** Does something of this name hold a secret: a member of an object, a variable, a flag? */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  const last = words.at(-1) ?? ''
  if (ABOUT.has(last) && words.length > 1) return false
  if (HARMLESS.has(words.join(' '))) return false
  if (words.some(word => INSIDE.test(word) || AT_END.test(word) || WORDS.has(word))) return true
  return words.some((word, i) => /^keys?$/.test(word) && KINDS_OF_KEY.has(words[i - 1] ?? '')) || isJoined(words)
}

/** Two words that mean a secret only together: `pass phrase`, `connection string`. */
const isJoined = (words: readonly string[]): boolean =>
  words.some((word, i) => i > 0 && INSIDE.test(`${words[i - 1] ?? ''}${word}`))

// What a shell calls the current folder, and the one before.
const DIRECTORY = /^(?:OLD)?PWD$/
const IN_VARIABLES =
  /TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|PRIVATE|AUTH|CONNECTION_?STRING|COOKIE|SESSION|SIGNATURE|DSN/i

/** Does a variable of the environment hold a secret? Wider than for other names, since their values are not needed. */
export const isSecretVariable = (name: string): boolean =>
  IN_VARIABLES.test(name) || (isSecretName(name) && !DIRECTORY.test(name))

/** A flag such as `--api-key`, whose value is the word after it. */
export const isSecretFlag = (word: unknown): boolean =>
  typeof word === 'string' && /^--?[A-Za-z][\w-]{1,63}$/.test(word) && isSecretName(word)

// How many tokens, or how many tests pass.
const COUNT = /(?:tokens|secrets|cookies|credentials|keys)$|^(?:max|min|total|num|count)|^pass$/i

/** Is this the number of something, and not the thing itself? */
export const isCount = (name: string, value: unknown): boolean =>
  (typeof value === 'number' || (typeof value === 'string' && /^\d{1,9}$/.test(value))) && COUNT.test(name)

const LITERAL = /^(?:true|false|null|undefined|none|yes|no)$/i

/** The text with what looks like a secret, or is called one, masked; takes time in proportion to its length. */
export function maskSecrets(text: string, mask: string = MASK): string {
  if (text.length < SHORTEST) return text
  const looked = text
    .replace(PRIVATE_KEY, mask)
    .replace(CREDENTIAL_HEADER, (_, name: string, between: string) => name + between + mask)
    .replace(SCHEME, mask)
    .replace(WEBHOOK, mask)
    .replace(URL_USERINFO, `${mask}@`)
    .replace(JWT, mask)
    .replace(ISSUED_CREDENTIAL, mask)
    .replace(SHORT_OPTION, (_, before: string) => before + mask)
  return maskNamed(looked, mask)
}

/** A loop and not a replacement, since the value of a harmless name may hold another pair: `text="password=x"`. */
function maskNamed(text: string, mask: string): string {
  const names = new RegExp(NAME)
  const values = new RegExp(VALUE)
  let masked = ''
  let at = 0
  for (let found = names.exec(text); found; found = names.exec(text)) {
    const [, name = ''] = found
    if (!isSecretName(name)) continue
    values.lastIndex = names.lastIndex
    const value = values.exec(text)?.[0]
    if (value === undefined || isHarmless(name, value)) continue
    masked += text.slice(at, names.lastIndex) + quoted(value, mask)
    at = names.lastIndex = values.lastIndex
  }
  return masked + text.slice(at)
}

const isHarmless = (name: string, value: string): boolean =>
  LITERAL.test(value) || isCount(name, value) || (DIRECTORY.test(name) && /^["']?[/~]/.test(value))

/** The mask in the quotes the value had, so that what was JSON still is. */
function quoted(value: string, mask: string): string {
  const quote = /^\\?["']/.exec(value)?.[0] ?? ''
  return quote + mask + (value.length > quote.length && value.endsWith(quote) ? quote : '')
}
