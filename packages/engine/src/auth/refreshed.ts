/** When a value is fetched. */
export interface RefreshTimes {
  /** A value that is younger is used as it is. */
  readonly freshMs: number
  /** A value that is older is not used, even if no other can be fetched. */
  readonly staleMs: number
  /** The least time between two attempts, after a failure and for `renew`. */
  readonly againMs: number
  readonly now?: () => number
}

/** A value that is fetched when it is first needed, and again after a while; who asks meanwhile waits for the same answer. */
export class Refreshed<T> {
  readonly #fetch: () => Promise<T>
  readonly #times: RefreshTimes
  readonly #now: () => number
  #value: { readonly it: T; readonly at: number } | undefined
  #running: Promise<T> | undefined
  #failure: { readonly error: unknown; readonly at: number } | undefined
  #renewedAt = -Infinity

  constructor(fetch: () => Promise<T>, times: RefreshTimes) {
    this.#fetch = fetch
    this.#times = times
    this.#now = times.now ?? (() => performance.now())
  }

  /** The value, as fresh as it has to be. Rejects if there is none. */
  get(): Promise<T> {
    const age = this.#value ? this.#now() - this.#value.at : Infinity
    if (!this.#value || age > this.#times.staleMs) return this.#attempt()
    // An old value is used while another one is fetched.
    if (age > this.#times.freshMs) this.#attempt().catch(() => {})
    return Promise.resolve(this.#value.it)
  }

  /** Fetch the value again, because something is missing in it; the one that is there if that was done a moment ago. */
  async renew(): Promise<T> {
    const now = this.#now()
    if (now - this.#renewedAt < this.#times.againMs) return this.#running ?? this.get()
    this.#renewedAt = now
    return this.#begin()
  }

  #attempt(): Promise<T> {
    const { againMs } = this.#times
    if (!this.#running && this.#failure && this.#now() - this.#failure.at < againMs)
      return Promise.reject(this.#failure.error)
    return this.#begin()
  }

  #begin(): Promise<T> {
    return (this.#running ??= this.#run().finally(() => (this.#running = undefined)))
  }

  async #run(): Promise<T> {
    try {
      const it = await this.#fetch()
      this.#value = { it, at: this.#now() }
      this.#failure = undefined
      return it
    } catch (error) {
      this.#failure = { error, at: this.#now() }
      throw error
    }
  }
}
