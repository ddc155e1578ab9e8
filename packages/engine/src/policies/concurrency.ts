import type { Awaitable, Call, Handle, Policy } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import type { Result } from '../jsonrpc/message.ts'
import { clientOf, onlyWork } from './policy.ts'

/** How much one client may have going on. */
export interface Concurrency {
  readonly running: number
  readonly waiting: number
  readonly by?: (call: Call) => unknown
}

interface Lane {
  readonly client: unknown
  running: number
  /** Made when the first one has to wait, which few ever do. */
  waiting: Set<() => void> | undefined
}

/** Run so many calls of a client at once, let so many wait in line, and refuse the rest as busy. */
export function concurrency({ running: most, waiting: longest, by = clientOf }: Concurrency): Policy {
  const lanes = new Map<unknown, Lane>()
  const enter = (client: unknown): Lane => {
    const lane = { client, running: 0, waiting: undefined }
    lanes.set(client, lane)
    return lane
  }
  const leave = (lane: Lane): void => {
    // The place is handed over, so that nobody slips in between.
    if (lane.waiting && lane.waiting.size > 0) return first(lane.waiting)?.()
    lane.running -= 1
    if (lane.running === 0) lanes.delete(lane.client)
  }
  const run = (call: Call, next: Handle, lane: Lane): Awaitable<Result> => {
    let result: Awaitable<Result> | undefined
    try {
      result = next(call)
      return result instanceof Promise ? result.finally(() => leave(lane)) : result
    } finally {
      if (!(result instanceof Promise)) leave(lane)
    }
  }
  return onlyWork(function concurrencyPolicy(call, next) {
    const client = by(call)
    const lane = lanes.get(client) ?? enter(client)
    if (lane.running < most) {
      lane.running += 1
      return run(call, next, lane)
    }
    lane.waiting ??= new Set()
    if (lane.waiting.size >= longest) throw busy(most, longest)
    return turn(call, lane.waiting).then(() => run(call, next, lane))
  })
}

const first = <T>(set: ReadonlySet<T>): T | undefined => set.values().next().value

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
