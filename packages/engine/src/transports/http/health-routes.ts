import type { Presence } from '../../stores/store.ts'
import type { Route } from './routes.ts'

const NO_STORE = { 'Cache-Control': 'no-store' }

/**
 * Whether the process lives, and whether it takes requests. One whose shared store is away does: it serves what it
 * knows and all that needs no session, and would serve no better if every process of its kind were taken out at once.
 */
export const healthRoutes = (ending: AbortSignal, store: Presence): Route[] => [
  { path: '/health/live', public: true, handle: exchange => exchange.reply(200, '{"status":"ok"}', NO_STORE) },
  {
    path: '/health/ready',
    public: true,
    handle: exchange =>
      ending.aborted
        ? exchange.reply(503, '{"status":"shutting down"}', NO_STORE)
        : exchange.reply(200, JSON.stringify(readiness(store)), NO_STORE),
  },
]

function readiness(store: Presence): Record<string, string> {
  if (store.processId === '') return { status: 'ok' }
  return store.reachable ? { status: 'ok', store: 'reachable' } : { status: 'degraded', store: 'unreachable' }
}
