import type { Awaitable, Call } from '../call.ts'
import { Context } from '../define/context.ts'
import type { Result } from '../jsonrpc/message.ts'

/** Run a handler that may ask the client: while it waits for an answer, the question is the result. */
export function asking(call: Call, run: (ctx: Context) => Awaitable<Result>): Awaitable<Result> {
  const ctx = new Context(call)
  try {
    const result = run(ctx)
    return result instanceof Promise ? later(ctx, result) : settled(ctx, result)
  } catch (error) {
    return unlessAsked(ctx, error)
  }
}

const later = (ctx: Context, result: Promise<Result>): Promise<Result> =>
  result.then(
    value => settled(ctx, value),
    error => unlessAsked(ctx, error),
  )

// What was asked decides, not the exception: a handler may have caught it.
const settled = (ctx: Context, result: Result): Result => question(ctx) ?? result

function unlessAsked(ctx: Context, error: unknown): Result {
  const asked = question(ctx)
  if (asked) return asked
  throw error
}

function question(ctx: Context): Result | undefined {
  const inputRequests = Context.pending(ctx)
  return inputRequests && { resultType: 'input_required', inputRequests }
}
