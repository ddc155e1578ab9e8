import { createServer, tool } from '@causeway/engine'
import type { Log, Server } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import { connect } from '@causeway/engine/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { Breaker } from '../../src/upstream/breaker.ts'
import { gatewayTo, later } from '../support/world.ts'

afterEach(() => vi.useRealTimers())

/** A server whose tool answers, hangs or says that it failed. */
function moody(): { server: Server; mood: { is: 'well' | 'hangs' | 'refuses' } } {
  const mood: { is: 'well' | 'hangs' | 'refuses' } = { is: 'well' }
  const server = createServer({ name: 'up', version: '1', log: false })
  server.add(
    tool({ name: 'work' }, () => {
      if (mood.is === 'hangs') return new Promise<string>(() => {})
      if (mood.is === 'refuses') throw new Error('not today')
      return 'done'
    }),
  )
  return { server, mood }
}

async function behind(timeout: number) {
  const { server: up, mood } = moody()
  const service = await serveHttp(up, { port: 0, drainMs: 0 })
  later(() => service.close())
  const lines: string[] = []
  const log: Log = (level, message) => void lines.push(`${level} ${message}`)
  const { server, gateway } = await gatewayTo({ up: { url: `${service.url}/mcp`, timeout } }, { log })
  await gateway.servers.get('up')?.refresh()
  const client = connect(server)
  const call = (): Promise<unknown> => client.call('up__work').catch((error: unknown) => (error as Error).message)
  return { mood, lines, gateway, call }
}

test('a server that hangs call after call is left alone, tried again, and used again once it answers', async () => {
  const { mood, lines, gateway, call } = await behind(200)
  mood.is = 'hangs'
  for (let i = 0; i < 5; i++) expect(await call()).toContain('within 0.2 s')
  const refused = await call()
  expect(refused).toMatch(
    /^The server 'up' is not available: 5 calls in a row failed, the last one because it did not answer in time/,
  )
  expect(gateway.status[0]).toMatchObject({ state: 'failed', breaker: 'open', retryAfterMs: expect.any(Number) })
  expect(gateway.counts[0]).toMatchObject({ states: { open: 1 }, failing: 1, pauses: 1 })
  expect(lines.filter(line => line.includes('left alone'))).toHaveLength(1)
  mood.is = 'well'
  await vi.waitFor(async () => expect(await call()).toBe('done'), { timeout: 20_000, interval: 100 })
  expect(gateway.status[0]).toMatchObject({ state: 'running' })
  expect(gateway.status[0]).not.toHaveProperty('breaker')
  expect(lines).toContain('info a server works again')
})

test('an error that the server answers with is an answer', async () => {
  const { mood, gateway, call } = await behind(30_000)
  mood.is = 'refuses'
  for (let i = 0; i < 8; i++) expect(await call()).toContain('not today')
  mood.is = 'well'
  expect(await call()).toBe('done')
  expect(gateway.status[0]).not.toHaveProperty('breaker')
})

type OneCall = Parameters<Breaker['check']>[0]
const aCall = (reason?: Error): OneCall => ({ cancellation: { reason } }) as OneCall

test('one call at a time tries a server again; pauses grow up to a minute', () => {
  let now = 0
  const pauses: number[] = []
  const listener = {
    onOpened: (_: number, __: string, ms: number) => void pauses.push(ms),
    onClosed: vi.fn<() => void>(),
  }
  const breaker = new Breaker(
    'up',
    listener,
    () => now,
    () => 1,
  )
  for (let i = 0; i < 5; i++) breaker.failed(new Error('broke'), aCall())
  expect(breaker.state).toBe('open')
  for (let i = 0; i < 8; i++) {
    expect(() => breaker.check(aCall())).toThrow('is not available')
    now += breaker.retryAfterMs
    const probe = aCall()
    breaker.check(probe)
    breaker.check(probe)
    expect(breaker.state).toBe('half-open')
    expect(() => breaker.check(aCall())).toThrow('is not available')
    breaker.failed(new Error('broke'), probe)
  }
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
  now += 60_000
  const given = aCall(new Error('The client left'))
  breaker.check(given)
  breaker.failed(new Error('gone'), given)
  breaker.check(aCall())
  breaker.answered()
  expect(breaker.state).toBe('closed')
  expect(listener.onClosed).toHaveBeenCalledOnce()
})

test('calls that break with one connection are one failure', () => {
  const breaker = new Breaker('up', { onOpened: vi.fn<() => void>(), onClosed: vi.fn<() => void>() })
  const connection = {}
  for (let i = 0; i < 50; i++) breaker.failed(new Error('broke'), aCall(), connection)
  expect(breaker.state).toBe('closed')
})
