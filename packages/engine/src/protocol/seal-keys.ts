import { createHash, randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Log } from '../log/log.ts'
import type { Presence, Values } from '../stores/store.ts'
import type { SealKey, SealKeys } from './request-state.ts'
import { unref } from '../support/unref.ts'

// Each stretch of time has a key of its own. The next one's is known to all before it is needed.
const PERIOD_MS = 12 * 60 * 60_000
const KEPT_MS = 4 * PERIOD_MS
const REFRESH_MS = 60 * 60_000
const KEY_BYTES = 32
const MOST_KEYS = 16
const ID = /^\d{1,8}-[\da-f]{16}$/
// Anyone can name as many ids as they like; so few of them are looked up.
const LOOKUPS_PER_SECOND = 20
// A process that has just started may have used a key that is still on its way to the store.
const TRIES = 10
const RETRY_MS = 100

/** Keys for sealed state, made by whichever process needs one first and kept in the store for all. */
export class SharedKeys implements SealKeys {
  readonly #store: Presence & Values
  readonly #log: Log
  readonly #now: () => number
  readonly #keys = new Map<string, Buffer>()
  readonly #ofPeriod = new Map<number, SealKey>()
  #second = 0
  #lookups = 0

  constructor(store: Presence & Values, log: Log, now: () => number = Date.now) {
    this.#store = store
    this.#log = log
    this.#now = now
    void this.refresh()
    store.onReconnect(() => void this.refresh())
    unref(setInterval(() => void this.refresh(), REFRESH_MS))
  }

  current(): SealKey {
    const period = this.#period()
    const found = this.#ofPeriod.get(period)
    if (found) return found
    // The store was not asked yet, or is away: the others find this one there when it is back.
    const made = sealKey(period, randomBytes(KEY_BYTES))
    this.#use(period, made)
    void this.refresh()
    return made
  }

  find(id: string): Buffer | undefined {
    return this.#keys.get(id)
  }

  fetch(id: string): Promise<void> | undefined {
    if (!ID.test(id) || !this.#mayLookUp()) return undefined
    return this.#fetch(id).catch((error: unknown) => this.#failed(error))
  }

  /** Agree on the keys of this period and the next, and let the others have those that were used here. */
  async refresh(): Promise<void> {
    const period = this.#period()
    try {
      for (const wanted of [period, period + 1]) {
        const proposed = this.#ofPeriod.get(wanted)?.key ?? randomBytes(KEY_BYTES)
        const kept = await this.#store.once(`seal:${wanted}`, proposed.toString('base64'), KEPT_MS)
        this.#use(wanted, sealKey(wanted, Buffer.from(kept, 'base64')))
      }
      for (const [id, key] of this.#keys) await this.#store.set(`sealkey:${id}`, key.toString('base64'), KEPT_MS)
    } catch (error) {
      this.#failed(error)
    }
  }

  async #fetch(id: string): Promise<void> {
    const isRecent = Math.abs(Number.parseInt(id, 10) - this.#period()) <= 1
    for (let left = isRecent ? TRIES : 1; left > 0; left--) {
      const kept = await this.#store.get(`sealkey:${id}`)
      if (kept !== undefined) return this.#add(id, Buffer.from(kept, 'base64'))
      if (left > 1) await setTimeout(RETRY_MS)
    }
  }

  #use(period: number, used: SealKey): void {
    this.#ofPeriod.set(period, used)
    this.#ofPeriod.delete(period - 2)
    this.#add(used.id, used.key)
  }

  #add(id: string, key: Buffer): void {
    this.#keys.delete(id)
    this.#keys.set(id, key)
    const [oldest = id] = this.#keys.keys()
    if (this.#keys.size > MOST_KEYS) this.#keys.delete(oldest)
  }

  #mayLookUp(): boolean {
    const second = Math.floor(this.#now() / 1000)
    if (second !== this.#second) this.#lookups = 0
    this.#second = second
    this.#lookups += 1
    return this.#lookups <= LOOKUPS_PER_SECOND
  }

  #period(): number {
    return Math.floor(this.#now() / PERIOD_MS)
  }

  #failed(error: unknown): void {
    if (this.#store.reachable) this.#log('warn', 'keys could not be shared', { error })
  }
}

const sealKey = (period: number, key: Buffer): SealKey => ({
  id: `${period}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`,
  key,
})
