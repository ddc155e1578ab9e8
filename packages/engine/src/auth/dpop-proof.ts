import { createHash, randomBytes } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { loadJose } from '../oauth/jose.ts'
import { SIGNING_ALGORITHMS } from './authenticator.ts'
import type { AuthenticationRequest, RefusedToken } from './authenticator.ts'
import { DpopNonces, NONCE_MS } from './dpop-nonces.ts'
import type { SharedOnce } from './dpop-nonces.ts'

const LONGEST_PROOF = 8 * 1024
const LONGEST_ID = 256
// The nonce says how old a proof is; the client's clock may be wrong, but not by much.
const CLOCK_SKEW_S = 300
// How many proofs of one key may have to be remembered, counted again as often as they end.
const MOST_OF_ONE = 125_000

/** What a proof is for. */
export interface ProvedRequest extends Pick<AuthenticationRequest, 'method' | 'url' | 'header'> {
  readonly token: string
  /** The thumbprint of the key that the token is bound to. */
  readonly jkt: string
}

/** Checks proofs that a client has the key its token is bound to (RFC 9449). */
export class DpopProofs {
  readonly #nonces: DpopNonces
  readonly #shared: SharedOnce
  readonly #mostOfOne: number
  readonly #counts = new Map<string, number>()
  #countedSince = Date.now()

  constructor(shared: SharedOnce, mostOfOne: number = MOST_OF_ONE) {
    this.#shared = shared
    this.#mostOfOne = mostOfOne
    this.#nonces = new DpopNonces(shared)
  }

  /** Why the proof of a request is refused; undefined if it is good. Throws if it could not be remembered, and so be used twice. */
  async check(request: ProvedRequest): Promise<RefusedToken | undefined> {
    const proof = request.header('dpop')
    if (proof === undefined) return this.#refuse('A token that is bound to a key needs a proof in the header DPoP')
    const claims = proof.length > LONGEST_PROOF ? undefined : await verifiedClaims(proof, request.jkt)
    if (!claims) return this.#refuse('The proof is malformed, or not signed with the key that the token is bound to')
    const problem = problemWith(claims, request)
    if (problem !== undefined) return this.#refuse(problem)
    if (typeof claims.nonce !== 'string' || !(await this.#nonces.accepts(claims.nonce)))
      return this.#refuse('The proof must repeat the nonce of the header DPoP-Nonce', 'use_dpop_nonce')
    return (await this.#isFirst(request.jkt, String(claims.jti)))
      ? undefined
      : this.#refuse('The proof was used before')
  }

  async #refuse(refused: string, error = 'invalid_dpop_proof'): Promise<RefusedToken> {
    return { refused, error, headers: { 'DPoP-Nonce': await this.#nonces.current() } }
  }

  /** The first process that writes the value wins. */
  async #isFirst(jkt: string, jti: string): Promise<boolean> {
    this.#count(jkt)
    const own = randomBytes(9).toString('base64url')
    const key = createHash('sha256').update(`${jkt} ${jti}`).digest('base64url')
    return (await this.#shared.once(`dpop-proof:${key}`, own, NONCE_MS)) === own
  }

  /** One client must not take the room of all others. */
  #count(jkt: string): void {
    const now = Date.now()
    if (now - this.#countedSince > NONCE_MS || now < this.#countedSince) {
      this.#counts.clear()
      this.#countedSince = now
    }
    const count = (this.#counts.get(jkt) ?? 0) + 1
    if (count > this.#mostOfOne) throw new Error(`${this.#mostOfOne} proofs of one key were used within ${NONCE_MS} ms`)
    this.#counts.set(jkt, count)
  }
}

/** The claims of a proof that is signed with the key of that thumbprint. */
async function verifiedClaims(proof: string, jkt: string): Promise<JWTPayload | undefined> {
  const { EmbeddedJWK, calculateJwkThumbprint, jwtVerify } = await loadJose()
  try {
    const options = { typ: 'dpop+jwt', algorithms: [...SIGNING_ALGORITHMS], clockTolerance: CLOCK_SKEW_S }
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, options)
    const thumbprint = protectedHeader.jwk && (await calculateJwkThumbprint(protectedHeader.jwk, 'sha256'))
    return thumbprint === jkt ? payload : undefined
  } catch {
    return undefined
  }
}

function problemWith(
  { htm, htu, ath, jti, iat }: JWTPayload,
  { method, url, token }: ProvedRequest,
): string | undefined {
  if (htm !== method) return `The proof is not for the method ${method.slice(0, 20)}: htm`
  if (typeof htu !== 'string' || bare(htu) !== bare(url))
    return `The proof is not for the URL ${url.slice(0, 200)}: htu`
  if (ath !== createHash('sha256').update(token).digest('base64url')) return 'The proof is not for this token: ath'
  if (typeof jti !== 'string' || jti === '' || jti.length > LONGEST_ID) return 'The proof has no usable jti'
  if (iat === undefined || Math.abs(Date.now() / 1000 - iat) > CLOCK_SKEW_S)
    return 'The proof is too old, or from the future: iat'
  return undefined
}

/** A URL as it is compared: without query and fragment, and a WebSocket is a request of HTTP. */
function bare(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, host, pathname } = new URL(url)
  return `${protocol.replace(/^ws/, 'http')}//${host}${pathname}`
}
