import { HttpError, OAuthError } from '@causeway/engine/client'
import { redactText, withoutEscapes } from '@causeway/engine/internal'

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the name of its host is not known',
  EAI_AGAIN: 'the name of its host cannot be looked up now',
  ETIMEDOUT: 'it could not be reached in time',
  UND_ERR_CONNECT_TIMEOUT: 'it could not be reached in time',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  EPIPE: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
}

/** Why a server cannot be used, in words; errors of the system name addresses, and their codes say little. */
export function causeOf(error: Error): string {
  const { code, cause } = error as NodeJS.ErrnoException & { cause?: unknown }
  const inner = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined
  const words = WORDS[code ?? ''] ?? WORDS[inner ?? '']
  if (words !== undefined) return words
  const [, program, why] = /^spawn (.+) (ENOENT|EACCES)$/.exec(error.message) ?? []
  if (program === undefined) return error.message
  return why === 'ENOENT' ? `the program '${program}' was not found` : `the program '${program}' may not be run`
}

/** Does a server refuse clients that have not logged in? */
export const needsAuthorization = (error: unknown): boolean => error instanceof HttpError && error.status === 401

/** What an operator can do about that, where the entry has a token that the server refuses. */
export const AUTHORIZATION_ADVICE: string =
  'it needs authorization (HTTP 401). Put a valid token into "headers" of its entry, or remove it to have people log in'

/** Why a login did not help, if a request failed because of that. */
export const loginProblem = (error: unknown): string | undefined =>
  error instanceof HttpError && error.cause instanceof OAuthError
    ? `it needs a login, which failed: ${error.cause.message}`
    : undefined

/** Words for clients: where a server is, is the operator's business. */
export const withoutAddresses = (text: string): string =>
  text
    .replaceAll(/\b(?:https?|wss?):\/\/[^\s'"`)\]]+/gi, '[address]')
    .replaceAll(/\[[\da-f:]*:[\da-f:.]*\](?::\d+)?|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/gi, '[address]')
    .replaceAll(/\blocalhost:\d+\b/gi, '[address]')

const TELLS =
  /error|exception|cannot|can't|could not|unable|not found|no such|denied|refused|missing|required|invalid|fail|fatal|panic/i
const SAYS_NOTHING = /^\s*$|^\[causeway\]|^Node\.js v\d|^\s+at |^npm (?:warn|notice)/i
const LONGEST = 200

/** The line among those that a program wrote which says why it ended: the first that looks like a reason, else the last. */
export function tellingLine(lines: readonly string[]): string | undefined {
  const said = lines.map(line => withoutEscapes(line)).filter(line => !SAYS_NOTHING.test(line))
  // Traces show sources, which are indented.
  const line = said.find(one => /^\S/.test(one) && TELLS.test(one)) ?? said.find(one => TELLS.test(one)) ?? said.at(-1)
  return line === undefined ? undefined : redactText(line.trim()).slice(0, LONGEST)
}
