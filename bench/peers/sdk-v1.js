// A server on the official SDK 1.x, written as its documentation says: on stdio, or with `http` as its argument.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'

function buildServer() {
  const server = new McpServer({ name: 'sdk-v1', version: '1.0.0' })
  server.registerTool(
    'add_numbers',
    {
      description: 'Adds two numbers',
      inputSchema: { number1: z.number(), number2: z.number() },
      outputSchema: { result: z.number() },
    },
    async ({ number1, number2 }) => {
      const output = { result: number1 + number2 }
      return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output }
    },
  )
  return server
}

const sessions = new Map()

async function openSession() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: id => void sessions.set(id, transport),
    enableJsonResponse: true,
  })
  await buildServer().connect(transport)
  return transport
}

if (process.argv[2] === 'http') {
  const listener = createServer((req, res) => {
    const id = req.headers['mcp-session-id']
    const transport = id === undefined ? openSession() : Promise.resolve(sessions.get(id))
    void transport.then(found => (found ? found.handleRequest(req, res) : res.writeHead(404).end()))
  })
  listener.keepAliveTimeout = 65_000
  listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}`))
} else await buildServer().connect(new StdioServerTransport())
