import type { UpstreamLogin } from '../logins/upstream-login.ts'
import type { CallForwarder } from './call-forwarder.ts'
import type { Pool } from './pool.ts'
import type { UpstreamHealth } from './upstream-health.ts'

const NEEDS_LOGIN = 'it needs a login: call one of its tools, and open the link'

/** What is told of a server. */
interface Watched {
  readonly name: string
  readonly pool: Pool
  readonly health: UpstreamHealth
  readonly forwarder: CallForwarder
  readonly login: UpstreamLogin | undefined
}

/** What there is to know of a server's health. */
export function statusOf(upstream: Watched): Readonly<Record<string, unknown>> {
  const { name, pool, health, forwarder, login } = upstream
  const remote = pool.any?.remote
  const { why, retryAfterMs } = pool.backoff
  const { calls, failures, restarts, unreachable } = health
  const { breaker } = forwarder
  const state = stateOf(upstream)
  return {
    name,
    state,
    conversations: pool.size,
    inFlight: forwarder.inFlight,
    calls,
    failures,
    restarts,
    ...(remote && { speaks: remote.version, server: remote.server }),
    ...(state === 'login' && { problem: NEEDS_LOGIN }),
    ...(login?.isNeeded && { login: 'people' }),
    ...(unreachable !== undefined && { problem: unreachable }),
    ...(breaker.state !== 'closed' && {
      breaker: breaker.state,
      problem: breaker.problem,
      retryAfterMs: Math.ceil(breaker.retryAfterMs),
    }),
    ...(why && { problem: why.message, retryAfterMs: Math.ceil(retryAfterMs) }),
  }
}

function stateOf({ pool, health, login, forwarder }: Watched): 'running' | 'starting' | 'failed' | 'idle' | 'login' {
  if (login?.isNeeded && pool.size === 0 && login.lister === undefined) return 'login'
  if (health.unreachable !== undefined || forwarder.breaker.state !== 'closed') return 'failed'
  if (pool.size > 0) return 'running'
  return pool.isStarting ? 'starting' : pool.backoff.failures > 0 ? 'failed' : 'idle'
}
