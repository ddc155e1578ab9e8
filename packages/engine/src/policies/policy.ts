import { adopt } from '../awaitable.ts'
import type { Handle, Policy } from '../call.ts'
import { followedBy, stepOf } from './result-step.ts'
import type { Step } from './result-step.ts'

/** Compose the policies around the handler, the first one outermost. */
export function compose(policies: readonly Policy[], handle: Handle): Handle {
  let composed = handle
  let steps: Step[] = []
  for (const policy of policies.toReversed()) {
    const step = stepOf(policy)
    if (step) steps.push(step)
    else {
      composed = around(policy, followedBy(steps, composed))
      steps = []
    }
  }
  return followedBy(steps, composed)
}

const around =
  (policy: Policy, next: Handle): Handle =>
  call =>
    adopt(policy(call, next))

/** A policy for some methods only. */
export function only(methods: readonly string[], policy: Policy): Policy {
  const chosen = new Set(methods)
  return function onlySomeMethods(call, next) {
    return chosen.has(call.method) ? policy(call, next) : next(call)
  }
}

/** A policy for methods that do the work of a feature; the rest is the protocol's own business. */
export const onlyWork = (policy: Policy): Policy =>
  function onlyWorkMethods(call, next) {
    return call.descriptor.work ? policy(call, next) : next(call)
  }
