import type { Awaitable, Call, Policy } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { onlyWork } from './policy.ts'

/** Give up on a call after `ms`, and tell its handler through the signal; the answer comes on time either way. */
export const timeout = (ms: number): Policy =>
  onlyWork(function timeoutPolicy(call, next) {
    const work = next(call)
    // A stream may take as long as its bytes do: it ends when they stop coming.
    if (call.link.stream) return work
    // What finished at once needs no clock.
    return work instanceof Promise ? inTime(work, call, ms) : work
  })

function inTime(work: Promise<Result>, call: Call, ms: number): Awaitable<Result> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      const error = fault(
        'timeout',
        `${subject(call)} timed out after ${ms / 1000} s`,
        { timeoutMs: ms },
        {
          hint: 'Ask for less, or try again later.',
        },
      )
      call.cancellation.cancel(error)
      call.cancellation.abandoned = work.catch(() => {})
      reject(error)
    }, ms)
    work.then(resolve, reject).finally(() => clearTimeout(late))
  })
}

const subject = ({ method, params }: Call): string =>
  method === 'tools/call' ? `Tool '${cut(String(params.name), 100)}'` : `The request ${method}`
