import { OAuthError, shownUrl } from '../oauth/fetch-json.ts'
import { isObject } from '../support/is-object.ts'
import { TokenProblem, checkKind, checkTimes } from './claims.ts'
import type { Claims } from './claims.ts'
import type { IntrospectionOptions, Issuer } from './issuer.ts'

// A flood of unknown tokens must not become a flood of requests to the issuer.
const MOST_AT_ONCE = 32

/** What an issuer says of a token that only it can read (RFC 7662). Throws a TokenProblem for one that it does not know. */
export function introspector(issuer: Issuer, client: IntrospectionOptions): (token: string) => Promise<Claims> {
  let running = 0
  return async token => {
    if (running >= MOST_AT_ONCE) throw new OAuthError('busy', `Too many tokens are being checked at ${issuer.name}`)
    running += 1
    try {
      return accepted(await ask(token, issuer, client), issuer)
    } finally {
      running -= 1
    }
  }
}

async function ask(token: string, issuer: Issuer, client: IntrospectionOptions): Promise<Claims> {
  const { url, fetchJson } = await issuer.introspectionAt()
  const body = new URLSearchParams({ token, token_type_hint: 'access_token' })
  const answer = await fetchJson({ url, body, headers: { authorization: basicCredentials(client) } })
  if (answer.status === 200 && isObject(answer.body)) return answer.body
  const hint = answer.status === 401 ? ': check clientId and clientSecret' : ''
  throw new OAuthError('introspection_failed', `${shownUrl(url)} answered with status ${answer.status}${hint}`)
}

function accepted(claims: Claims, issuer: Issuer): Claims {
  if (claims.active !== true) throw new TokenProblem('The token is unknown, expired or revoked')
  if (claims.iss !== undefined && claims.iss !== issuer.name)
    throw new TokenProblem('The token was issued by an authorization server that is not accepted here')
  checkKind(claims)
  checkTimes(claims)
  return claims
}

/** RFC 6749 has both parts form-encoded before they are joined. */
function basicCredentials({ clientId, clientSecret }: IntrospectionOptions): string {
  const encoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
  return `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`).toString('base64')}`
}
