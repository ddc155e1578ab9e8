import type { IncomingMessage, RequestListener } from 'node:http'
import { json } from 'node:stream/consumers'
import { fetchTransport } from '@causeway/engine/browser'
import { HttpError, RemoteServer, SseTransport, WebSocketTransport, httpTransport } from '@causeway/engine/client'
import type { Authorizer, ClientTransport, Refusal } from '@causeway/engine/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listening } from '../../oauth/listening.ts'

const client = { name: 'near', version: '1' }
const VERSION = '2025-11-25'
const hello = { protocolVersion: VERSION, capabilities: {}, serverInfo: { name: 'far', version: '1' } }

/** Wants `Bearer good`; `status` and `challenge` are what others get. */
const guarded =
  (status = 401, challenge = 'Bearer scope="a"'): RequestListener =>
  (request: IncomingMessage, response) => {
    if (request.headers.authorization !== 'Bearer good')
      response.writeHead(status, { 'www-authenticate': challenge }).end('{"error":"no"}')
    else if (request.method !== 'POST') response.writeHead(405).end()
    else
      void json(request).then(value => {
        const { id, method } = value as { id?: number; method: string }
        if (id === undefined) return response.writeHead(202).end()
        response.writeHead(200, { 'content-type': 'application/json' })
        return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? hello : {} }))
      })
  }

/** Has the wrong token until it is refused. */
function learning(onRefused: (refusal: Refusal) => Promise<void> | void = () => {}) {
  const refusals: Refusal[] = []
  let token = 'bad'
  const authorizer: Authorizer = {
    headers: () => ({ authorization: `Bearer ${token}` }),
    onRefused: async refusal => {
      refusals.push(refusal)
      await onRefused(refusal)
      token = 'good'
    },
  }
  return { authorizer, refusals }
}

const TRANSPORTS: [string, (url: string, authorizer: Authorizer) => ClientTransport][] = [
  ['undici', (url, authorizer) => httpTransport({ url, authorizer })],
  ['fetch', (url, authorizer) => fetchTransport({ url, authorizer })],
]

describe.each(TRANSPORTS)('an authorizer with %s', (_, transport) => {
  const connect = async (url: string, authorizer: Authorizer): Promise<RemoteServer> => {
    const remote = await RemoteServer.connect({ open: () => transport(url, authorizer) }, { client, version: VERSION })
    onTestFinished(() => remote.close())
    return remote
  }

  test('is asked again where the server refuses, and the request goes on', async () => {
    const url = await listening(guarded())
    const { authorizer, refusals } = learning()
    const remote = await connect(url, authorizer)
    expect(await remote.request('ping')).toEqual({})
    expect(refusals).toHaveLength(1)
    expect(refusals[0]).toMatchObject({ status: 401, attempt: 1, sent: { authorization: 'Bearer bad' } })
    expect(refusals[0]?.challenges[0]).toMatchObject({ scheme: 'bearer', params: { scope: 'a' } })
  })

  test('is asked where a scope is missing, but not where access is forbidden', async () => {
    const scope = learning()
    await connect(await listening(guarded(403, 'Bearer error="insufficient_scope", scope="b"')), scope.authorizer)
    expect(scope.refusals).toHaveLength(1)
    const forbidden = learning()
    await expect(connect(await listening(guarded(403)), forbidden.authorizer)).rejects.toMatchObject({ status: 403 })
    expect(forbidden.refusals).toEqual([])
  })

  test('that fails gives the request its reason', async () => {
    const url = await listening(guarded())
    const { authorizer } = learning(() => {
      throw new Error('nobody is logged in')
    })
    const error = await connect(url, authorizer).catch((why: unknown) => why)
    expect(error).toBeInstanceOf(HttpError)
    expect(error).toMatchObject({ status: 401, cause: new Error('nobody is logged in') })
  })

  test('is not asked for better credentials to end a session', async () => {
    const methods: unknown[] = []
    const url = await listening((request, response) => {
      if (request.method === 'DELETE') response.writeHead(401).end()
      else
        void json(request).then(
          value => {
            const { id } = value as { id?: number }
            response.writeHead(200, { 'mcp-session-id': 's', 'content-type': 'application/json' })
            response.end(id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, result: hello }))
          },
          () => response.writeHead(405).end(),
        )
    })
    const authorizer: Authorizer = { headers: () => ({}), onRefused: async ({ method }) => void methods.push(method) }
    const remote = await connect(url, authorizer)
    await remote.close()
    expect(methods).toEqual([])
  })

  test('that never has the right token is not asked forever', async () => {
    const url = await listening(guarded())
    let asked = 0
    const authorizer: Authorizer = { headers: () => ({}), onRefused: async () => void asked++ }
    await expect(connect(url, authorizer)).rejects.toMatchObject({ status: 401 })
    expect(asked).toBe(8)
  })
})

test('HTTP+SSE is authorized', async () => {
  const url = await listening((request, response) => {
    const isKnown = request.headers.authorization === 'Bearer good'
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'text/event-stream' })
    if (isKnown) response.write('event: endpoint\ndata: /messages\n\n')
    else response.end()
  })
  const { authorizer, refusals } = learning()
  const transport = new SseTransport({ url, authorizer })
  onTestFinished(() => transport.close())
  await transport.open()
  expect(refusals).toHaveLength(1)
})

test('a WebSocket is authorized', async () => {
  const url = await listening(guarded())
  const { authorizer, refusals } = learning(({ attempt }) => {
    if (attempt === 2) throw new Error('enough')
  })
  // This server knows no upgrades: with the right token it refuses them for another reason.
  const transport = new WebSocketTransport({ url: url.replace('http', 'ws'), authorizer })
  await expect(transport.open()).rejects.toMatchObject({ status: 405 })
  expect(refusals).toHaveLength(1)
  await transport.close()
})
