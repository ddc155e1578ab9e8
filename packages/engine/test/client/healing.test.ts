import { expect, test } from 'vitest'
import { IGNORING, SessionLost, connectRemote } from '@causeway/engine/client'
import type { ClientTransport, RequestSink } from '@causeway/engine/client'

/** A server that forgets its session at once, and answers no second handshake. */
function forgetful(): ClientTransport {
  let handshakes = 0
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'forgetful', version: '1' } }
  const answer = ({ method, id }: { method: string; id: string | number }, sink: RequestSink): void => {
    if (method !== 'initialize') sink.onLost(new SessionLost('The server forgot the session'), false)
    else if (++handshakes === 1) sink.onResponse({ jsonrpc: '2.0', id, result: hello })
    else sink.onLost(new Error('Nobody is there any more'), false)
  }
  return {
    bound: true,
    listener: IGNORING,
    open: async () => {},
    request: (request, sink) => void setImmediate(() => answer(request, sink)),
    cancel: () => {},
    send: () => {},
    close: async () => {},
  }
}

test('every request that waits for a new session hears that there will be none', async () => {
  const client = { name: 'test', version: '1' }
  const options = { client, capabilities: {}, version: '2025-11-25', startTimeoutMs: 5000, timeoutMs: 5000 }
  const connection = await connectRemote({ open: forgetful }, options)
  const request = (): Promise<unknown> => connection.call({ method: 'ping', params: {} })
  const first = request()
  // The first one is being healed by then.
  const second = new Promise(resolve => void setImmediate(resolve)).then(request)
  await expect(first).rejects.toThrow('Nobody is there any more')
  await expect(second).rejects.toThrow('Nobody is there any more')
  expect(connection.inFlight).toBe(0)
})
