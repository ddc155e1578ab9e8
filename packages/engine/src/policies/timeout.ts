import type { Awaitable, Call, Policy } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { onlyWork } from './policy.ts'

/** What may be chosen about the time of a call. */
export interface TimeoutOptions {
  /** The most that a handler gets if it asks for more, with `ctx.allowTime`. Default: no more than the others. */
  readonly most?: number
}

/**
 * Give up on a call after `ms`, and tell its handler through the signal; the answer comes on time either way. Time that
 * `concurrency` let it wait counts.
 */
export const timeout = (ms: number, { most = ms }: TimeoutOptions = {}): Policy =>
  onlyWork(function timeoutPolicy(call, next) {
    // No client waits for a task.
    const own = call.task ? most : ms
    call.cancellation.limit = { ms: own, most }
    const work = next(call)
    // A stream may take as long as its bytes do: it ends when they stop coming.
    if (call.link.stream) return work
    // What finished at once needs no clock.
    return work instanceof Promise ? inTime(work, call, own) : work
  })

function inTime(work: Promise<Result>, call: Call, ms: number): Awaitable<Result> {
  return new Promise((resolve, reject) => {
    const late = (waited: number): void => {
      const allowed = call.cancellation.limit?.ms ?? waited
      if (allowed > waited) {
        clock = setTimeout(late, allowed - waited, allowed)
        return
      }
      const error = lateError(call, allowed)
      call.cancellation.cancel(error)
      call.cancellation.abandoned = work.catch(() => {})
      reject(error)
    }
    let clock = setTimeout(late, Math.max(0, ms - call.cancellation.waitedMs), ms)
    work.then(
      result => {
        clearTimeout(clock)
        resolve(result)
      },
      (error: unknown) => {
        clearTimeout(clock)
        reject(error)
      },
    )
  })
}

/** The refusal of a call that took too long. */
export const lateError = (call: Call, ms: number): Error =>
  fault(
    'timeout',
    `${subject(call)} timed out after ${ms / 1000} s${waitingFor(call)}`,
    { timeoutMs: ms },
    { hint: 'Ask for less, or try again later.' },
  )

const waitingFor = ({ cancellation: { server } }: Call): string =>
  server === undefined ? '' : `: the server '${server}' has not answered`

const subject = ({ method, params }: Call): string =>
  method === 'tools/call' ? `Tool '${cut(String(params.name), 100)}'` : `The request ${method}`
