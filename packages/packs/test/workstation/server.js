// A server as the command line makes it, small enough to be started by a test; of what was built.
import { createServer, serveStdio } from '@causeway/engine'
import { timeout } from '@causeway/engine/policies'
import { workstation } from '@causeway/packs/workstation'

const [root = '.', drainMs = '30000'] = process.argv.slice(2)
const stopping = new AbortController()
process.on('SIGTERM', () => stopping.abort())
const server = createServer({ name: 'ancplua-mcp', version: '1.0.0' })
server.use(timeout(60_000))
server.mount(workstation({ roots: [root], allowCommand: ['*'] }))
await serveStdio(server, { lifecycle: 'lenient', drainMs: Number(drainMs), signal: stopping.signal })
process.exit(0)
