import type { CryptoKey, JWTHeaderParameters, JWTPayload, JWTVerifyOptions } from 'jose'
import { loadJose } from '../oauth/jose.ts'
import { TokenProblem, checkKind, checkTimes } from './claims.ts'
import type { Claims } from './claims.ts'
import type { Issuer } from './issuer.ts'
import type { KeySet } from './key-set.ts'

interface Verified {
  readonly payload: JWTPayload
  readonly protectedHeader: JWTHeaderParameters
}

const BAD_KEY = 'The token is signed with a key or an algorithm that is not accepted'
// Where several keys fit, since the token does not name one.
const MOST_TRIED = 5

/** Is it written like a JWT? Whether it is one is seen when it is read. */
export const looksLikeJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)

/** The claims of a token that one of the issuers signed. Throws a TokenProblem for any other. */
export async function verifyJwt(
  token: string,
  issuers: ReadonlyMap<unknown, Issuer>,
): Promise<{ readonly claims: Claims; readonly issuer: Issuer }> {
  const issuer = await issuerOf(token, issuers)
  const { payload, protectedHeader } = await verified(token, issuer)
  checkKind(payload, protectedHeader)
  checkTimes(payload)
  return { claims: payload, issuer }
}

async function issuerOf(token: string, issuers: ReadonlyMap<unknown, Issuer>): Promise<Issuer> {
  const { decodeJwt, decodeProtectedHeader } = await loadJose()
  let named: { iss?: unknown; alg?: unknown }
  try {
    named = { iss: decodeJwt(token).iss, alg: decodeProtectedHeader(token).alg }
  } catch {
    throw new TokenProblem('The token is malformed')
  }
  const issuer = issuers.get(named.iss)
  if (!issuer) throw new TokenProblem('The token was issued by an authorization server that is not accepted here')
  // Before anything is fetched for it.
  if (typeof named.alg !== 'string' || !issuer.algorithms.includes(named.alg)) throw new TokenProblem(BAD_KEY)
  return issuer
}

/** Verify with the keys that are known; if the one it names is not, with the keys as they are now. */
async function verified(token: string, issuer: Issuer): Promise<Verified> {
  try {
    return await verifyWith(await issuer.keys.get(), token, issuer)
  } catch (error) {
    if (codeOf(error) !== 'ERR_JWKS_NO_MATCHING_KEY') throw toProblem(error)
  }
  // An issuer that cannot be reached now does not make the token a good one.
  const keys = await issuer.keys.renew().catch(() => undefined)
  if (!keys) throw new TokenProblem(BAD_KEY)
  return verifyWith(keys, token, issuer).catch((error: unknown) => {
    throw toProblem(error)
  })
}

async function verifyWith(keys: KeySet, token: string, { name, algorithms }: Issuer): Promise<Verified> {
  const { jwtVerify } = await loadJose()
  // The end is judged without tolerance afterwards.
  const options: JWTVerifyOptions = {
    issuer: name,
    algorithms: [...algorithms],
    clockTolerance: 30,
    requiredClaims: ['exp'],
  }
  try {
    return await jwtVerify(token, keys, options)
  } catch (error) {
    if (codeOf(error) !== 'ERR_JWKS_MULTIPLE_MATCHING_KEYS') throw error
    let tried = 0
    for await (const key of error as AsyncIterable<CryptoKey>) {
      if (tried++ === MOST_TRIED) break
      const found = await jwtVerify(token, key, options).catch((failure: unknown) => {
        if (codeOf(failure) !== 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') throw failure
      })
      if (found) return found
    }
    throw new TokenProblem(BAD_KEY)
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const SIGNATURE_CODES = new Set([
  'ERR_JOSE_ALG_NOT_ALLOWED',
  'ERR_JOSE_NOT_SUPPORTED',
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
])

/** Says what is wrong with a token; errors that are not about it stay as they are. */
function toProblem(error: unknown): unknown {
  const code = codeOf(error)
  const claim = error instanceof Error && 'claim' in error ? error.claim : undefined
  if (code === 'ERR_JWT_EXPIRED') return new TokenProblem('The token has expired')
  if (claim === 'nbf') return new TokenProblem('The token is not valid yet')
  if (claim === 'exp') return new TokenProblem('The token has no expiry')
  if (SIGNATURE_CODES.has(code)) return new TokenProblem(BAD_KEY)
  return /^ERR_J(?:WT|WS|OSE|WK)_/.test(code) ? new TokenProblem('The token is malformed') : error
}
