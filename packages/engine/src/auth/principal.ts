/** Who was authenticated. */
export interface Principal {
  /** Names one person or program; sessions, limits and sealed state belong to the name. */
  readonly name: string
  /** What the token allows. */
  readonly scopes?: readonly string[]
  /** Whatever else the token says. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** When the token ends, in milliseconds since 1970. */
  readonly expiresAt?: number
  /** Aborts when the token is taken back: streams, sockets and sessions opened with it end. */
  readonly revoked?: AbortSignal
}
