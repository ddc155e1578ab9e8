// A server on fastmcp, written as its documentation says: on stdio, or with a port on HTTP.
import { FastMCP } from 'fastmcp'
import { z } from 'zod'

const port = process.argv[2]
const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' })
server.addTool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number() }),
  annotations: { readOnlyHint: true },
  execute: async ({ a, b }) => String(a + b),
})
server.addTool({
  name: 'steps',
  description: 'Tells of its progress',
  execute: async (_args, { reportProgress }) => {
    await reportProgress({ progress: 1, total: 2 })
    await reportProgress({ progress: 2, total: 2 })
    return 'done'
  },
})
server.addResource({
  uri: 'fast://note',
  name: 'note',
  mimeType: 'text/plain',
  load: async () => ({ text: 'a note' }),
})
server.addResourceTemplate({
  uriTemplate: 'fast://pages/{id}',
  name: 'page',
  mimeType: 'text/plain',
  arguments: [{ name: 'id', description: 'Which', required: true }],
  load: async ({ id }) => ({ text: `page ${id}` }),
})
server.addPrompt({
  name: 'greet',
  description: 'Greets',
  arguments: [{ name: 'who', description: 'Whom', required: true }],
  load: async ({ who }) => `Hello ${who}`,
})
await server.start(
  port === undefined
    ? { transportType: 'stdio' }
    : { transportType: 'httpStream', httpStream: { port: Number(port), host: '127.0.0.1' } },
)
