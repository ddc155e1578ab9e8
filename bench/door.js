// One tool behind one of the doors of the engine: `node bench/door.js node|fetch` prints its URL.
import { createServer as createListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createServer, tool } from '@causeway/engine'
import { fetchHandler } from '@causeway/engine/fetch'
import { httpHandler } from '@causeway/engine/http'

const numbers = {
  type: 'object',
  properties: { number1: { type: 'number' }, number2: { type: 'number' } },
  required: ['number1', 'number2'],
}
const output = { type: 'object', properties: { result: { type: 'number' } }, required: ['result'] }
const add = tool({ name: 'add_numbers', input: numbers, output }, ({ number1, number2 }) => ({
  result: number1 + number2,
}))
const server = createServer({ name: 'door', version: '0.0.0', log: false }).add(add)

const doors = {
  node: () => httpHandler(server).handle,
  fetch: () => {
    const handler = fetchHandler(server)
    return getRequestListener((request, { incoming }) => handler(request, { address: incoming.socket.remoteAddress }))
  },
}

const listener = createListener(doors[process.argv[2]]())
listener.keepAliveTimeout = 65_000
process.once('SIGINT', () => process.exit())
listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}`))
