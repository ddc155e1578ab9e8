// One tool over HTTP, seen by nothing, by observers that are not there, or by the metrics:
//   node bench/observed-door.js bare|absent|metrics    prints its URL
import { createServer as createListener } from 'node:http'
import { createServer, tool } from '@causeway/engine'
import { httpHandler } from '@causeway/engine/http'
import { metrics } from '@causeway/engine/metrics'
import { observe } from '@causeway/engine/policies'

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
const kinds = {
  bare: () => {},
  // What is left of traces where they are not configured.
  absent: () => server.use(observe([])),
  metrics: () => server.use(observe([metrics(name => name === 'add_numbers')])),
}
kinds[process.argv[2]]()
const listener = createListener(httpHandler(server).handle)
listener.keepAliveTimeout = 65_000
process.once('SIGINT', () => process.exit())
listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}`))
