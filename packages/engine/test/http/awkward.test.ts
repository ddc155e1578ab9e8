import { createServer, tool } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { onTestFinished, expect, test } from 'vitest'
import { Stateful, Stateless, answerIn, call, hello } from '../support/http-client.ts'
import { JSON_HEADERS, exchange } from '../support/http-exchange.ts'
import { raw } from '../support/raw-http.ts'

const PIECES = 60
const flood = tool({ name: 'flood' }, (_, ctx) => {
  for (let piece = 1; piece <= PIECES; piece++) ctx.progress(piece, 'x'.repeat(100_000))
  return 'said it all'
})

async function served(server = createServer({ name: 's', version: '1' }).add(flood)): Promise<HttpService> {
  const service = await serveHttp(server, { port: 0 })
  onTestFinished(() => service.close())
  return service
}

test('a handshake during which something was sent is answered in a stream', async () => {
  const server = createServer({ name: 's', version: '1' }).use((opened, next) => {
    opened.link.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'first' } })
    return next(opened)
  })
  const { url } = await served(server)
  const answer = await exchange(url, { headers: JSON_HEADERS, body: hello() })
  expect(answer).toMatchObject({ status: 200, headers: { 'mcp-session-id': expect.stringMatching(/\S/) } })
  expect(answer.text).toMatch(/"data":"first"[\s\S]*"serverInfo"/)
})

test('a tool that says a lot at once is heard to the end by who reads', async () => {
  const { url } = await served()
  const session = await Stateful.open(url)
  for (const client of [session, new Stateless(url)]) {
    const answer = await client.post(call(1, 'flood', {}, { progressToken: 'p' }))
    expect(answer.text.match(/notifications\/progress/g)).toHaveLength(PIECES)
    expect(answerIn(answer, 1)).toMatchObject({ result: { content: [{ text: 'said it all' }] } })
  }
})

test('a refusal of what is still being sent closes the connection, whatever else it says of it', async () => {
  const { port } = await served()
  const { status, headers } = await raw(port, {
    path: '/ws',
    headers: { ...JSON_HEADERS, 'content-length': '1000000' },
  })
  expect({ status, connection: headers.connection, upgrade: headers.upgrade }).toEqual({
    status: 426,
    connection: 'close',
    upgrade: 'websocket',
  })
})
