// The floor: what node:http alone costs to read a body, parse it, build an answer of the same shape and write it once.
import { createServer } from 'node:http'

const serverInfo = { name: 'floor', version: '0.0.0' }

const listener = createServer((request, response) => {
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const body = answer(JSON.parse(chunks.length === 1 ? chunks[0].toString() : Buffer.concat(chunks).toString()))
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
    response.end(body)
  })
})
// As long as Causeway keeps them: the client prepares and checks its calls while its connections wait.
listener.keepAliveTimeout = 65_000
listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}`))

function answer({ id, method, params }) {
  if (id === undefined) return ''
  const result = method === 'initialize' ? welcome(params) : add(params)
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

function add({ arguments: { number1, number2 }, _meta }) {
  const output = { result: number1 + number2 }
  const result = { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output }
  if (!_meta) return result
  return { resultType: 'complete', ...result, _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } }
}

function welcome({ protocolVersion }) {
  return { protocolVersion, capabilities: { tools: {} }, serverInfo }
}
