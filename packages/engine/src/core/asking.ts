import type { Awaitable, Call } from '../call.ts'
import { Context } from '../context.ts'
import type { Result } from '../jsonrpc/message.ts'

/** Run a handler that may ask the client: while it waits for an answer, the question is the result. */
export function asking(call: Call, run: (ctx: Context) => Awaitable<Result>): Awaitable<Result> {
  try {
    const result = run(new Context(call))
    return result instanceof Promise ? later(call, result) : settled(call, result)
  } catch (error) {
    return unlessAsked(call, error)
  }
}

const later = (call: Call, result: Promise<Result>): Promise<Result> =>
  result.then(
    value => settled(call, value),
    error => unlessAsked(call, error),
  )

// Not the exception decides but what was asked: a handler may have caught it.
const settled = (call: Call, result: Result): Result => (hasAsked(call) ? question(call) : result)

function unlessAsked(call: Call, error: unknown): Result {
  if (hasAsked(call)) return question(call)
  throw error
}

function hasAsked({ asks }: Call): boolean {
  for (const _ in asks) return true
  return false
}

const question = ({ asks }: Call): Result => ({ resultType: 'input_required', inputRequests: asks })
