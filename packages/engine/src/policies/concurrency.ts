import type { Awaitable, Call, Handle, Policy } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import type { Result } from '../jsonrpc/message.ts'
import { clientKey, isAnonymous } from './client-key.ts'
import { onlyWork } from './policy.ts'

/** How much one client may have going on. */
export interface Concurrency {
  readonly running: number
  readonly waiting: number
  /** Who is counted as one client. Default: the principal, else the network address, else the connection. */
  readonly by?: (call: Call) => unknown
  /** How many clients' worth all unauthenticated network clients may run together. Default: 10. */
  readonly anonymousShare?: number
}

// Queues of clients that have nothing going on.
const MOST_KEPT = 1000
// A handler that ignores its signal keeps its place for so long after it was given up.
const ABANDONED_MS = 10 * 60_000

/** Run so many calls of a client at once, let so many wait in line, and refuse the rest as busy. */
export function concurrency({ running, waiting, by, anonymousShare = 10 }: Concurrency): Policy {
  const clients = new Map<unknown, Queue>()
  const queueOf = (client: unknown): Queue => {
    const known = clients.get(client)
    if (known) return known
    // Made once for a client that comes often; only where there are many is an empty one forgotten at once.
    const queue = new Queue(running, waiting, () => clients.size > MOST_KEPT && clients.delete(client))
    clients.set(client, queue)
    return queue
  }
  // As many can wait here as can have a place of their own.
  const anonymous = new Queue(running * anonymousShare, running * anonymousShare + waiting)
  return onlyWork(function concurrency(call, next) {
    if (by) return queueOf(by(call)).run(call, next)
    const queue = queueOf(clientKey(call))
    return isAnonymous(call) ? queue.runAlsoIn(anonymous, call, next) : queue.run(call, next)
  })
}

/** Places to run in, and a line before them. */
class Queue {
  readonly #most: number
  readonly #longest: number
  readonly #onEmpty: (() => void) | undefined
  #running = 0
  /** Made when the first one has to wait, which few ever do. */
  #waiting: Set<() => void> | undefined

  constructor(most: number, longest: number, onEmpty?: () => void) {
    this.#most = most
    this.#longest = longest
    this.#onEmpty = onEmpty
  }

  run(call: Call, next: Handle): Awaitable<Result> {
    if (this.#running < this.#most) {
      this.#running += 1
      return this.#begin(call, next)
    }
    this.#waiting ??= new Set()
    if (this.#waiting.size >= this.#longest) throw busy(this.#most, this.#longest)
    return turn(call, this.#waiting).then(() => this.#begin(call, next))
  }

  /** The same, with a place of another queue besides; where both are free, as nearly always, they are left together. */
  runAlsoIn(other: Queue, call: Call, next: Handle): Awaitable<Result> {
    const areFree = this.#running < this.#most && other.#running < other.#most
    if (!areFree) return this.run(call, own => other.run(own, next))
    this.#running += 1
    other.#running += 1
    return this.#begin(call, next, other)
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
    const end = new Promise<void>(resolve => void (late = setTimeout(resolve, ABANDONED_MS).unref()))
    void Promise.race([abandoned, end]).finally(() => {
      clearTimeout(late)
      this.#leave()
    })
  }

  #leave(): void {
    // The place is handed over, so that nobody slips in between.
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

/** Wait in line; a call given up meanwhile steps out. */
function turn({ cancellation }: Call, waiting: Set<() => void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const mine = (): void => {
      waiting.delete(mine)
      cancellation.signal.removeEventListener('abort', out)
      resolve()
    }
    const out = (): void => {
      waiting.delete(mine)
      reject(cancellation.reason ?? new Error('Cancelled'))
    }
    waiting.add(mine)
    cancellation.signal.addEventListener('abort', out, { once: true })
  })
}
