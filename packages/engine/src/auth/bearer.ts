import { hash as digest, randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { isScope } from './authenticator.ts'
import type { AuthenticationRequest, Authenticator } from './authenticator.ts'
import { LastShown } from './last-shown.ts'
import type { Showing } from './last-shown.ts'
import type { Principal } from './principal.ts'

interface KnownToken {
  readonly principal: Principal
  readonly hash: string
  readonly line: string
}

interface RevocableToken extends KnownToken {
  readonly revocation: AbortController
}

/** An authenticator that answers at once. */
export interface TokenFile extends Authenticator {
  authenticate(request: Pick<AuthenticationRequest, 'token'> & Showing): Principal | undefined
  /** Whose token it is, if the connection showed the same one before. */
  shownLast?(request: Showing): Principal | undefined
  /** Everyone who has a token. */
  readonly principals: readonly Principal[]
}

/** Tokens that can be exchanged for others while they are in use. */
export interface FollowedTokens extends TokenFile {
  /**
   * Take another text in place of the file, or throw and change nothing; the names whose tokens ended. A text that has only
   * comments ends all of them; an empty one is taken for a file that is being written.
   */
  replace(file: string): readonly string[]
}

const LINE = /^([\w.@-]{1,64})\s+sha256:([\da-f]{64})((?:\s+\S+)*)$/i

const hashOf = (token: string): string => digest('sha256', token, 'hex')

/** A file of tokens, a line each: `name sha256:… scope scope`; blank lines and comments are skipped. */
export function bearerTokens(file: string): FollowedTokens {
  let known = revocable(readTokens(file), [])
  // To find a hash takes a time that says nothing of the token.
  let byHash = indexed(known)
  let last = new LastShown<Principal>()
  return {
    get principals() {
      return known.map(({ principal }) => principal)
    },
    shownLast: request => last.get(request),
    authenticate(request) {
      const remembered = last.get(request)
      if (remembered) return remembered
      const { token } = request
      const found = token === undefined ? undefined : byHash.get(hashOf(token))
      if (found) last.set(request, found)
      return found
    },
    replace(text) {
      const before = known
      known = revocable(readTokens(text, /^\s*#/m.test(text)), before)
      byHash = indexed(known)
      last = new LastShown()
      const gone = before.filter(entry => !known.includes(entry))
      for (const { revocation } of gone) revocation.abort()
      return gone.map(({ principal }) => principal.name)
    },
  }
}

/** Of two lines with one hash the later counts. */
const indexed = (known: readonly KnownToken[]): ReadonlyMap<string, Principal> =>
  new Map(known.map(({ hash, principal }) => [hash, principal]))

function readTokens(file: string, mayHaveNone = false): KnownToken[] {
  const known = file.split('\n').flatMap((line, i) => readLine(line.trim(), i + 1))
  const names = known.map(({ principal }) => principal.name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new TypeError(`the name '${twice}' is used twice`)
  if (known.length === 0 && !mayHaveNone)
    throw new TypeError('the token file has no tokens; make one with: causeway token NAME')
  return known
}

/** A line that stayed is the same token; any other can be taken back by itself. */
const revocable = (read: readonly KnownToken[], before: readonly RevocableToken[]): RevocableToken[] =>
  read.map(token => {
    const same = before.find(({ line }) => line === token.line)
    if (same) return same
    const revocation = new AbortController()
    // Each stream and session of the token listens, and there may be any number.
    setMaxListeners(0, revocation.signal)
    return { ...token, revocation, principal: { ...token.principal, revoked: revocation.signal } }
  })

function readLine(line: string, number: number): KnownToken[] {
  if (line === '' || line.startsWith('#')) return []
  const [, name, hash, rest = ''] = LINE.exec(line) ?? []
  const scopes = rest.split(/\s+/).filter(scope => scope !== '')
  if (name === undefined || hash === undefined || !scopes.every(isScope)) {
    throw new TypeError(
      `line ${number} is not 'name sha256:<64 hex digits>', followed by its scopes, if any; make one with: causeway token NAME`,
    )
  }
  return [{ principal: { name, ...(scopes.length > 0 && { scopes }) }, hash: hash.toLowerCase(), line }]
}

/** A new token, and the line of the file that lets it in. */
export function newToken(name: string, scopes: readonly string[] = []): { token: string; line: string } {
  const token = `cw_${randomBytes(24).toString('base64url')}`
  return { token, line: [name, `sha256:${hashOf(token)}`, ...scopes].join(' ') }
}

/** The token of an Authorization header; undefined where there is none. */
export const tokenIn = (authorization: string | undefined): string | undefined =>
  /^bearer +([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1]

/** The same where the token is bound to a key, and comes with a proof. */
export const dpopTokenIn = (authorization: string | undefined): string | undefined =>
  /^dpop +([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1]
