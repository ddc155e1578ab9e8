import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import {
  NodeStreamableHTTPServerTransport,
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { buildServer } from './sdk-v2-server.js'

const isHostAllowed = localhostHostValidation()
const isOriginAllowed = localhostOriginValidation()
const stateless = toNodeHandler(createMcpHandler(buildServer, { legacy: 'reject' }))
const sessions = new Map()

// Only requests of the stateless era repeat their method in a header, so the era is told without reading the body.
const listener = createServer((req, res) => {
  if (!isHostAllowed(req, res) || !isOriginAllowed(req, res)) return
  void (req.headers['mcp-method'] === undefined ? stateful(req, res) : stateless(req, res))
})
// As long as Causeway keeps them: the client prepares and checks its calls while its connections wait.
listener.keepAliveTimeout = 65_000
listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}`))

async function stateful(req, res) {
  const id = req.headers['mcp-session-id']
  const transport = id === undefined ? await openSession() : sessions.get(id)
  if (transport) await transport.handleRequest(req, res)
  else res.writeHead(404).end()
}

async function openSession() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: id => void sessions.set(id, transport),
    onsessionclosed: id => void sessions.delete(id),
    enableJsonResponse: true,
  })
  await buildServer().connect(transport)
  return transport
}
