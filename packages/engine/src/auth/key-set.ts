import type { JWK, LocalJWKSet } from 'jose'
import { OAuthError } from '../oauth/fetch-json.ts'
import { loadJose } from '../oauth/jose.ts'
import { isObject } from '../support/is-object.ts'

/** The public keys of an issuer. */
export type KeySet = LocalJWKSet

const MOST_KEYS = 100
const KINDS = new Set(['RSA', 'EC', 'OKP'])
// A signature of 8192 bits takes a millisecond to verify, and much longer ones take very long.
const LONGEST_MODULUS = Math.ceil(8192 / 6)
const LONGEST_EXPONENT = 6

/** The keys of a JWKS that can be used: public ones of a reasonable size. A secret among them would make forging easy. */
export async function readKeySet(body: unknown): Promise<KeySet> {
  const { keys } = isObject(body) ? body : {}
  if (!Array.isArray(keys)) throw new OAuthError('no_keys', 'The keys of the issuer are not a JSON Web Key Set')
  if (keys.length > MOST_KEYS) throw new OAuthError('no_keys', `The issuer has more than ${MOST_KEYS} keys`)
  const { createLocalJWKSet } = await loadJose()
  return createLocalJWKSet({ keys: keys.filter(isUsable) })
}

function isUsable(key: unknown): key is JWK & { kty: string } {
  if (!isObject(key) || typeof key.kty !== 'string' || !KINDS.has(key.kty)) return false
  const { n = '', e = '' } = key
  return typeof n === 'string' && n.length <= LONGEST_MODULUS && typeof e === 'string' && e.length <= LONGEST_EXPONENT
}
