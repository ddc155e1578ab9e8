import type { Awaitable, Call, Policy } from '../call.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import type { Result } from '../jsonrpc/message.ts'
import { monotonicNow } from '../support/monotonic-now.ts'

/** How a call ended. */
export interface CallEnd {
  /** `ok`, `asked`, `failed` (an error result), `cancelled`, `tool-failed`, or the kind of error. */
  readonly outcome: string
  readonly durationMs: number
  /** Did it have to wait for something, so that `onWait` was heard? */
  readonly waited: boolean
  /** What was thrown, if anything was. */
  readonly error?: unknown
}

/** Sees every call and changes none. It must not throw. */
export interface CallObserver {
  /** A call begins. What is known of its tool now may be gone when it ends. */
  onStart?(call: Call): void
  /** A call did not end at once; `busyMs` is how long it kept the event loop before it began to wait. */
  onWait?(call: Call, busyMs: number): void
  onEnd(call: Call, end: CallEnd): void
}

type Ended = Omit<CallEnd, 'durationMs'>

/** Let observers see calls, all of them with one look at the clock. */
export function observe(observers: readonly CallObserver[]): Policy {
  if (observers.length === 0) return (call, next) => next(call)
  const ended = (call: Call, { outcome, error, waited }: Ended, start: number): void => {
    const end: CallEnd = { outcome, durationMs: monotonicNow() - start, waited, error }
    for (const observer of observers) observer.onEnd(call, end)
  }
  const waits = (call: Call, work: Promise<Result>, start: number): Promise<Result> => {
    const busyMs = monotonicNow() - start
    for (const observer of observers) observer.onWait?.(call, busyMs)
    return work.then(
      result => {
        ended(call, { outcome: outcomeOf(result), waited: true }, start)
        return result
      },
      (error: unknown) => {
        ended(call, { outcome: outcomeOfError(call, error), error, waited: true }, start)
        throw error
      },
    )
  }
  const starting = observers.filter(observer => observer.onStart !== undefined)
  return function observeCalls(call, next) {
    for (const observer of starting) observer.onStart?.(call)
    const start = monotonicNow()
    let result: Awaitable<Result>
    try {
      result = next(call)
    } catch (error) {
      ended(call, { outcome: outcomeOfError(call, error), error, waited: false }, start)
      throw error
    }
    if (result instanceof Promise) return waits(call, result, start)
    ended(call, { outcome: outcomeOf(result), waited: false }, start)
    return result
  }
}

/** What became of a call that has a result. */
const outcomeOf = ({ resultType, isError }: Result): string =>
  resultType === 'input_required' ? 'asked' : isError === true ? 'failed' : 'ok'

/** What became of a call that has none. */
function outcomeOfError({ cancellation }: Call, error: unknown): string {
  if (error instanceof RpcError) return error.kind ?? String(error.code)
  return cancellation.cancelled ? 'cancelled' : 'tool-failed'
}
