import type { ConnectionUser } from './pooled-remote.ts'

/** A call that waits for a connection. */
export interface WaitingCall<T> {
  readonly key: string
  readonly call: ConnectionUser | undefined
  go(one: T): void
  fail(error: Error): void
}

const WAIT_MS = 30_000
const PRESS_MS = 1000

/** Calls that wait for a connection, in order. */
export class WaitingCalls<T> {
  readonly #press: () => void
  readonly #onGiven: (one: T) => void
  #waiting: WaitingCall<T>[] = []
  #pressing: NodeJS.Timeout | undefined

  /** `press` is called now and then while a call waits, `onGiven` with what one of them gets. */
  constructor(press: () => void, onGiven: (one: T) => void) {
    this.#press = press
    this.#onGiven = onGiven
  }

  get size(): number {
    return this.#waiting.length
  }

  get all(): readonly WaitingCall<T>[] {
    return this.#waiting
  }

  first(key: string): WaitingCall<T> | undefined {
    return this.#waiting.find(waiting => waiting.key === key)
  }

  /** Resolves with what it is given; fails with `late` after a while, and with its reason if the call is cancelled. */
  wait(key: string, call: ConnectionUser | undefined, late: () => Error): Promise<T> {
    this.#pressing ??= setInterval(() => this.#pressed(), PRESS_MS).unref()
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer)
        this.#waiting = this.#waiting.filter(other => other !== waiting)
      }
      const fail = (error: Error): void => (leave(), reject(error))
      const waiting: WaitingCall<T> = { key, call, fail, go: one => (leave(), this.#onGiven(one), resolve(one)) }
      const timer = setTimeout(() => fail(late()), WAIT_MS).unref()
      this.#waiting.push(waiting)
      call?.cancellation?.watch(fail)
    })
  }

  close(why: Error): void {
    clearInterval(this.#pressing)
    for (const { fail } of this.#waiting) fail(why)
  }

  #pressed(): void {
    if (this.#waiting.length > 0) return this.#press()
    clearInterval(this.#pressing)
    this.#pressing = undefined
  }
}
