import { once } from 'node:events'
import { createServer as createListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { observe } from '@causeway/engine/policies'
import type { Server } from '@causeway/engine'
import { bearerTokens, httpHandler } from '@causeway/engine/http'
import type { HttpHandlerOptions } from '@causeway/engine/http'
import { OperatorFeed, consoleRoutes } from '@causeway/console'
import type { FeedOptions } from '@causeway/console'

/** A server with its console, on a port of its own. */
export interface Served {
  readonly url: string
  readonly feed: OperatorFeed
  close(): Promise<void>
}

/** Serve the console for a server, as the command line does. */
export async function serveConsole(
  server: Server,
  options: HttpHandlerOptions & { tokens?: string; feed?: Partial<FeedOptions> } = {},
): Promise<Served> {
  const { tokens, feed: shown, ...rest } = options
  const feed = new OperatorFeed({
    schemaOf: () => undefined,
    facts: () => ({ command: ['node', 'causeway.js'], callTool: ['causeway', 'call'], roots: ['/tmp'] }),
    ...shown,
  })
  server.use(observe([feed.meter]))
  const authenticator = tokens === undefined ? undefined : bearerTokens(tokens)
  const handler = httpHandler(server, {
    ...rest,
    routes: [...consoleRoutes(), feed.route],
    ...(authenticator && { authenticator }),
  })
  const listener = createListener((request, response) => handler.handle(request, response))
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  feed.start(() => handler.open)
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    feed,
    async close() {
      feed.close()
      listener.closeAllConnections()
      listener.close()
      await handler.drain()
    },
  }
}
