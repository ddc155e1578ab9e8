// app/mcp/route.ts of a Next.js app: the paths of the server that end in /mcp.
import { fetchHandler } from '@causeway/engine/fetch'
import { server } from './weather.ts'

// What clients write as the host. Without it, only requests that name this machine are answered.
const allowedHosts = ['app.example.org']

const mcp = fetchHandler(server, { allowedHosts })

/** The same for every method: Next.js also passes the parameters of the route, which say nothing of the client. */
const handle = (request: Request): Promise<Response> => mcp(request)

export { handle as DELETE, handle as GET, handle as OPTIONS, handle as POST }

// Next.js: never answer from a cache.
export const dynamic = 'force-dynamic'
