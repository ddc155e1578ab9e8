// Long work as a task: the client gets a handle at once, asks how it stands, and may cancel.
import { setTimeout } from 'node:timers/promises'
import { createServer, tool } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { serveTasks } from '@causeway/engine/policies'

const PAGES = 5

export const server: Server = createServer({ name: 'reports', version: '1.0.0', log: false })
server.use(serveTasks(server, { graceMs: 0 }))
server.add(
  tool(
    { name: 'report', description: 'Writes a report of five pages', task: 'optional', readOnly: true },
    async (_, ctx) => {
      const pages: string[] = []
      for (let page = 1; page <= PAGES; page++) {
        // Ends with an error when the task is cancelled, and so does the handler.
        await setTimeout(5, undefined, { signal: ctx.signal })
        pages.push(`page ${page}`)
        ctx.progress(page, `page ${page} of ${PAGES}`, PAGES)
      }
      return { pages }
    },
  ),
)
