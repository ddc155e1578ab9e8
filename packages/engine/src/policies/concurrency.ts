import type { Awaitable, Call, Handle, Policy } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import type { Result } from '../jsonrpc/message.ts'
import { WORK, clientOf, only } from './policy.ts'

/** How much one client may have going on. */
export interface Concurrency {
  readonly running: number
  readonly waiting: number
  readonly by?: (call: Call) => unknown
}

interface Lane {
  running: number
  readonly waiting: Set<() => void>
}

/** Run so many calls of a client at once, let so many wait in line, and refuse the rest as busy. */
export function concurrency({ running: most, waiting: longest, by = clientOf }: Concurrency): Policy {
  const lanes = new Map<unknown, Lane>()
  const leave = (client: unknown, lane: Lane): void => {
    const [next] = lane.waiting
    // The place is handed over, so that nobody slips in between.
    if (next) return next()
    lane.running -= 1
    if (lane.running === 0) lanes.delete(client)
  }
  const run = (call: Call, next: Handle, done: () => void): Awaitable<Result> => {
    let result: Awaitable<Result> | undefined
    try {
      result = next(call)
      return result instanceof Promise ? result.finally(done) : result
    } finally {
      if (!(result instanceof Promise)) done()
    }
  }
  return only(WORK, (call, next) => {
    const client = by(call)
    const lane = lanes.get(client) ?? { running: 0, waiting: new Set() }
    const done = (): void => leave(client, lane)
    if (lane.running < most) {
      lanes.set(client, lane)
      lane.running += 1
      return run(call, next, done)
    }
    if (lane.waiting.size >= longest) throw busy(most, longest)
    return turn(call, lane).then(() => run(call, next, done))
  })
}

const busy = (running: number, waiting: number): Error =>
  fault(
    'busy',
    `Busy: ${running} calls are running and ${waiting} are waiting`,
    { retryAfterMs: 1000 },
    {
      hint: 'Try again in 1000 ms.',
    },
  )

/** Wait in line; a call given up meanwhile steps out. */
function turn({ cancellation }: Call, { waiting }: Lane): Promise<void> {
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
