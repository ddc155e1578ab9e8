import { adopt } from '../awaitable.ts'
import type { Handle, Policy } from '../call.ts'

/** Compose the policies around the handler, the first one outermost. */
export const compose = (policies: readonly Policy[], handle: Handle): Handle =>
  policies.reduceRight<Handle>((next, policy) => call => adopt(policy(call, next)), handle)

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
