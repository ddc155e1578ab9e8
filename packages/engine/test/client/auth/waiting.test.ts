import { IGNORING, RemoteServer } from '@causeway/engine/client'
import type { ClientTransport, RequestSink } from '@causeway/engine/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AuthorizedClient } from '../../../src/client/auth/authorized-client.ts'
import type { HttpClient, ResponseHandler } from '../../../src/client/transports/http-client.ts'
import { versions } from '../../../src/protocol/revisions.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const version = String(versions[1])
const result = { protocolVersion: version, capabilities: {}, serverInfo: { name: 'far', version: '1' } }

test('while a request waits for credentials, its clock does not run', async () => {
  const sinks: RequestSink[] = []
  const transport: ClientTransport = {
    bound: true,
    listener: IGNORING,
    open: async () => {},
    request: ({ id }, sink) => {
      sinks.push(sink)
      sink.onHold?.(true)
      setTimeout(() => {
        sink.onHold?.(false)
        sink.onResponse({ jsonrpc: '2.0', id, result })
      }, 600_000)
    },
    cancel: () => {},
    send: () => {},
    close: async () => {},
  }
  const connecting = RemoteServer.connect(
    { open: () => transport },
    { client: { name: 'near', version: '1' }, version },
  )
  await vi.advanceTimersByTimeAsync(600_000)
  const remote = await connecting
  const pinged = remote.request('ping', {}, { timeoutMs: 1000 })
  await vi.advanceTimersByTimeAsync(600_000)
  expect(await pinged).toMatchObject({ protocolVersion: version })
  expect(sinks).toHaveLength(2)
})

test('a client says when it waits for credentials', async () => {
  const told: unknown[] = []
  const handler: ResponseHandler = {
    onStart: status => void told.push(status),
    onText: () => {},
    onEnd: () => {},
    onError: error => void told.push(error.message),
    onHold: isHeld => void told.push(isHeld ? 'held' : 'released'),
  }
  let status = 401
  const client: HttpClient = {
    load: async () => {},
    close: async () => {},
    send: (_, answering) => {
      queueMicrotask(() => answering.onStart(status, {}))
      return { abort: () => {} }
    },
  }
  const authorized = new AuthorizedClient(client, { headers: () => ({}), onRefused: async () => void (status = 200) })
  authorized.send({ method: 'GET', url: new URL('http://a.test'), headers: {} }, handler)
  await vi.advanceTimersByTimeAsync(1)
  expect(told).toEqual(['held', 'released', 200])
})
