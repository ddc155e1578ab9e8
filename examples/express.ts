import { createServer as createHttpServer } from 'node:http'
import type { Server as HttpServer } from 'node:http'
import { httpHandler } from '@causeway/engine/http'
import type { HttpHandler } from '@causeway/engine/http'
import express from 'express'
import { server } from './weather.ts'

// The handler takes its own paths (/mcp, /sse, /messages, /ws, /rpc, /health/…) and leaves the rest to the app.
export const mcp: HttpHandler = httpHandler(server)

const app = express()
app.use(mcp.handle) // before body parsers: it reads and limits bodies itself
app.use(express.json())
app.get('/', (_, response) => void response.send('the rest of the app'))

export const http: HttpServer = createHttpServer(app)
http.on('upgrade', (request, socket, head) => {
  if (!mcp.upgrade(request, socket, head)) socket.destroy()
})

if (process.argv.includes('--listen')) http.listen(3000)

/** At the end: let calls finish, then close. */
export async function close(): Promise<void> {
  await mcp.drain()
  http.close()
  http.closeAllConnections()
}
