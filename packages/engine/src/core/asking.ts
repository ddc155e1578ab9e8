import type { Awaitable, Call } from '../call.ts'
import { Context } from '../context.ts'
import type { Result } from '../jsonrpc/message.ts'

/** Run a handler that may ask the client: while it waits for an answer, the question is the result. */
export function asking(call: Call, run: (ctx: Context) => Awaitable<Result>): Awaitable<Result> {
  // Not the exception decides but what was asked: a handler may have caught it.
  const settle = (result: Result): Result => (hasAsked(call) ? question(call) : result)
  const fail = (error: unknown): Result => {
    if (hasAsked(call)) return question(call)
    throw error
  }
  try {
    const result = run(new Context(call))
    return result instanceof Promise ? result.then(settle, fail) : settle(result)
  } catch (error) {
    return fail(error)
  }
}

function hasAsked({ asks }: Call): boolean {
  for (const _ in asks) return true
  return false
}

const question = ({ asks }: Call): Result => ({ resultType: 'input_required', inputRequests: asks })
