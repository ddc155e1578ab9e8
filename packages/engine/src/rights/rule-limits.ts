import { after } from '../awaitable.ts'
import type { Call, Handle, Policy } from '../call.ts'
import { quotaKey } from '../policies/client-key.ts'
import { concurrency } from '../policies/concurrency.ts'
import { rateLimit } from '../policies/rate-limit.ts'
import type { ToolDefinitions } from '../policies/require-scopes.ts'
import { timeout } from '../policies/timeout.ts'
import type { Buckets } from '../stores/store.ts'
import { usedBy } from './obey-rights.ts'
import type { Used } from './obey-rights.ts'
import type { Grant } from './grant.ts'
import type { RightsLimits } from './rules.ts'

/** Where the limits of rules are counted. */
export interface RuleLimitsOptions {
  /** Where the buckets of rates are. Default: in memory. */
  readonly store?: Buckets | undefined
  /** Calls of one client that may wait for a place. Default: 1000. */
  readonly waiting?: number
}

// Limits of rules that were exchanged since are forgotten at some time.
const MOST_POLICIES = 1000
// Beyond this a timer of Node's fires at once.
const LONGEST_MS = 2 ** 31 - 1

/** Keep to the limits of the first rule that allows a call and has them. It belongs inside the limit on the time of all calls. */
export function ruleLimits(server: ToolDefinitions, { store, waiting = 1000 }: RuleLimitsOptions = {}): Policy {
  const policies = new Map<string, Policy>()
  const kept = (id: string, make: () => Policy): Policy => {
    const policy = policies.get(id) ?? make()
    if (policies.size >= MOST_POLICIES) policies.clear()
    policies.set(id, policy)
    return policy
  }
  const makers: Makers = {
    rate: (limit, rule) => {
      if (limit === 'off') return undefined
      const id = `rights-${rule}-${limit.burst}/${limit.perSecond}`
      const by = (call: Call): string => `${id}:${quotaKey(call)}`
      return kept(id, () => rateLimit({ ...limit, methods: 'all', by, ...(store && { store }) }))
    },
    concurrency: (running, rule) =>
      kept(`concurrency-${rule}-${running}`, () => concurrency({ running, waiting, by: quotaKey })),
    timeout: limit => {
      const ms = limit === 'off' ? LONGEST_MS : limit
      return kept(`timeout-${ms}`, () => timeout(ms))
    },
  }
  return function ruleLimits(call, next) {
    const { rights } = call.caller
    if (!rights?.limits || !call.descriptor.work) return next(call)
    return after(usedBy(call, server), used => (used ? limited(rights, used, makers, next)(call) : next(call)))
  }
}

type Maker<K extends keyof RightsLimits> = (limit: NonNullable<RightsLimits[K]>, rule: number) => Policy | undefined

type Makers = { readonly [K in keyof Required<RightsLimits>]: Maker<K> }

/** The handler with the limits around it; the clock runs from the time on when the call has its place. */
function limited(rights: Grant, { kind, key }: Used, makers: Makers, next: Handle): Handle {
  const policyOf = <K extends keyof RightsLimits>(name: K): Policy | undefined => {
    const found = rights.limitOf(name, kind, key)
    return found && makers[name](found.limit, found.rule)
  }
  const chosen = [policyOf('timeout'), policyOf('concurrency'), policyOf('rate')]
  return chosen.reduce<Handle>((run, policy) => (policy ? call => policy(call, run) : run), next)
}
