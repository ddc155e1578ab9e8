/** What a view may ask of its host. */
export interface ViewLimits {
  /** Calls that run at once. */
  readonly running: number
  /** Calls that wait for one of these to end. */
  readonly waiting: number
  /** Calls in a minute. */
  readonly perMinute: number
  /** Messages of any kind in a second: a view that sends more is stopped. */
  readonly messagesPerSecond: number
  /** Characters of one message. */
  readonly size: number
}

/** Enough for any view that serves a person. */
export const VIEW_LIMITS: ViewLimits = {
  running: 4,
  waiting: 16,
  perMinute: 120,
  messagesPerSecond: 100,
  size: 1_000_000,
}

/** Counts events in a window of time that moves. */
export class Rate {
  readonly #most: number
  readonly #windowMs: number
  readonly #now: () => number
  #times: number[] = []

  constructor(most: number, windowMs: number, now: () => number = () => performance.now()) {
    this.#most = most
    this.#windowMs = windowMs
    this.#now = now
  }

  /** One more; false if that is too many. */
  take(): boolean {
    const now = this.#now()
    this.#times = this.#times.filter(time => now - time < this.#windowMs)
    if (this.#times.length >= this.#most) return false
    this.#times.push(now)
    return true
  }
}

/** Runs so many pieces of work at once; the others wait in line, and what finds the line full is refused. */
export class Line {
  readonly #running: number
  readonly #waiting: number
  readonly #queue: (() => void)[] = []
  #busy = 0

  constructor({ running, waiting }: Pick<ViewLimits, 'running' | 'waiting'>) {
    this.#running = running
    this.#waiting = waiting
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy >= this.#running) {
      if (this.#queue.length >= this.#waiting)
        throw new Error(`More than ${this.#running + this.#waiting} calls at once`)
      await new Promise<void>(resolve => this.#queue.push(resolve))
    } else this.#busy += 1
    try {
      return await work()
    } finally {
      // The next one that waits takes this place.
      const next = this.#queue.shift()
      if (next) next()
      else this.#busy -= 1
    }
  }
}
