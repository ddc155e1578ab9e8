import { createHash } from 'node:crypto'
import type { JWK } from 'jose'
import { loadJose } from '../../oauth/jose.ts'
import type { ResponseHeaders } from '../transports/http-client.ts'

/** The algorithm of our keys. */
export const DPOP_ALG = 'ES256'

/** Proves possession of one key (RFC 9449). */
export interface DpopProver {
  /** The private key, as a JWK in JSON text. Secret. */
  readonly key: string
  /** A proof for one request, which is used once. With the token, if the request carries one. */
  proof(method: string, url: URL, accessToken?: string): Promise<string>
  /** Take the nonce that a response at that URL brings; true if it is a new one. */
  learnNonce(url: URL, headers: ResponseHeaders): boolean
}

const LONGEST_NONCE = 1000
const MOST_ORIGINS = 16

/** A prover with the key that was kept, or a new one. */
export async function dpopProver(kept?: string): Promise<DpopProver> {
  const { importJWK, SignJWT } = await loadJose()
  const key = kept ?? (await newKey())
  const jwk = JSON.parse(key) as JWK
  const signingKey = await importJWK(jwk, DPOP_ALG)
  const { kty, crv, x, y } = jwk
  const shown = { kty, crv, x, y } as JWK
  const nonces = new Map<string, string>()
  return {
    key,
    async proof(method, url, accessToken) {
      const nonce = nonces.get(url.origin)
      const claims = {
        htm: method,
        htu: url.origin + url.pathname,
        jti: crypto.randomUUID(),
        ...(nonce !== undefined && { nonce }),
        ...(accessToken !== undefined && { ath: createHash('sha256').update(accessToken).digest('base64url') }),
      }
      const header = { alg: DPOP_ALG, typ: 'dpop+jwt', jwk: shown }
      return new SignJWT(claims).setProtectedHeader(header).setIssuedAt().sign(signingKey)
    },
    learnNonce({ origin }, headers) {
      const nonce = headers['dpop-nonce']
      if (typeof nonce !== 'string' || nonce.length > LONGEST_NONCE || nonces.get(origin) === nonce) return false
      if (nonces.size >= MOST_ORIGINS) nonces.clear()
      nonces.set(origin, nonce)
      return true
    },
  }
}

async function newKey(): Promise<string> {
  const { exportJWK, generateKeyPair } = await loadJose()
  const { privateKey } = await generateKeyPair(DPOP_ALG, { extractable: true })
  return JSON.stringify(await exportJWK(privateKey))
}
