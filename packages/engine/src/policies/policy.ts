import { adopt } from '../awaitable.ts'
import type { Handle, Policy } from '../call.ts'

/** Fold the policies around the handler, the first one outermost. */
export const compose = (policies: readonly Policy[], handle: Handle): Handle =>
  policies.reduceRight<Handle>((next, policy) => call => adopt(policy(call, next)), handle)

/** The methods that do a feature's work; the rest is the protocol's own business. */
export const WORK: readonly string[] = ['tools/call', 'prompts/get', 'resources/read', 'completion/complete']

/** A policy for some methods only. */
export function only(methods: readonly string[], policy: Policy): Policy {
  const chosen = new Set(methods)
  return (call, next) => (chosen.has(call.method) ? policy(call, next) : next(call))
}
