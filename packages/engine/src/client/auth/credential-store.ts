/** Whose tokens for which server. */
export interface TokensKey {
  readonly kind: 'tokens'
  /** Who logged in, in the words of the program that keeps the store. A program with one user may use any constant. */
  readonly principal: string
  /** The URL of the MCP server, as its clients dial it. */
  readonly server: string
}

/** What identifies this program at an authorization server. It is shared by all principals. */
export interface ClientKey {
  readonly kind: 'client'
  /** The authorization server's issuer. A registration is never used at another issuer. */
  readonly issuer: string
  /** The redirect URI that was registered; empty where none was. */
  readonly redirectUri: string
}

/** Under what something is kept. Each field matters, and is compared letter by letter. */
export type CredentialKey = TokensKey | ClientKey

/** A client registration that an authorization server gave (RFC 7591). */
export interface StoredClient {
  readonly clientId: string
  readonly clientSecret?: string
  /** How the client proves who it is at the token endpoint, if the server decided it. */
  readonly authMethod?: string
  /** When the secret ends, in milliseconds since 1970; undefined if never. */
  readonly expiresAt?: number
}

/** Tokens, and what it takes to use and refresh them. Everything in it is secret. */
export interface StoredTokens {
  /** The issuer that gave them. Tokens are not refreshed anywhere else. */
  readonly issuer: string
  readonly accessToken: string
  readonly refreshToken?: string
  /** When the access token ends, in milliseconds since 1970; undefined if the server did not say. */
  readonly expiresAt?: number
  /** When they were received, in milliseconds since 1970. */
  readonly obtainedAt: number
  /** What they were asked for (RFC 8707); undefined if the server has no metadata. */
  readonly resource?: string
  /** The scopes that were granted, as far as it is known. */
  readonly scopes: readonly string[]
  /** The client that they were given to, which is the one that can refresh them; empty if there was none. */
  readonly clientId: string
  /** Where the browser came back to in the login that gave them: finds the registration of the client. */
  readonly redirectUri?: string
  /** The private key (JWK, as JSON text) that they are bound to; undefined for bearer tokens. */
  readonly dpopKey?: string
}

/** What is kept under a key. */
export type StoredValue<K extends CredentialKey> = K extends TokensKey ? StoredTokens : StoredClient

/**
 * Where credentials are kept. Values are plain JSON, and secret: a store that outlives the process has to seal them.
 * A store that several processes share lets them refresh a token once: see `exclusive`.
 */
export interface CredentialStore {
  get<K extends CredentialKey>(key: K): Promise<StoredValue<K> | undefined>
  set<K extends CredentialKey>(key: K, value: StoredValue<K>): Promise<void>
  delete(key: CredentialKey): Promise<void>
  /**
   * Run `task` while no other one, in this or another process, runs for the same key. The engine reads the key again
   * inside, so a process that comes second finds the tokens that the first one got. The lock has to end by itself if its
   * process dies; a task takes at most about 30 s. It must not be nested.
   */
  exclusive<T>(key: CredentialKey, task: () => Promise<T>): Promise<T>
}

/** Credentials that live as long as this process. */
export function memoryCredentials(): CredentialStore {
  const values = new Map<string, StoredTokens | StoredClient>()
  const turns = new Map<string, Promise<unknown>>()
  return {
    get: async <K extends CredentialKey>(key: K) => values.get(keyText(key)) as StoredValue<K> | undefined,
    set: async (key, value) => void values.set(keyText(key), value),
    delete: async key => void values.delete(keyText(key)),
    async exclusive(key, task) {
      const name = keyText(key)
      const turn = (turns.get(name) ?? Promise.resolve()).then(task, task)
      turns.set(name, turn)
      try {
        return await turn
      } finally {
        if (turns.get(name) === turn) turns.delete(name)
      }
    },
  }
}

/** A text that is different for different keys, for stores that are indexed by one. */
export const keyText = (key: CredentialKey): string =>
  JSON.stringify(
    key.kind === 'tokens' ? [key.kind, key.principal, key.server] : [key.kind, key.issuer, key.redirectUri],
  )
