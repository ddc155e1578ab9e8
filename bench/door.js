// One tool behind doors of the engine, one listener for each that is named, in one process: prints their URLs, a line each.
//   node bench/door.js node|fetch|unobserved|observed|metrics|token-file|access-token … [--tokens FILE] [--issuer URL]
import { readFileSync } from 'node:fs'
import { createServer as createListener } from 'node:http'
import { parseArgs } from 'node:util'
import { getRequestListener } from '@hono/node-server'
import { createServer, tool } from '@causeway/engine'
import { fetchHandler } from '@causeway/engine/fetch'
import { bearerTokens, httpHandler, resourceServer } from '@causeway/engine/http'
import { metrics } from '@causeway/engine/metrics'
import { observe } from '@causeway/engine/policies'

const { positionals: names, values: given } = parseArgs({
  allowPositionals: true,
  options: { tokens: { type: 'string' }, issuer: { type: 'string' } },
})
const numbers = {
  type: 'object',
  properties: { number1: { type: 'number' }, number2: { type: 'number' } },
  required: ['number1', 'number2'],
}
const output = { type: 'object', properties: { result: { type: 'number' } }, required: ['result'] }
const add = tool({ name: 'add_numbers', input: numbers, output }, ({ number1, number2 }) => ({
  result: number1 + number2,
}))

const serverWith = policies =>
  createServer({ name: 'door', version: '0.0.0', log: false })
    .add(add)
    .use(...policies)
const nodeDoor = (policies, options) => httpHandler(serverWith(policies), options).handle
const isTool = name => name === 'add_numbers'

const doors = {
  node: () => nodeDoor([]),
  fetch: () => {
    const handler = fetchHandler(serverWith([]))
    return getRequestListener((request, { incoming }) => handler(request, { address: incoming.socket.remoteAddress }))
  },
  // What is left of traces where they are not configured.
  unobserved: () => nodeDoor([observe([])]),
  observed: () => nodeDoor([observe([{ onEnd: () => {} }])]),
  metrics: () => nodeDoor([observe([metrics(isTool)])]),
  'token-file': () => nodeDoor([], { authenticator: bearerTokens(readFileSync(given.tokens, 'utf8')) }),
  'access-token': publicUrl =>
    nodeDoor([], { authenticator: resourceServer({ issuers: [{ issuer: given.issuer }] }), publicUrl }),
}

process.once('SIGINT', () => process.exit())
for (const name of names) {
  const listener = createListener()
  listener.keepAliveTimeout = 65_000
  await new Promise(resolve => listener.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${listener.address().port}`
  listener.on('request', doors[name](url))
  console.log(url)
}
