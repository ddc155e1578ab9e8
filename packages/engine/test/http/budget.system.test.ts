import { request } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { createServer, tool } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { afterEach, expect, test } from 'vitest'

const MB = 1024 * 1024
let service: HttpService | undefined
afterEach(() => service?.close())

/** A POST whose body is sent by hand. */
function post(port: number): ClientRequest {
  const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }
  return request({ port, host: '127.0.0.1', method: 'POST', path: '/rpc', headers, agent: false })
}

const answerTo = async (sent: ClientRequest): Promise<number> => {
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode ?? 0
}

function statusOf(port: number, body: string): Promise<number> {
  const sent = post(port)
  sent.on('error', () => {})
  sent.end(body)
  return answerTo(sent).catch(() => 0)
}

const add = tool({ name: 'add' }, () => 'added')

test('bodies half sent by many hold no more than all may hold together, and keep no small one out', async () => {
  service = await serveHttp(createServer({ name: 'x', version: '1' }).add(add), { port: 0, maxBody: 100 * MB })
  const { port } = service
  // All there is, to the last byte.
  const sizes = [90, 90, 90, 90, 32, 8]
  const held = sizes.map(() => post(port))
  const statuses = held.map(sent => answerTo(sent).catch(() => 0))
  for (const [i, sent] of held.entries()) {
    sent.on('error', () => {})
    await new Promise<void>(resolve => void sent.write(Buffer.alloc((sizes[i] ?? 0) * MB, 32), () => resolve()))
  }
  await expect.poll(() => statusOf(port, ' '.repeat(MB)), { interval: 5 }).toBe(503)
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  expect(await statusOf(port, ping)).toBe(200)
  for (const sent of held) sent.destroy()
  await Promise.all(statuses)
  // What they held is free again.
  await expect.poll(() => statusOf(port, ping.padEnd(90 * MB)), { interval: 5 }).toBe(200)
})
