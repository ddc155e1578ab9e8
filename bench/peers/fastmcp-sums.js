// The tool of the benchmarks on fastmcp, written as its documentation says: on stdio, or with `http` as its argument.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { FastMCP } from 'fastmcp'
import { z } from 'zod'

const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' })
server.addTool({
  name: 'add_numbers',
  description: 'Adds two numbers',
  parameters: z.object({ number1: z.number(), number2: z.number() }),
  outputSchema: z.object({ result: z.number() }),
  execute: async ({ number1, number2 }) => ({ result: number1 + number2 }),
})
if (process.argv[2] === 'http') {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise(done => void probe.close(done))
  await server.start({ transportType: 'httpStream', httpStream: { port, host: '127.0.0.1', enableJsonResponse: true } })
  console.log(`http://127.0.0.1:${port}`)
} else await server.start({ transportType: 'stdio' })
