import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createListener } from 'node:net'
import type { AddressInfo, Server as Listener } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, tool } from '@causeway/engine'
import { resultBudget } from '@causeway/engine/policies'
import { bearerTokens, httpWorker, newToken } from '@causeway/engine/http'
import type { HttpWorker, HttpWorkerOptions } from '@causeway/engine/http'
import { afterEach, expect, test } from 'vitest'
import { Stateful, Stateless, ask, call } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf, open } from '../support/http-exchange.ts'
import { Raw, spelled } from '../support/raw-http.ts'

/** Two workers behind one port, all in this process; the test says who gets the next connection. */
interface Pair {
  readonly url: string
  readonly workers: HttpWorker[]
  readonly listener: Listener
  readonly folder: string
  /** 0 or 1. */
  next: number
}

const pairs: Pair[] = []
afterEach(async () => {
  for (const { workers, listener, folder } of pairs.splice(0)) {
    listener.close()
    await Promise.all(workers.map(worker => worker.close()))
    rmSync(folder, { recursive: true, force: true })
  }
})

const who = (name: string) => {
  const { policy, source } = resultBudget({ tokens: 1000, worker: name })
  return createServer({ name, version: '1', log: false })
    .add(source)
    .add(
      tool({ name: 'who' }, () => name),
      tool({ name: 'where' }, (_, ctx) => String(ctx.principal?.name)),
      tool({ name: 'large' }, () => 'x'.repeat(3_000_000)),
      tool({ name: 'long', use: [policy] }, () => 'x'.repeat(100_000)),
    )
}

async function pair(options: Partial<HttpWorkerOptions> = {}, gone: readonly string[] = []): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-worker-'))
  const socketOf = (name: string): string | undefined => (gone.includes(name) ? undefined : join(folder, name))
  const workers = await Promise.all(
    ['w1', 'w2'].map(name =>
      httpWorker(who(name), { ...options, worker: name, socket: join(folder, name), socketOf, drainMs: 500 }),
    ),
  )
  const listener = createListener({ pauseOnConnect: true }, socket => workers[made.next]?.take(socket))
  await new Promise<void>(resolve => void listener.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  const made: Pair = { url, workers, listener, folder, next: 0 }
  pairs.push(made)
  return made
}

const textOf = ({ result }: { result?: unknown }): unknown =>
  (result as { content: { text: string }[] }).content[0]?.text

test('a session is served by the worker that opened it, whoever gets the connection', async () => {
  const made = await pair()
  const session = await Stateful.open(made.url)
  expect(session.session).toMatch(/^w1\.[\w-]{32}$/)
  made.next = 1
  expect(textOf(await session.call('who'))).toBe('w1')
  expect(textOf(await new Stateless(made.url).call('who'))).toBe('w2')
  expect(made.workers.map(worker => worker.open.sessions)).toEqual([1, 0])
  const stream = await session.listen()
  expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream'])
  expect((await session.end()).status).toBe(200)
  await stream.ended
  expect((await session.post(ask(1, 'ping'))).status).toBe(404)
})

test('the whole of a result is read where it is kept, by clients without a session, too', async () => {
  const made = await pair()
  for (const name of ['w1', 'w2']) {
    made.next = Number(name === 'w2')
    const client = new Stateless(made.url)
    const [uri = ''] = /result:\/\/\w+\.[\da-f]{48}/.exec(JSON.stringify(await client.call('long'))) ?? []
    expect(uri).toContain(`result://${name}.`)
    for (made.next of [0, 1]) {
      const page = await client.request('resources/read', { uri: `${uri}?offset=5&limit=3` })
      expect(page.result).toMatchObject({ contents: [{ text: 'xxx' }, {}] })
    }
  }
})

test('the whole of a result whose worker is gone is not found, and the client is told to call again', async () => {
  const made = await pair({}, ['w9'])
  const client = new Stateless(made.url)
  const unknown = await client.request('resources/read', { uri: `result://w9.${'a'.repeat(48)}` })
  expect(unknown.error?.message).toContain('Resource not found')
  await made.workers[0]?.close()
  made.next = 1
  const gone = await client.post(ask(1, 'resources/read', { uri: `result://w1.${'a'.repeat(48)}` }))
  expect([gone.status, messageOf(gone).error?.message]).toEqual([404, expect.stringContaining('Call the tool again')])
})

test('answers of any size, and errors, are passed on as they are', async () => {
  const made = await pair({ maxBody: 100_000 })
  const session = await Stateful.open(made.url)
  made.next = 1
  expect(String(textOf(await session.call('large')))).toHaveLength(3_000_000)
  expect((await session.post('{')).status).toBe(400)
  const large = await session.post(call(1, 'who', {}, { pad: 'x'.repeat(9_000_000) }))
  expect(large.status).toBe(413)
  expect(large.headers.connection).toBe('close')
})

test('the worker with the session decides who may, and the address of a client is its own', async () => {
  const ada = newToken('ada')
  const bob = newToken('bob')
  const refused: string[] = []
  const authenticator = bearerTokens(`${ada.line}\n${bob.line}`)
  const made = await pair({ authenticator, onRefused: ({ address, status }) => refused.push(`${status} ${address}`) })
  const session = await Stateful.open(made.url, { token: ada.token })
  made.next = 1
  expect(textOf(await session.call('where'))).toBe('ada')
  const asBob = new Stateful(made.url, session.session, { token: bob.token })
  expect((await asBob.post(ask(1, 'ping'))).status).toBe(404)
  const nobody = await session.post(ask(1, 'ping'), { authorization: 'Bearer x', 'x-causeway-address': '10.1.1.1' })
  expect(nobody.status).toBe(401)
  expect(nobody.headers['www-authenticate']).toContain('Bearer')
  expect(refused).toEqual(['404 127.0.0.1', '401 127.0.0.1'])
})

test('a worker that is gone: 404, whether that is known or not', async () => {
  const made = await pair()
  const session = await Stateful.open(made.url)
  await made.workers[0]?.close()
  made.next = 1
  const answer = await session.post(ask(1, 'ping'))
  expect([answer.status, messageOf(answer).error?.code]).toEqual([404, -32001])
  expect((await session.post(call(1, 'who', {}, { pad: 'x'.repeat(500_000) }))).status).toBe(404)
  const known = await pair({}, ['w1'])
  known.next = 1
  const lost = new Stateful(known.url, `w1.${'A'.repeat(32)}`, {})
  expect((await lost.post(ask(1, 'ping'))).status).toBe(404)
})

test('a worker that ends in the middle of an answer cuts it off', async () => {
  const made = await pair()
  const session = await Stateful.open(made.url)
  made.next = 1
  const stream = await session.listen()
  expect(stream.status).toBe(200)
  await made.workers[0]?.close()
  await stream.ended
  expect(stream.over).toBe(true)
})

test('a worker that retires lets each connection go with its next answer, and is done when nobody asks', async () => {
  const made = await pair()
  const raw = await Raw.open(Number(new URL(made.url).port))
  const ping = spelled({ path: '/rpc', headers: JSON_HEADERS, body: JSON.stringify(ask(1, 'ping')) })
  raw.write(ping)
  await raw.reads(() => raw.text.includes('"result":{}'))
  expect(raw.text).toContain('Connection: keep-alive')
  let isDone = false
  const done = made.workers[0]?.retire({ quietMs: 300, mostMs: 10_000 }).then(() => (isDone = true))
  raw.write(ping)
  await raw.reads(() => raw.text.split('"result":{}').length === 3)
  expect(raw.text).toContain('Connection: close')
  const stream = await open(made.url, { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } })
  expect(isDone).toBe(false)
  expect((await exchange(made.url, { method: 'GET', path: '/health/ready' })).status).toBe(200)
  stream.hangUp()
  await done
  expect(isDone).toBe(true)
  await made.workers[0]?.retire({ quietMs: 60_000, mostMs: 50 })
})
