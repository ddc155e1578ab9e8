import type { Awaitable, Call, Handle, Policy } from '../call.ts'
import type { Result } from '../jsonrpc/message.ts'

/** What is done with that which a call comes to. */
export interface ResultStep {
  /** Gives the result, or another one in its place. */
  readonly onResult?: (result: Result, call: Call) => Awaitable<Result>
  /** Throws the error, or another one in its place; gives a result where that is what it comes to. */
  readonly onError?: (error: unknown, call: Call) => Awaitable<Result>
}

/** A step with both its halves. */
export type Step = Required<ResultStep>

const steps = new WeakMap<Policy, Step>()
const same = (result: Result): Result => result
const again = (error: unknown): never => {
  throw error
}

/** A policy that does nothing before the call. Those that stand side by side are one to `compose`: they cost one promise together. */
export function resultStep({ onResult: change = same, onError: fail = again }: ResultStep): Policy {
  const step: Step = { onResult: change, onError: fail }
  const only = [step]
  const policy: Policy = function resultStepPolicy(call, next) {
    return run(only, call, next)
  }
  steps.set(policy, step)
  return policy
}

/** What a policy does with results, if that is all it does. */
export const stepOf = (policy: Policy): Step | undefined => steps.get(policy)

/** A handler with steps after it, the innermost first. */
export const followedBy = (own: readonly Step[], handle: Handle): Handle =>
  own.length === 0 ? handle : call => run(own, call, handle)

function run(own: readonly Step[], call: Call, handle: Handle): Awaitable<Result> {
  let result: Awaitable<Result>
  try {
    result = handle(call)
  } catch (error) {
    return onError(own, 0, error, call)
  }
  return result instanceof Promise ? later(own, 0, result, call) : onResult(own, 0, result, call)
}

const later = (own: readonly Step[], from: number, result: Promise<Result>, call: Call): Promise<Result> =>
  result.then(
    done => onResult(own, from, done, call),
    (error: unknown) => onError(own, from, error, call),
  )

function onResult(own: readonly Step[], from: number, first: Result, call: Call): Awaitable<Result> {
  let result = first
  for (let i = from; i < own.length; i++) {
    try {
      const next = own[i]?.onResult(result, call) ?? result
      if (next instanceof Promise) return later(own, i + 1, next, call)
      result = next
    } catch (error) {
      return onError(own, i + 1, error, call)
    }
  }
  return result
}

function onError(own: readonly Step[], from: number, first: unknown, call: Call): Awaitable<Result> {
  let error = first
  for (const [i, step] of own.entries()) {
    if (i < from) continue
    let result: Awaitable<Result>
    try {
      result = step.onError(error, call)
    } catch (other) {
      error = other
      continue
    }
    return result instanceof Promise ? later(own, i + 1, result, call) : onResult(own, i + 1, result, call)
  }
  throw error
}
