import { createServer, tool } from '@causeway/engine'
import { fetchHandler } from '@causeway/engine/fetch'
import type { FetchClient, FetchHandler, HttpHandlerOptions } from '@causeway/engine/fetch'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { UNREAD_MS } from '../../src/transports/fetch/held-body.ts'
import { Stateless, ask, call } from '../support/http-client.ts'
import { JSON_HEADERS } from '../support/http-exchange.ts'

const LARGE = 1_000_000

function serve(options: HttpHandlerOptions = {}): FetchHandler {
  const whoami = tool({ name: 'whoami' }, (_, { principal }) => principal?.name ?? 'nobody')
  const large = tool({ name: 'large' }, () => 'x'.repeat(LARGE))
  const handler = fetchHandler(createServer({ name: 's', version: '1', log: false }).add(whoami, large), {
    drainMs: 10,
    ...options,
  })
  onTestFinished(() => handler.drain())
  return handler
}

const rpc = (message: unknown, init: RequestInit = {}): Request =>
  new Request('http://localhost/rpc', { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(message), ...init })

const textOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { result: { content: [{ text: string }] } }).result.content[0].text

describe('who asks', () => {
  const authenticator = { authenticate: () => undefined, challenge: () => 'Bearer' }

  test('the host may say it, and no token is then asked for', async () => {
    const handler = serve({ authenticator })
    expect((await handler(rpc(call(1, 'whoami')))).status).toBe(401)
    expect(await textOf(await handler(rpc(call(1, 'whoami')), { principal: { name: 'ada' } }))).toBe('ada')
  })

  test('one whose time is over is refused', async () => {
    const over = AbortSignal.abort()
    for (const principal of [
      { name: 'ada', expiresAt: Date.now() - 1 },
      { name: 'ada', revoked: over },
    ])
      expect((await serve()(rpc(call(1, 'whoami')), { principal })).status).toBe(401)
  })

  test('what hosts pass of their own says nothing', async () => {
    const handler = serve({ authenticator })
    for (const own of [{ principal: 'ada' }, { principal: {} }, { address: { port: 1 } }, 'environment', null])
      expect((await handler(rpc(call(1, 'whoami')), own as unknown as FetchClient)).status).toBe(401)
  })
})

describe('what is held', () => {
  test('answers to clients that left before are not held', async () => {
    const handler = serve({ maxHeldBytes: 1.5 * LARGE })
    for (let id = 1; id < 4; id++) await handler(rpc(call(id, 'large'), { signal: AbortSignal.abort() }))
    expect((await handler(rpc(call(5, 'large')))).status).toBe(200)
  })

  test('an answer that its host drops without a word is given up', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const handler = serve({ maxHeldBytes: 1.5 * LARGE })
    const slow = await handler(rpc(call(1, 'large')))
    const reader = slow.body?.getReader()
    // Who reads slowly is waited for; who does not read is not.
    for (let i = 0; i < 5; i++) {
      await reader?.read()
      vi.advanceTimersByTime(0.9 * UNREAD_MS)
    }
    expect((await handler(rpc(call(2, 'large')))).status).toBe(503)
    vi.advanceTimersByTime(UNREAD_MS)
    expect((await handler(rpc(call(3, 'large')))).status).toBe(200)
    await expect(reader?.read()).rejects.toThrow('not read in time')
  })

  test('large answers count until they are read or left', async () => {
    const handler = serve({ maxHeldBytes: 1.5 * LARGE })
    const first = await handler(rpc(call(1, 'large')))
    expect((await handler(rpc(call(2, 'large')))).status).toBe(503)
    expect((await first.text()).length).toBeGreaterThan(LARGE)
    const leaving = new AbortController()
    expect((await handler(rpc(call(3, 'large'), { signal: leaving.signal }))).status).toBe(200)
    expect((await handler(rpc(call(4, 'large')))).status).toBe(503)
    leaving.abort()
    const last = await handler(rpc(call(5, 'large')))
    expect(last.headers.get('content-length')).toBe(String((await last.text()).length))
  })

  test('a body that was read before is an error that says what to do', async () => {
    const request = rpc(ask(1, 'ping'))
    await request.text()
    const response = await serve()(request)
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('Give it a request that was not read')
  })
})

test('a client that leaves a stream cancels its call', async () => {
  let cancelled = (): void => {}
  const seen = new Promise<void>(resolve => (cancelled = resolve))
  const wait = tool({ name: 'wait' }, async (_, ctx) => {
    ctx.progress(1)
    await new Promise(resolve => ctx.signal.addEventListener('abort', resolve))
    cancelled()
    return ''
  })
  const handler = fetchHandler(createServer({ name: 's', version: '1' }).add(wait), { drainMs: 10 })
  onTestFinished(() => handler.drain())
  const { headers, body } = new Stateless('').sent(call(1, 'wait', {}, { progressToken: 'p' }))
  const init = { method: 'POST', headers: headers as Record<string, string>, body: JSON.stringify(body) }
  const response = await handler(new Request('http://localhost/mcp', init))
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  await response.body?.cancel()
  await seen
})

test('once drained, nothing new is taken, even if nothing was served before', async () => {
  const handler = serve()
  expect(handler.paths).not.toContain('/ws')
  await handler.drain()
  expect((await handler(rpc(ask(1, 'ping')))).status).toBe(503)
  expect(handler.open).toEqual({ sessions: 0, streams: 0, sockets: 0 })
})
