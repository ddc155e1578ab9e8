import type { Awaitable, Call, Handle, Policy } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import type { Result } from '../jsonrpc/message.ts'
import { quotaKey, isAnonymous } from './client-key.ts'
import { onlyWork } from './policy.ts'
import { lateError } from './timeout.ts'
import { unref } from '../support/unref.ts'

/** How much one client may have going on. */
export interface Concurrency {
  readonly running: number
  readonly waiting: number
  /** How long a call may wait in line before it is given up as too late. Default: as long as it takes. */
  readonly waitMs?: number | undefined
  /** Who is counted as one client. Default: the principal, else the network address, else the connection. */
  readonly by?: (call: Call) => unknown
  /** How many clients' worth all unauthenticated network clients may run together. Default: 10. */
  readonly anonymousShare?: number
  /** Is told how many more wait in line, or fewer. */
  readonly onWaiting?: (change: 1 | -1) => void
}

// Queues of clients that have nothing going on.
const MOST_KEPT = 1000
// A handler that ignores its signal keeps its place for so long after it was given up.
const ABANDONED_MS = 10 * 60_000

/** Run so many calls of a client at once, let so many wait in line, and refuse the rest as busy. */
export function concurrency({ running, waiting, waitMs, by, onWaiting, anonymousShare = 10 }: Concurrency): Policy {
  const clients = new Map<unknown, Queue>()
  const queueOf = (client: unknown): Queue => {
    const known = clients.get(client)
    if (known) return known
    // Made once for a client that comes often; only where there are many is an empty one forgotten at once.
    const onEmpty = (): unknown => clients.size > MOST_KEPT && clients.delete(client)
    const queue = new Queue({ most: running, longest: waiting, waitMs, onEmpty, onWaiting })
    clients.set(client, queue)
    return queue
  }
  // As many can wait here as can have a place of their own.
  const share = running * anonymousShare
  const anonymous = new Queue({ most: share, longest: share + waiting, waitMs, onWaiting })
  return onlyWork(function concurrency(call, next) {
    if (by) return queueOf(by(call)).run(call, next)
    const queue = queueOf(quotaKey(call))
    return isAnonymous(call) ? queue.runAlsoIn(anonymous, call, next) : queue.run(call, next)
  })
}

interface QueueOptions {
  readonly most: number
  readonly longest: number
  readonly waitMs: number | undefined
  readonly onEmpty?: () => unknown
  readonly onWaiting: Concurrency['onWaiting']
}

/** Places to run in, and a line before them. */
class Queue {
  readonly #most: number
  readonly #longest: number
  readonly #waitMs: number | undefined
  readonly #onEmpty: (() => unknown) | undefined
  readonly #onWaiting: Concurrency['onWaiting']
  #running = 0
  /** Made when the first one has to wait, which few ever do. */
  #waiting: Set<() => void> | undefined

  constructor({ most, longest, waitMs, onEmpty, onWaiting }: QueueOptions) {
    this.#most = most
    this.#longest = longest
    this.#waitMs = waitMs
    this.#onEmpty = onEmpty
    this.#onWaiting = onWaiting
  }

  run(call: Call, next: Handle): Awaitable<Result> {
    if (this.#running < this.#most) {
      this.#running += 1
      return this.#begin(call, next)
    }
    this.#waiting ??= new Set()
    if (this.#waiting.size >= this.#longest) throw busy(this.#most, this.#longest)
    return this.#turn(call, this.#waiting).then(() => this.#begin(call, next))
  }

  /** The same, with a place of another queue; if both are free, as nearly always, they are released together. */
  runAlsoIn(other: Queue, call: Call, next: Handle): Awaitable<Result> {
    const areFree = this.#running < this.#most && other.#running < other.#most
    if (!areFree) return this.run(call, own => other.run(own, next))
    this.#running += 1
    other.#running += 1
    return this.#begin(call, next, other)
  }

  async #turn(call: Call, waiting: Set<() => void>): Promise<void> {
    this.#onWaiting?.(1)
    try {
      await turn(call, waiting, this.#waitMs)
    } finally {
      this.#onWaiting?.(-1)
    }
  }

  /** Run a call in the place it has. */
  #begin(call: Call, next: Handle, other?: Queue): Awaitable<Result> {
    const leave = (): void => {
      if (other) other.#leaveAfter(call)
      this.#leaveAfter(call)
    }
    let result: Awaitable<Result>
    try {
      result = next(call)
    } catch (error) {
      leave()
      throw error
    }
    if (result instanceof Promise) return thenLeave(result, leave)
    leave()
    return result
  }

  /** Work that goes on although it was given up still takes its place. */
  #leaveAfter({ cancellation: { abandoned } }: Call): void {
    if (!abandoned) return this.#leave()
    let late: NodeJS.Timeout | undefined
    const end = new Promise<void>(resolve => void (late = unref(setTimeout(resolve, ABANDONED_MS))))
    void Promise.race([abandoned, end]).finally(() => {
      clearTimeout(late)
      this.#leave()
    })
  }

  #leave(): void {
    // The place is handed over, so that no other call takes it.
    if (this.#waiting && this.#waiting.size > 0) return first(this.#waiting)?.()
    this.#running -= 1
    if (this.#running === 0) this.#onEmpty?.()
  }
}

/** As `finally` does, with a third of its promises. */
const thenLeave = (work: Promise<Result>, leave: () => void): Promise<Result> =>
  work.then(
    result => {
      leave()
      return result
    },
    (error: unknown) => {
      leave()
      throw error
    },
  )

const first = <T>(set: ReadonlySet<T>): T | undefined => set.values().next().value

const busy = (running: number, waiting: number): Error =>
  fault(
    'busy',
    `Busy: ${running} calls are running and ${waiting} are waiting`,
    { retryAfterMs: 1000 },
    { hint: 'Try again in 1000 ms.' },
  )

/** Wait in line; a call that is given up meanwhile, or has waited for too long, steps out. */
function turn(call: Call, waiting: Set<() => void>, waitMs: number | undefined): Promise<void> {
  const { cancellation } = call
  const start = performance.now()
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      waiting.delete(mine)
      clearTimeout(clock)
      cancellation.waitedMs += performance.now() - start
    }
    const mine = (): void => {
      leave()
      cancellation.signal.removeEventListener('abort', out)
      resolve()
    }
    const out = (): void => {
      leave()
      reject(cancellation.reason ?? new Error('Cancelled'))
    }
    const late = (): void => cancellation.cancel(lateError(call, waitMs ?? 0))
    const left = waitMs === undefined ? undefined : Math.max(0, waitMs - cancellation.waitedMs)
    const clock = left === undefined ? undefined : setTimeout(late, left)
    waiting.add(mine)
    cancellation.signal.addEventListener('abort', out, { once: true })
  })
}
