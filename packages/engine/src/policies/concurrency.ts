import type { Awaitable, Call, Handle, Policy } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import type { Result } from '../jsonrpc/message.ts'
import { clientOf, isAnonymous } from './client-key.ts'
import { WORK, only } from './policy.ts'

/** How much one client may have going on. */
export interface Concurrency {
  readonly running: number
  readonly waiting: number
  /** Who is counted as one client. Default: the principal, else the network address, else the connection. */
  readonly by?: (call: Call) => unknown
  /** How many clients' worth all unauthenticated network clients may run together. Default: 10. */
  readonly anonymousShare?: number
}

interface ClientQueue {
  readonly client: unknown
  running: number
  /** Made when the first one has to wait, which few ever do. */
  waiting: Set<() => void> | undefined
}

// A handler that ignores its signal keeps its place for so long after it was given up.
const ABANDONED_MS = 10 * 60_000

/** Run so many calls of a client at once, let so many wait in line, and refuse the rest as busy. */
export function concurrency({ running, waiting, by, anonymousShare = 10 }: Concurrency): Policy {
  const each = new Places(running, waiting)
  // The line is as long as one client's: what waits here holds a place of its own client already.
  const strangers = new Places(running * anonymousShare, running * anonymousShare + waiting)
  return only(WORK, function concurrency(call, next) {
    if (by) return each.run(by(call), call, next)
    const client = clientOf(call)
    if (!isAnonymous(call)) return each.run(client, call, next)
    return each.run(client, call, own => strangers.run('anonymous', own, next))
  })
}

/** Places to run in, so many for each client, with a line before them. */
class Places {
  readonly #most: number
  readonly #longest: number
  readonly #queues = new Map<unknown, ClientQueue>()

  constructor(most: number, longest: number) {
    this.#most = most
    this.#longest = longest
  }

  run(client: unknown, call: Call, next: Handle): Awaitable<Result> {
    const queue = this.#queues.get(client) ?? this.#open(client)
    if (queue.running < this.#most) {
      queue.running += 1
      return this.#begin(call, next, queue)
    }
    queue.waiting ??= new Set()
    if (queue.waiting.size >= this.#longest) throw busy(this.#most, this.#longest)
    return turn(call, queue.waiting).then(() => this.#begin(call, next, queue))
  }

  #begin(call: Call, next: Handle, queue: ClientQueue): Awaitable<Result> {
    let result: Awaitable<Result> | undefined
    try {
      result = next(call)
      return result instanceof Promise ? result.finally(() => this.#leaveAfter(call, queue)) : result
    } finally {
      if (!(result instanceof Promise)) this.#leave(queue)
    }
  }

  /** Work that goes on although it was given up still takes its place. */
  #leaveAfter({ cancellation: { abandoned } }: Call, queue: ClientQueue): void {
    if (!abandoned) return this.#leave(queue)
    let late: NodeJS.Timeout | undefined
    const end = new Promise<void>(resolve => void (late = setTimeout(resolve, ABANDONED_MS).unref()))
    void Promise.race([abandoned, end]).finally(() => {
      clearTimeout(late)
      this.#leave(queue)
    })
  }

  #leave(queue: ClientQueue): void {
    // The place is handed over, so that nobody slips in between.
    if (queue.waiting && queue.waiting.size > 0) return first(queue.waiting)?.()
    queue.running -= 1
    if (queue.running === 0) this.#queues.delete(queue.client)
  }

  #open(client: unknown): ClientQueue {
    const queue = { client, running: 0, waiting: undefined }
    this.#queues.set(client, queue)
    return queue
  }
}

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
