import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newToken } from '@causeway/engine/http'
import { afterEach, expect, test } from 'vitest'
import { Stateful, Stateless, call } from '../../packages/engine/test/support/http-client.ts'
import { JSON_HEADERS, begin, exchange, messageOf } from '../../packages/engine/test/support/http-exchange.ts'
import { MeasuredRate } from '../support/measured-rate.ts'
import { World, until } from './world.ts'

const started: World[] = []
const sockets: Socket[] = []
async function start(...flags: readonly string[]): Promise<World> {
  const world = await World.start('--workers', '2', ...flags)
  started.push(world)
  await world.workers(2)
  return world
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const world of started.splice(0)) await world.end()
})

test('the rate limit holds in sum: 100 a second lets 95 to 110 pass', async () => {
  const world = await start('--rate-limit', '100/100')
  const client = new Stateless(world.url)
  const rate = new MeasuredRate(3000)
  const load = async (): Promise<void> => {
    while (!rate.isOver) {
      const { error } = await client.call('who')
      rate.count(error === undefined)
      if (error && !error.message.includes('Rate limit exceeded')) throw new Error(error.message)
    }
  }
  await Promise.all(Array.from({ length: 6 }, load))
  expect(rate.perSecond).toBeLessThanOrEqual(110)
  expect(rate.perSecond).toBeGreaterThanOrEqual(95 * rate.demand)
})

test('the burst is one for all workers, to the last token', async () => {
  const world = await start('--rate-limit', '50/0.01')
  // Two workers were looked for, which took tokens too.
  const answers = await Promise.all(Array.from({ length: 100 }, () => new Stateless(world.url).call('who')))
  const passed = answers.filter(({ error }) => error === undefined).length
  expect(passed).toBeLessThanOrEqual(48)
  expect(passed).toBeGreaterThanOrEqual(40)
})

/** Connect and ask something; false if the connection was closed instead of answered. */
function isServed(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n')
  return new Promise(resolve => {
    socket.once('data', data => resolve(data.toString().startsWith('HTTP/1.1 200 OK')))
    socket.once('close', () => resolve(false))
  })
}

test('connections are counted over all workers', async () => {
  const world = await start('--max-connections', '5')
  let served = 0
  // Those that were closed before are told a moment later.
  for (let i = 0; i < 1000 && served < 5; i++) if (await isServed(world.url)) served += 1
  expect(served).toBe(5)
  for (let i = 0; i < 10; i++) expect(await isServed(world.url)).toBe(false)
  for (const socket of sockets) socket.destroy()
  // Places that are free again are given again.
  await expect.poll(() => world.who().catch(() => 0)).toBeGreaterThan(0)
})

test('sessions and calls at once are divided among the workers', async () => {
  const world = await start('--max-sessions', '4', '--max-inflight', '4')
  const streams = []
  for (let i = 0; i < 40 && streams.length < 4; i++) {
    const session = await Stateful.open(world.url).catch(() => undefined)
    if (session) streams.push(await session.listen())
  }
  expect(streams).toHaveLength(4)
  for (let i = 0; i < 6; i++) await expect(Stateful.open(world.url)).rejects.toThrow(/503/)
  const { text } = await exchange(world.url, { method: 'GET', path: '/metrics' })
  expect(text).toMatch(/^causeway_sessions 4$/m)
  const keys = Array.from({ length: 12 }, (_, i) => `n${i}`)
  const going = keys.map(key =>
    begin(world.url, { path: '/rpc', headers: JSON_HEADERS, body: call(1, 'hold', { key }) }),
  )
  const running = (): number => keys.filter(key => world.isAt(key)).length
  await until(() => running() === 4, 'fewer run than may')
  // Whoever is let go makes room for one, and there are never more than four.
  world.open(keys.find(key => world.isAt(key)) ?? '')
  await until(() => running() === 5, 'nobody took the place')
  expect(running()).toBe(5)
  for (const one of going) one.destroy()
  for (const stream of streams) stream.hangUp()
})

test('metrics are summed over workers, and what a worker counted stays counted when it is gone', async () => {
  const world = await start()
  const calls = async (): Promise<number> => {
    const { text } = await exchange(world.url, { method: 'GET', path: '/metrics' })
    return Number(/^causeway_tool_calls_total\{tool="who",outcome="ok"\} (\d+)$/m.exec(text)?.[1])
  }
  const before = await calls()
  for (let i = 0; i < 20; i++) await world.who()
  expect(await calls()).toBe(before + 20)
  const [pid = 0] = await world.workers(2)
  const counted = await calls()
  process.kill(pid, 'SIGTERM')
  await until(() => world.served.stderr.includes('another takes its place'), 'nobody ended')
  expect(await calls()).toBe(counted)
})

test('every worker writes whole lines into one audit, and says in the log which it is', async () => {
  const world = await start('--audit', 'stderr', '--log-level', 'debug')
  for (let i = 0; i < 10; i++) await world.who()
  // The last line may still be on its way, or only a part of it here.
  const entries = (): number => {
    const lines = world.served.stderr.split('\n').slice(0, -1)
    const parsed = lines.map(line => JSON.parse(line) as Record<string, unknown>)
    return parsed.filter(({ tool }) => tool === 'who').length
  }
  await until(() => entries() >= 12, 'not every call was written')
  const refused = await exchange(world.url, { path: '/rpc', headers: {}, body: '{}' })
  expect(refused.status).toBe(415)
  await until(() => /"message":"request refused".*"worker":"w[12]"/.test(world.served.stderr), 'no worker was named')
})

test('who asks is judged where the session is: origin, token and address', async () => {
  const ada = newToken('ada')
  const folder = mkdtempSync(join(tmpdir(), 'causeway-test-tokens-'))
  const file = join(folder, 'tokens')
  writeFileSync(file, `${ada.line}\n`)
  const world = await World.start('--workers', '2', '--token-file', file)
  started.push(world)
  rmSync(folder, { recursive: true })
  const session = await Stateful.open(world.url, { token: ada.token })
  const statuses = async (headers: Record<string, string>): Promise<Set<number>> => {
    const answers = Array.from({ length: 6 }, () => session.post(call(1, 'who'), headers))
    return new Set((await Promise.all(answers)).map(({ status }) => status))
  }
  expect(await statuses({})).toEqual(new Set([200]))
  expect(await statuses({ authorization: 'Bearer wrong' })).toEqual(new Set([401]))
  expect(await statuses({ origin: 'https://evil.example.com' })).toEqual(new Set([403]))
})

test('clients are told apart by their own address, whatever they say of it', async () => {
  const world = await start('--rate-limit', '20/0.01')
  const session = await Stateful.open(world.url)
  const answers = []
  for (let i = 0; i < 40; i++)
    answers.push(messageOf(await session.post(call(i, 'who'), { 'x-causeway-address': `10.0.0.${i}` })))
  expect(answers.filter(({ error }) => error === undefined).length).toBeLessThanOrEqual(20)
})
