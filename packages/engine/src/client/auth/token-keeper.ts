import { OAuthError } from '../../oauth/fetch-json.ts'
import type { ResponseHeaders } from '../transports/http-client.ts'
import type { AuthorizedRequest } from './authorizer.ts'
import type { StoredTokens } from './credential-store.ts'
import { issuerMetadata } from './discovery.ts'
import { dpopProver } from './dpop.ts'
import type { DpopProver } from './dpop.ts'
import { refreshTokens, revokeTokens } from './grants.ts'
import type { OAuthSession } from './oauth-session.ts'

type Headers = Readonly<Record<string, string>>

const EARLY_MS = 60_000

/** The tokens of one principal for one server: those in memory, and those in the store. */
export class TokenKeeper {
  readonly #session: OAuthSession
  #loading: Promise<void> | undefined
  #isLoaded = false
  #tokens: StoredTokens | undefined
  #prover: DpopProver | undefined

  constructor(session: OAuthSession) {
    this.#session = session
  }

  /** Were they read from the store? */
  get isLoaded(): boolean {
    return this.#isLoaded
  }

  get tokens(): StoredTokens | undefined {
    return this.#tokens
  }

  load(): Promise<void> {
    return (this.#loading ??= this.#read().catch((error: unknown) => {
      this.#loading = undefined
      throw error
    }))
  }

  /** Has another process got tokens since these were read? Then they are used from now on. */
  async adoptOthers(): Promise<boolean> {
    const { store, key } = this.#session
    const found = await store.get(key)
    if (!found || found.accessToken === this.#tokens?.accessToken) return false
    if (isOver(found) && found.refreshToken === undefined) return false
    await this.#adopt(found)
    return true
  }

  /** Read them again, the next time. */
  reload(): void {
    this.#isLoaded = false
    this.#loading = undefined
  }

  async keep(tokens: StoredTokens): Promise<void> {
    await this.#session.store.set(this.#session.key, tokens)
    await this.#adopt(tokens)
    this.#isLoaded = true
  }

  /** Do not use them any more; they stay in the store. */
  drop(): void {
    this.#tokens = undefined
  }

  /** Delete them here and in the store, and ask their issuer to revoke them. */
  async delete(): Promise<void> {
    const { store, key, server, fetchJson } = this.#session
    const tokens = await store.get(key)
    this.drop()
    await store.delete(key)
    if (!tokens) return
    try {
      await revokeTokens(this.#session, tokens, await issuerMetadata(tokens.issuer, server, fetchJson))
    } catch {
      // They are gone from here, which is what was asked for.
    }
  }

  /** What a request shows them with. */
  headersFor({ accessToken, dpopKey }: StoredTokens, { method, url }: AuthorizedRequest): Headers | Promise<Headers> {
    const prover = this.#prover
    if (dpopKey === undefined || !prover) return { authorization: `Bearer ${accessToken}` }
    return prover.proof(method, url, accessToken).then(dpop => ({ authorization: `DPoP ${accessToken}`, dpop }))
  }

  /** Take the nonce that the server wants in the next proof. */
  learnNonce(headers: ResponseHeaders): void {
    this.#prover?.learnNonce(this.#session.server, headers)
  }

  /** Refresh them, once in all processes: a process that comes second finds the tokens of the first. */
  async refresh(old: StoredTokens): Promise<void> {
    const { store, key, server, fetchJson } = this.#session
    const metadata = await issuerMetadata(old.issuer, server, fetchJson)
    await store.exclusive(key, async () => {
      const current = await store.get(key)
      if (current?.accessToken !== old.accessToken) return this.#adopt(current)
      const { refreshToken, ...rest } = current
      if (refreshToken === undefined) return
      try {
        await this.keep(await refreshTokens(this.#session, { ...rest, refreshToken }, metadata))
      } catch (error) {
        // A refresh token that was rejected is never shown again.
        if (isRejected(error)) await this.keep(rest)
        throw error
      }
    })
  }

  async #read(): Promise<void> {
    const { store, key } = this.#session
    await this.#adopt(await store.get(key))
    this.#isLoaded = true
  }

  async #adopt(tokens: StoredTokens | undefined): Promise<void> {
    if (tokens?.dpopKey !== undefined && tokens.dpopKey !== this.#prover?.key)
      this.#prover = await dpopProver(tokens.dpopKey)
    this.#tokens = tokens
  }
}

/** Has most of its life passed? */
export function isStale({ expiresAt, obtainedAt }: StoredTokens): boolean {
  if (expiresAt === undefined) return false
  return Date.now() > expiresAt - Math.min(EARLY_MS, (expiresAt - obtainedAt) / 5)
}

/** Has it ended? */
export const isOver = ({ expiresAt = Infinity }: StoredTokens): boolean => expiresAt <= Date.now()

const REJECTIONS = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'invalid_request',
  'invalid_scope',
])

/** Did the authorization server say no, rather than not answer? */
export const isRejected = (error: unknown): boolean => error instanceof OAuthError && REJECTIONS.has(error.code)
