import { once } from 'node:events'
import { createServer } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Raw } from '../support/raw-http.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const REQUEST = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'

async function served() {
  const service = await serveHttp(createServer({ name: 's', version: '1' }), { port: 0 })
  const raw = await Raw.open(service.port)
  const answers = (): number => raw.text.split('HTTP/1.1 200').length - 1
  const ask = async (): Promise<void> => {
    const before = answers()
    raw.write(REQUEST)
    await raw.reads(() => answers() > before)
  }
  return { service, raw, ask }
}

test('a connection that is idle for more than a minute is closed', async () => {
  const { service, raw, ask } = await served()
  await ask()
  const ended = once(raw.socket, 'end')
  vi.advanceTimersByTime(71_000)
  await ended
  expect(raw.text.split('HTTP/1.1 ')).toHaveLength(2)
  raw.hangUp()
  await service.close()
})

test('one that is used in between, or half way through a request, stays', async () => {
  const { service, raw, ask } = await served()
  await ask()
  vi.advanceTimersByTime(60_000)
  await ask()
  vi.advanceTimersByTime(60_000)
  raw.write(REQUEST.slice(0, 20))
  // The server has read it once it answers on another connection.
  const other = await Raw.open(service.port)
  other.write(REQUEST)
  await other.reads(() => other.text.includes('200'))
  vi.advanceTimersByTime(15_000)
  raw.write(REQUEST.slice(20))
  await raw.reads(() => raw.text.split('HTTP/1.1 200').length === 4)
  expect(raw.socket.readableEnded).toBe(false)
  raw.hangUp()
  other.hangUp()
  await service.close()
})
