import { setMaxListeners } from 'node:events'
import { isDeepStrictEqual } from 'node:util'
import { OAuthError, fetchJsonFor, secureUrl } from '../oauth/fetch-json.ts'
import type { FetchJson, FetchJsonLimits } from '../oauth/fetch-json.ts'
import { serverMetadata } from '../oauth/server-metadata.ts'
import type { ServerMetadata } from '../oauth/server-metadata.ts'
import { SIGNING_ALGORITHMS } from './authenticator.ts'
import { readKeySet } from './key-set.ts'
import type { KeySet } from './key-set.ts'
import { Refreshed } from './refreshed.ts'

/** An authorization server whose tokens are taken. */
export interface IssuerOptions {
  /** Its name, which is a URL; tokens and its metadata must name it letter by letter. */
  readonly issuer: string
  /** Audiences that its tokens may have instead of the URL of the endpoint. */
  readonly audience?: string | readonly string[] | undefined
  /** Signature algorithms of its tokens. Default: all with a public key. */
  readonly algorithms?: readonly string[] | undefined
  /** Ask it about tokens that are not JWTs (RFC 7662). Without `endpoint` its metadata says where. */
  readonly introspection?: IntrospectionOptions | undefined
}

/** How an issuer is asked about a token. */
export interface IntrospectionOptions {
  readonly endpoint?: string | undefined
  readonly clientId: string
  readonly clientSecret: string
}

const MINUTE = 60_000
const METADATA_TIMES = { freshMs: 60 * MINUTE, staleMs: 24 * 60 * MINUTE, againMs: 10_000 }
const KEY_TIMES = { freshMs: 10 * MINUTE, staleMs: 60 * MINUTE, againMs: 10_000 }
// The client waits meanwhile.
const TIMEOUT_MS = 5_000

/** An issuer and what is known of it. Nothing is fetched before its first token comes. */
export class Issuer {
  readonly name: string
  readonly audiences: readonly string[]
  readonly algorithms: readonly string[]
  readonly introspection: IntrospectionOptions | undefined
  readonly keys: Refreshed<KeySet>
  /** Aborted when its tokens are no longer taken: what was opened with them ends. */
  readonly revocation: AbortController
  readonly fetchJson: FetchJson
  readonly #metadata: Refreshed<ServerMetadata>
  readonly #limits: FetchJsonLimits

  constructor(
    { issuer, audience = [], algorithms = SIGNING_ALGORITHMS, introspection }: IssuerOptions,
    timeoutMs: number = TIMEOUT_MS,
    revocation: AbortController = new AbortController(),
  ) {
    const url = secureUrl(issuer, `The issuer '${issuer.slice(0, 200)}'`)
    if (`${url.search}${url.hash}` !== '')
      throw new TypeError(`The issuer '${issuer}' may not have a query or fragment`)
    const wrong = algorithms.find(name => !SIGNING_ALGORITHMS.includes(name))
    if (wrong !== undefined)
      throw new TypeError(`The algorithm '${wrong}' is not accepted. Choices: ${SIGNING_ALGORITHMS.join(', ')}`)
    if (algorithms.length === 0) throw new TypeError(`The issuer '${issuer}' needs at least one algorithm`)
    if (introspection?.endpoint !== undefined) secureUrl(introspection.endpoint, 'The introspection endpoint')
    this.name = issuer
    this.audiences = [audience].flat()
    this.algorithms = algorithms
    this.introspection = introspection
    this.revocation = revocation
    // Each stream and session of its tokens listens, and there may be any number.
    setMaxListeners(0, revocation.signal)
    this.#limits = { timeoutMs, ownHostOnly: true }
    this.fetchJson = fetchJsonFor(url, true, this.#limits)
    this.#metadata = new Refreshed(() => this.#fetchMetadata(), METADATA_TIMES)
    this.keys = new Refreshed(() => this.#fetchKeys(), KEY_TIMES)
  }

  /** Is each token that it takes also taken by that one? */
  isWithin({ audiences, algorithms, introspection }: Issuer): boolean {
    return (
      this.audiences.every(name => audiences.includes(name)) &&
      this.algorithms.every(name => algorithms.includes(name)) &&
      (!this.introspection || isDeepStrictEqual(this.introspection, introspection))
    )
  }

  /** Where its tokens are introspected, and with which requests. */
  async introspectionAt(): Promise<{ readonly url: string; readonly fetchJson: FetchJson }> {
    const named = this.introspection?.endpoint
    // The operator wrote down this host, too.
    if (named !== undefined) return { url: named, fetchJson: fetchJsonFor(new URL(named), true, this.#limits) }
    const { introspection_endpoint: url } = await this.#metadata.get()
    if (url === undefined)
      throw new OAuthError('invalid_metadata', `The metadata of ${this.name} has no introspection_endpoint`)
    return { url, fetchJson: this.fetchJson }
  }

  async #fetchMetadata(): Promise<ServerMetadata> {
    const metadata = await serverMetadata(this.name, this.fetchJson)
    if (!metadata)
      throw new OAuthError('no_metadata', `The issuer ${this.name} has no metadata at a well-known address`)
    return metadata
  }

  async #fetchKeys(): Promise<KeySet> {
    const { jwks_uri: url } = await this.#metadata.get()
    if (url === undefined) throw new OAuthError('invalid_metadata', `The metadata of ${this.name} has no jwks_uri`)
    const { status, body } = await this.fetchJson({ url })
    if (status !== 200) throw new OAuthError('no_keys', `The keys of ${this.name} cannot be fetched: status ${status}`)
    return readKeySet(body)
  }
}
