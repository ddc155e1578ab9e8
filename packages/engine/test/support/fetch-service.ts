import { once } from 'node:events'
import { createServer as createListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { HttpBindings } from '@hono/node-server'
import type { Server } from '@causeway/engine'
import { fetchHandler } from '@causeway/engine/fetch'
import type { HttpOptions, HttpService } from '@causeway/engine/http'

/** Is this run of the tests for the handler of web requests? */
export const isFetch: boolean = process.env.HTTP_DOOR === 'fetch'

/** What `serveHttp` does, by a handler of web requests and somebody else's adapter for Node. */
export async function serveFetch(server: Server, options: HttpOptions = {}): Promise<HttpService> {
  const handler = fetchHandler(server, options)
  const answer = getRequestListener((request, bindings) => {
    const { incoming } = bindings as HttpBindings
    return handler(request, { address: incoming.socket.remoteAddress })
  })
  const listener = createListener((request, response) => void answer(request, response))
  await once(listener.listen(options.port ?? 0, '127.0.0.1'), 'listening')
  const { port } = listener.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get open() {
      return handler.open
    },
    traffic: { received: 0, sent: 0 },
    replaceTls: () => {},
    close: async () => {
      await handler.drain()
      listener.close()
      listener.closeIdleConnections()
      await once(listener, 'close')
    },
  }
}
