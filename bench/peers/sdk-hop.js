// A gateway as one would write it with the official SDK 2.x: sdk-hop.js PORT COMMAND ARGS…
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { Server } from '@modelcontextprotocol/server'

const [port, command, ...args] = process.argv.slice(2)
const client = new Client({ name: 'hop', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command, args }))
const sessions = new Map()

async function openSession() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: id => void sessions.set(id, transport),
    enableJsonResponse: true,
  })
  const server = new Server({ name: 'hop', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', ({ params }) => client.listTools(params))
  server.setRequestHandler('tools/call', ({ params }) => client.callTool(params))
  await server.connect(transport)
  return transport
}

createServer((req, res) => {
  const id = req.headers['mcp-session-id']
  const transport = id === undefined ? openSession() : Promise.resolve(sessions.get(id))
  void transport.then(found => (found ? found.handleRequest(req, res) : res.writeHead(404).end()))
}).listen(Number(port), '127.0.0.1')
