import { networkOf } from '../../policies/client-key.ts'

/** Whose a session is. */
export interface SessionOwner {
  /** The only name that may use it; undefined without authentication. */
  readonly principal: string | undefined
  /** Where it was opened or restored from. */
  readonly address: string
  /** The part of the server it was opened with; undefined for all of it. */
  readonly view?: string | undefined
}

/** How many sessions each owner has; clients without a token are distinguished by their network. */
export class PrincipalCounts {
  readonly #counts = new Map<string, number>()

  of(owner: SessionOwner): number {
    return this.#counts.get(ownerKey(owner)) ?? 0
  }

  add(owner: SessionOwner): void {
    this.#counts.set(ownerKey(owner), this.of(owner) + 1)
  }

  remove(owner: SessionOwner): void {
    const left = this.of(owner) - 1
    if (left > 0) this.#counts.set(ownerKey(owner), left)
    else this.#counts.delete(ownerKey(owner))
  }
}

/** Do both belong to the same? */
export const isSameOwner = (one: SessionOwner, other: SessionOwner): boolean => ownerKey(one) === ownerKey(other)

/** Who is counted as one. */
export const ownerKey = ({ principal, address }: SessionOwner): string =>
  principal === undefined ? `address:${networkOf(address)}` : `principal:${principal}`
