import { serve } from '@hono/node-server'
import type { HttpBindings, ServerType } from '@hono/node-server'
import { fetchHandler } from '@causeway/engine/fetch'
import type { FetchHandler } from '@causeway/engine/fetch'
import { Hono } from 'hono'
import { server } from './weather.ts'

export const mcp: FetchHandler = fetchHandler(server, { prefix: '/ai' })

export const app: Hono<{ Bindings: HttpBindings }> = new Hono<{ Bindings: HttpBindings }>()
app.get('/', context => context.text('the rest of the app'))
// The path below /ai decides which door it is; the address counts for limits per client.
app.all('/ai/*', ({ req, env }) => mcp(req.raw, { address: env?.incoming?.socket.remoteAddress }))

/** Serve the app on Node; on Bun, Deno and Workers, `export default app` does it. */
export const listen = (port: number): ServerType => serve({ fetch: app.fetch, port, hostname: '127.0.0.1' })

if (process.argv.includes('--listen')) listen(3000)
