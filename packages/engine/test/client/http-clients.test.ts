import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { fetchTransport } from '@causeway/engine/browser'
import { RemoteServer, httpTransport } from '@causeway/engine/client'
import type { ClientTransport } from '@causeway/engine/client'
import { describe, expect, onTestFinished, test } from 'vitest'

const VERSION = '2025-11-25'
const client = { name: 'near', version: '1' }
const hello = { protocolVersion: VERSION, capabilities: {}, serverInfo: { name: 'far', version: '1' } }

async function listening(listener: RequestListener): Promise<string> {
  const http = createServer(listener)
  await once(http.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    http.closeAllConnections()
    await new Promise(resolve => http.close(resolve))
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
}

/** Answers a handshake, and hands over every other request. */
const serving =
  (answer: (request: { id: unknown; method: string }, response: ServerResponse) => void): RequestListener =>
  (request: IncomingMessage, response: ServerResponse) => {
    void json(request).then(value => {
      const message = value as { id?: unknown; method: string }
      if (message.id === undefined) return response.writeHead(202).end()
      if (message.method !== 'initialize') return answer({ id: message.id, method: message.method }, response)
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: hello }))
    })
  }

const TRANSPORTS: [string, (url: string, headers?: Record<string, string>) => ClientTransport][] = [
  ['undici', (url, headers = {}) => httpTransport({ url, headers })],
  ['fetch', (url, headers = {}) => fetchTransport({ url, headers: () => headers })],
]

describe.each(TRANSPORTS)('Streamable HTTP with %s', (_, transport) => {
  const connect = async (url: string, headers?: Record<string, string>): Promise<RemoteServer> => {
    const remote = await RemoteServer.connect({ open: () => transport(url, headers) }, { client, version: VERSION })
    onTestFinished(() => remote.close())
    return remote
  }

  test('an answer that breaks off is fetched from where it broke off', async () => {
    const after: unknown[] = []
    let asked: unknown
    const url = await listening((request, response) => {
      const lastId = request.headers['last-event-id']
      if (request.method === 'GET' && lastId === undefined) response.writeHead(405).end()
      else if (request.method === 'GET') {
        after.push(lastId)
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: asked, result: { is: 'whole' } })}\n\n`)
      } else if (request.method === 'DELETE') response.end()
      else
        serving(({ id }, answering) => {
          asked = id
          answering.writeHead(200, { 'content-type': 'text/event-stream' })
          answering.end('id: e1\nretry: 1\ndata:\n\n')
        })(request, response)
    })
    const remote = await connect(url)
    expect(await remote.request('ping')).toEqual({ is: 'whole' })
    expect(after).toEqual(['e1'])
  })

  test('a redirect is followed, but a token is not sent to another origin', async () => {
    const seen: [string | undefined, string | undefined][] = []
    const elsewhere = await listening((request, response) => {
      seen.push([request.headers.authorization, request.headers['content-type']])
      serving(({ id }, answering) => answering.end(JSON.stringify({ jsonrpc: '2.0', id, result: { is: 'here' } })))(
        request,
        response,
      )
    })
    const url = await listening((request, response) => {
      if (request.method === 'GET') response.writeHead(405).end()
      else serving((_request, answering) => answering.writeHead(307, { location: elsewhere }).end())(request, response)
    })
    const remote = await connect(url, { authorization: 'Bearer secret' })
    expect(await remote.request('ping')).toEqual({ is: 'here' })
    expect(seen).toEqual([[undefined, 'application/json']])
  })
})
