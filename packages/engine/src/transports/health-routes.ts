import type { Route } from './routes.ts'

const NO_STORE = { 'Cache-Control': 'no-store' }

/** Whether the process lives, and whether it takes requests: for probes, which have no token. */
export const healthRoutes = (ending: AbortSignal): readonly Route[] => [
  { path: '/health/live', public: true, handle: exchange => exchange.reply(200, '{"status":"ok"}', NO_STORE) },
  {
    path: '/health/ready',
    public: true,
    handle: exchange =>
      ending.aborted
        ? exchange.reply(503, '{"status":"shutting down"}', NO_STORE)
        : exchange.reply(200, '{"status":"ok"}', NO_STORE),
  },
]
