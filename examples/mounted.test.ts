import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { httpHandler } from '@causeway/engine/http'
import express from 'express'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import * as expressExample from './express.ts'
import * as fastifyExample from './fastify.ts'
import { server as weather } from './weather.ts'

async function listen(http: Server): Promise<string> {
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

/** A forecast, by way of the official client. */
async function forecast(url: string): Promise<unknown> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  const { structuredContent } = await client.callTool({ name: 'forecast', arguments: { city: 'Oslo' } })
  await client.close()
  return structuredContent
}

const JSON_TYPE = { 'content-type': 'application/json' }
const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'forecast', params: { city: 'Oslo' } })

async function overWebSocket(url: string): Promise<unknown> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), 'mcp')
  await once(socket, 'open')
  socket.send(CALL)
  const [data] = (await once(socket, 'message')) as [Buffer]
  socket.close()
  await once(socket, 'close')
  return JSON.parse(data.toString('utf8'))
}

const frameworks = [
  {
    name: 'Express',
    prefix: '',
    listen: () => listen(expressExample.http),
    close: () => expressExample.close(),
  },
  {
    name: 'Fastify',
    prefix: '/ai',
    listen: () => fastifyExample.app.listen({ port: 0, host: '127.0.0.1' }),
    close: () => fastifyExample.app.close(),
  },
]

describe.each(frameworks)('mounted in $name', framework => {
  let url: string
  beforeAll(async () => {
    url = await framework.listen()
  })
  afterAll(() => framework.close())

  test('the official client is served', async () => {
    expect(await forecast(`${url}${framework.prefix}/mcp`)).toEqual({ celsius: 21 })
  })

  test('a WebSocket is served', async () => {
    expect(await overWebSocket(`${url}${framework.prefix}/ws`)).toMatchObject({ id: 1, result: { celsius: 21 } })
  })

  test('the rest of the app is', async () => {
    expect(await (await fetch(url)).text()).toBe('the rest of the app')
    expect((await fetch(`${url}/nothing`)).status).toBe(404)
  })

  test('HTTP+SSE names the place to post under the prefix', async () => {
    const answer = await fetch(`${url}${framework.prefix}/sse`, { headers: { accept: 'text/event-stream' } })
    const { value } = (await answer.body?.getReader().read()) ?? {}
    expect(Buffer.from(value ?? []).toString('utf8')).toContain(`data: ${framework.prefix}/messages?sessionId=`)
  })
})

test('a body that was parsed before is taken as it is; one that was swallowed is an error that says what to do', async () => {
  const mcp = httpHandler(weather)
  const app = express()
  app.use('/parsed', express.json(), (request, response) => mcp.handle(request, response))
  app.use('/text', express.text({ type: '*/*' }), (request, response) => mcp.handle(request, response))
  app.use('/bytes', express.raw({ type: '*/*' }), (request, response) => mcp.handle(request, response))
  app.use('/swallowed', (request, response) => {
    request.on('end', () => mcp.handle(request, response)).resume()
  })
  const http = createServer(app)
  onTestFinished(async () => {
    await mcp.drain()
    http.close().closeAllConnections()
  })
  const url = await listen(http)
  for (const path of ['parsed', 'text', 'bytes']) {
    const answer = await fetch(`${url}/${path}/rpc`, { method: 'POST', headers: JSON_TYPE, body: CALL })
    expect(await answer.json()).toMatchObject({ id: 1, result: { celsius: 21 } })
  }
  const swallowed = await fetch(`${url}/swallowed/rpc`, { method: 'POST', body: CALL, headers: JSON_TYPE })
  expect(swallowed.status).toBe(500)
  expect(await swallowed.text()).toContain('Mount it before body parsers')
})
