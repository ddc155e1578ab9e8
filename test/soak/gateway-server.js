// The gateway under soak: several servers behind it, short limits, and word over IPC of what it holds.
import { readdirSync } from 'node:fs'
import { createServer, jsonLog } from '@causeway/engine'
import { concurrency, resultLimit } from '@causeway/engine/policies'
import { serveHttp } from '@causeway/engine/http'
import { Gateway, readServers } from '@causeway/gateway'

const mcpServers = JSON.parse(process.argv[2])
const UNENDED_MS = 30_000

/** Calls that have not ended, and since when: the place of one that never ends is lost. */
const running = new Map()
const track = (call, next) => {
  const result = next(call)
  if (!(result instanceof Promise)) return result
  running.set(call, Date.now())
  const over = () => void running.delete(call)
  result.then(over, over)
  return result
}
/** How many calls were given up and have not ended for long. */
const unended = () =>
  [...running].filter(([{ cancellation }, since]) => cancellation.cancelled && Date.now() - since > UNENDED_MS).length

const server = createServer({ name: 'soak', version: '1.0.0', log: jsonLog('silent') })
  .use(track, concurrency({ running: 256, waiting: 1000 }))
  .use(resultLimit(10 * 1024 * 1024))
const gateway = new Gateway(server, { parkedMs: 3000 })
const around = { file: '/servers.json', variables: name => process.env[name], readText: () => undefined }
const { upstreams, problems } = readServers({ mcpServers }, around)
if (problems.length > 0) throw new Error(problems.join('\n'))
await gateway.apply(upstreams)
gateway.start()
const service = await serveHttp(server, {
  port: 0,
  sessionIdleMs: 3000,
  maxSessions: 2000,
  authenticator: { authenticate: name => ({ name }) },
})

/** What keeps the first connection to a server from being idle. */
const heldBy = ({ name, pool }) => {
  const { any } = pool
  return (
    any && {
      name,
      isIdle: pool.isIdle(any),
      isReserved: any.isReserved,
      calls: any.remote.calls,
      inFlight: any.remote.inFlight,
    }
  )
}

const measure = () => {
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  return {
    rssMb: rss / 2 ** 20,
    heapMb: (heapUsed + external) / 2 ** 20,
    files: readdirSync('/proc/self/fd').length,
    ...service.open,
    unended: unended(),
    status: gateway.status,
    held: [...gateway.servers.values()].map(heldBy).filter(Boolean),
  }
}

const end = async () => {
  await service.close()
  await gateway.close()
  process.disconnect()
}

process.on('message', word => {
  if (word === 'measure') process.send?.(measure())
  if (word === 'restart') for (const { pool } of gateway.servers.values()) void pool.restart()
  if (word === 'end') void end()
})
process.send?.({ url: service.url })
