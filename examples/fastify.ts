import { httpHandler } from '@causeway/engine/http'
import type { HttpHandler } from '@causeway/engine/http'
import { fastify } from 'fastify'
import type { FastifyInstance } from 'fastify'
import { server } from './weather.ts'

export const mcp: HttpHandler = httpHandler(server, { prefix: '/ai' })

export const app: FastifyInstance = fastify()
app.get('/', () => 'the rest of the app')
void app.register(async scope => {
  // Bodies are left alone here: the handler reads and limits them itself.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  for (const path of mcp.paths) {
    scope.all(path, (request, reply) => {
      reply.hijack()
      mcp.handle(request.raw, reply.raw)
    })
  }
})
app.server.on('upgrade', (request, socket, head) => {
  if (!mcp.upgrade(request, socket, head)) socket.destroy()
})
app.addHook('preClose', () => mcp.drain())

if (process.argv.includes('--listen')) await app.listen({ port: 3000 })
