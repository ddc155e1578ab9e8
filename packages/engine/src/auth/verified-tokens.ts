import { hash } from 'node:crypto'
import type { VerifiedToken } from './claims.ts'

/** A token as the key of a map: the token cannot be recovered from it. Every request passes here, so it is done in one step. */
export const tokenHash = (token: string): string => hash('sha256', token, 'base64')

/** What was found out about tokens, until they end: a number of them, of which the one unused longest makes room. */
export class VerifiedTokens<T extends { readonly until: number } = VerifiedToken> {
  readonly #most: number
  readonly #known = new Map<string, T>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): T | undefined {
    const found = this.#known.get(key)
    if (!found || found.until > Date.now()) return found
    this.#known.delete(key)
    return undefined
  }

  set(key: string, found: T): void {
    this.#known.delete(key)
    if (this.#known.size >= this.#most) this.#makeRoom()
    this.#known.set(key, found)
  }

  get size(): number {
    return this.#known.size
  }

  /** What has ended goes first; if nothing has, the oldest. */
  #makeRoom(): void {
    const [oldest] = this.#known.keys()
    const now = Date.now()
    let looked = 0
    for (const [key, { until }] of this.#known) {
      if (looked++ === 16) break
      if (until <= now) this.#known.delete(key)
    }
    if (this.#known.size >= this.#most && oldest !== undefined) this.#known.delete(oldest)
  }
}
