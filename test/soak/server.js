// The server under soak: every pack over HTTP with short limits, and word over IPC of what it holds.
import { readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer, jsonLog, tool } from '@causeway/engine'
import { concurrency, rateLimit, resultLimit, timeout } from '@causeway/engine/policies'
import { serveHttp } from '@causeway/engine/http'
import { basics } from '@causeway/packs/basics'
import { cassini } from '@causeway/packs/cassini'
import { threats } from '@causeway/packs/threats'
import { toolkit } from '@causeway/packs/toolkit'
import { workstation } from '@causeway/packs/workstation'

const [root] = process.argv.slice(2)
const log = jsonLog('silent')
const server = createServer({ name: 'soak', version: '1.0.0', log })
  .use(rateLimit({ limit: 1_000_000, windowMs: 1000 }), concurrency({ running: 64, waiting: 1000 }))
  .use(timeout(3000), resultLimit(10 * 1024 * 1024))
  .add(basics({ version: '1.0.0' }))
  .add(workstation({ roots: [root], allowCommand: ['sleep *', 'sh *', 'yes'] }))
  .add(toolkit({ roots: [root] }))
  .add(cassini({ data: root }))
  .add(threats())

// These outlast the timeout, the first without listening to it.
server.add(
  tool({ name: 'soak_deaf', description: 'Ends after four seconds' }, () => pause(4000, 'done')),
  tool({ name: 'soak_asks', description: 'Asks its user' }, async (_, ctx) => {
    const schema = { type: 'object', properties: { yes: { type: 'boolean' } } }
    const { action } = await ctx.elicit('sure', { message: 'Sure?', schema })
    return action
  }),
)

const extra = tool({ name: 'soak_extra', description: 'Comes and goes' }, () => 'here')
const reload = () => {
  if (!server.remove('tool', extra.name)) server.add(extra)
}

const service = await serveHttp(server, { port: 0, sessionIdleMs: 3000, maxSessions: 500 })

/** What the open files are, without what tells one from another: { "anon_inode:[eventpoll]": 4, … }. */
const kindsOfFiles = () => {
  const kinds = {}
  for (const fd of readdirSync('/proc/self/fd')) {
    try {
      const kind = readlinkSync(`/proc/self/fd/${fd}`).replace(/\d+/g, 'N')
      kinds[kind] = (kinds[kind] ?? 0) + 1
    } catch {
      // The one that the directory was read with.
    }
  }
  return kinds
}

const measure = () => {
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  return {
    rssMb: rss / 2 ** 20,
    heapMb: (heapUsed + external) / 2 ** 20,
    files: readdirSync('/proc/self/fd').length,
    kindsOfFiles: kindsOfFiles(),
    ...service.open,
    resources: process.getActiveResourcesInfo().filter(name => name !== 'Timeout' && name !== 'Immediate').length,
  }
}

process.on('message', word => {
  if (word === 'measure') process.send?.(measure())
  if (word === 'reload') reload()
  if (word === 'end') void service.close().then(() => process.disconnect())
})
process.send?.({ url: service.url })
