import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Stateful, Stateless, ask, call, hello } from '../../packages/engine/test/support/http-client.ts'
import { JSON_HEADERS, exchange } from '../../packages/engine/test/support/http-exchange.ts'
import { httpModes } from '../interop/http-clients.ts'
import { Cluster } from './cluster.ts'
import { MeasuredRate } from '../support/measured-rate.ts'
import { needs } from '../support/needs.ts'

const at = (url: string, { session, version }: Stateful): Stateful => new Stateful(url, session, { version })

// Ten times what it takes where nothing else runs, and less than what it would take to give up.
const SOON_MS = 20_000

describe('three processes behind a balancer', needs('redis-server'), () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await Cluster.start()
  })
  afterAll(() => cluster.stop())

  test('10,000 calls of 20 sessions, each in another process than the last: none fails', async () => {
    const sessions = await Promise.all(Array.from({ length: 20 }, () => Stateful.open(cluster.url)))
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    onTestFinished(() => agent.destroy())
    const wrong: string[] = []
    let sent = 0
    const work = async (session: Stateful): Promise<void> => {
      for (let i = 0; i < 500; i++) {
        const { url } = cluster.member(sent++ % 3)
        const text = await post(agent, url, session.headers(), call(i, 'add', { a: i, b: 1 }))
        if (!text.includes(`"text":"${i + 1}"`)) wrong.push(text.slice(0, 200))
      }
    }
    await Promise.all(sessions.map(work))
    expect(wrong).toEqual([])
  })

  test('questions asked here and answered there all come to their calls', async () => {
    const session = await Stateful.open(cluster.member(0).url, { capabilities: { elicitation: {} } })
    for (let i = 0; i < 100; i++) {
      const here = at(cluster.member(i % 3).url, session)
      const stream = await here.stream(call(i, 'ask'))
      const { id } = await stream.until(({ method }) => method === 'elicitation/create')
      const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: `n${i}` } } }
      expect(await at(cluster.member((i + 1) % 3).url, session).post(answer)).toMatchObject({ status: 202 })
      await stream.ended
      expect(stream.messages.at(-1)).toMatchObject({ id: i, result: { content: [{ text: `Hello n${i}` }] } })
    }
  })

  test('a warm plain call asks Redis nothing', async () => {
    const session = await Stateful.open(cluster.url)
    for (const { url } of cluster.members) await at(url, session).call('add', { a: 1, b: 2 })
    const { commands, echo } = await monitor(cluster.redis.port)
    for (let i = 0; i < 50; i++) {
      for (const { url } of cluster.members) {
        expect(await at(url, session).call('add', { a: 1, b: 2 })).toMatchObject({ result: {} })
        expect(await new Stateless(url).call('add', { a: 1, b: 2 })).toMatchObject({ result: {} })
      }
    }
    echo('done')
    await expect.poll(() => commands().some(c => c === 'echo done'), { interval: 5 }).toBe(true)
    // What is left are the signs of life of the processes.
    expect(commands().filter(c => !/^(set cw:process:|ping|echo)/.test(c))).toEqual([])
  })

  test.each(httpModes.filter(({ name }) => !name.includes('WebSocket')))('the official $name', async mode => {
    const talk = await mode.connect(cluster.url, { name: 'Ada' })
    expect(talk.version).toBe(mode.version)
    for (let i = 0; i < 9; i++) {
      expect(await talk.call('add', { a: i, b: 1 })).toMatchObject({ content: [{ text: `${i + 1}` }] })
    }
    for (let i = 0; i < 3; i++) expect(await talk.call('ask')).toMatchObject({ content: [{ text: 'Hello Ada' }] })
    const steps: number[] = []
    const counted = await talk.call(
      'count',
      { to: 5, everyMs: 10 },
      { onprogress: ({ progress }) => steps.push(progress) },
    )
    expect(counted).toMatchObject({ content: [{ text: 'counted to 5' }] })
    // A client may take the answer before what arrived together with it; what it takes is in order.
    expect(steps).toEqual([1, 2, 3, 4, 5].filter(step => steps.includes(step)))
    expect(steps).toContain(1)
    await talk.call('change')
    await expect.poll(() => talk.changes(), { interval: 5 }).toBeGreaterThan(0)
    await talk.close()
  })
})

describe('a limit over three processes', needs('redis-server'), () => {
  test('of 100 a second lets 95 to 110 a second through, whichever are asked', async () => {
    const cluster = await Cluster.start({ rate: { burst: 100, perSecond: 100 } })
    onTestFinished(() => cluster.stop())
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    onTestFinished(() => agent.destroy())
    const client = new Stateless(cluster.url)
    const rate = new MeasuredRate(3000)
    const work = async (url: string): Promise<void> => {
      while (!rate.isOver) {
        const { headers = {}, body } = client.sent(call(1, 'add', { a: 1, b: 1 }))
        rate.count((await post(agent, url, headers, body)).includes('"text":"2"'))
      }
    }
    await Promise.all(cluster.members.map(({ url }) => work(url)))
    expect(rate.perSecond).toBeLessThanOrEqual(110)
    expect(rate.perSecond).toBeGreaterThanOrEqual(95 * rate.demand)
  })
})

describe('what breaks', needs('redis-server'), () => {
  test('a process is killed: its call is answered for on the resumed stream, its sessions go on', async () => {
    const cluster = await Cluster.start({ size: 2 })
    onTestFinished(() => cluster.stop())
    const here = await Stateful.open(cluster.member(0).url)
    const stream = await here.stream(call('k', 'count', { to: 1000, everyMs: 20 }, { progressToken: 1 }))
    await stream.reads(() => stream.messages.length >= 5)
    // The other one has to know that it did not just find Redis itself.
    await expect.poll(() => stream.messages.length, { interval: 50 }).toBeGreaterThan(5)
    await cluster.kill(0)
    const killed = performance.now()
    await stream.ended
    const rest = await at(cluster.url, here).listen(stream.ids.at(-1))
    await rest.ended
    expect(performance.now() - killed).toBeLessThan(SOON_MS)
    expect(rest.messages.at(-1)).toMatchObject({ id: 'k', error: { message: expect.stringContaining('has ended') } })
    const numbers = [...stream.ids, ...rest.ids].map(id => Number(id.split('_')[1]))
    expect(numbers).toEqual(numbers.map((_, i) => i + 1))
    expect(await at(cluster.url, here).call('add', { a: 1, b: 2 })).toMatchObject({ result: {} })
  })

  test('Redis is killed and comes back empty: what is known goes on, then is known everywhere again', async () => {
    const cluster = await Cluster.start({ size: 2 })
    onTestFinished(() => cluster.stop())
    const [a, b] = [cluster.member(0).url, cluster.member(1).url]
    const here = await Stateful.open(a)
    const deleted = await Stateful.open(a)
    await at(b, deleted).request('ping')
    await at(b, deleted).end()
    const stream = await here.stream(call('k', 'count', { to: 150, everyMs: 20 }, { progressToken: 1 }))
    await stream.reads(() => stream.messages.length >= 5)
    await cluster.redis.kill()
    await withoutRedis(a, b, here)
    stream.hangUp()
    await cluster.redis.start()
    const back = performance.now()
    await expect.poll(async () => (await at(b, here).post(ask(1, 'ping'))).status, { interval: 20 }).toBe(200)
    await expect.poll(() => ready(a), { interval: 20 }).toEqual({ status: 'ok', store: 'reachable' })
    expect(performance.now() - back).toBeLessThan(SOON_MS)
    const rest = await at(b, here).listen(stream.ids.at(-1))
    await rest.ended
    expect(rest.messages.at(-1)).toMatchObject({ id: 'k', result: {} })
    const numbers = [...stream.ids, ...rest.ids].map(id => Number(id.split('_')[1]))
    expect(numbers, 'no event lost or doubled').toEqual(numbers.map((_, i) => i + 1))
    for (const url of [a, b]) expect(await at(url, deleted).post(ask(1, 'ping'))).toMatchObject({ status: 404 })
    expect(await Stateful.open(cluster.url)).toBeInstanceOf(Stateful)
  })

  test('Redis stands still: nothing hangs, and all is well when it goes on', async () => {
    const cluster = await Cluster.start({ size: 2 })
    onTestFinished(() => cluster.stop())
    const [a, b] = [cluster.member(0).url, cluster.member(1).url]
    const here = await Stateful.open(a)
    cluster.redis.freeze()
    await withoutRedis(a, b, here)
    cluster.redis.thaw()
    const back = performance.now()
    await expect.poll(async () => (await at(b, here).post(ask(1, 'ping'))).status, { interval: 20 }).toBe(200)
    expect(performance.now() - back).toBeLessThan(SOON_MS)
  })

  test('one process is cut off from Redis: it serves what it knows, and learns what it missed', async () => {
    const cluster = await Cluster.start({ size: 2 })
    onTestFinished(() => cluster.stop())
    const [a, b] = [cluster.member(0).url, cluster.member(1).url]
    const [here, deleted] = [await Stateful.open(a), await Stateful.open(a)]
    const there = await Stateful.open(b)
    const listening = await here.listen()
    await at(b, deleted).request('ping')
    cluster.member(0).wire.cut()
    expect(await here.call('add', { a: 1, b: 2 })).toMatchObject({ result: {} })
    expect(await at(b, deleted).end()).toMatchObject({ status: 200 })
    expect(await at(b, here).call('change')).toMatchObject({ result: {} })
    expect(await at(a, there).post(ask(1, 'ping'))).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    await expect.poll(() => ready(a), { interval: 20 }).toEqual({ status: 'degraded', store: 'unreachable' })
    expect(await ready(b)).toEqual({ status: 'ok', store: 'reachable' })
    cluster.member(0).wire.mend()
    const back = performance.now()
    await expect.poll(async () => (await at(a, there).post(ask(1, 'ping'))).status, { interval: 20 }).toBe(200)
    await expect.poll(async () => (await at(a, deleted).post(ask(1, 'ping'))).status, { interval: 20 }).toBe(404)
    await listening.until(({ method }) => method === 'notifications/tools/list_changed')
    expect(performance.now() - back).toBeLessThan(SOON_MS)
    listening.hangUp()
  })
})

/** What a Redis is told from now on, by anybody; and a way to tell it something. */
async function monitor(port: number): Promise<{ commands(): string[]; echo(word: string): void }> {
  const [listening, speaking] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  onTestFinished(() => {
    listening.destroy()
    speaking.destroy()
  })
  let heard = ''
  listening.setEncoding('utf8').on('data', (text: string) => (heard += text))
  listening.write('MONITOR\r\n')
  await once(listening, 'data')
  return {
    commands: () =>
      heard.split('\r\n').flatMap(line => /"([^"]*)"(?: "([^"]*)")?/.exec(line)?.slice(1).join(' ') ?? []),
    echo: word => void speaking.write(`echo ${word}\r\n`),
  }
}

/** Known sessions and the stateless era go on; what only Redis could tell is refused soon. */
async function withoutRedis(a: string, b: string, here: Stateful): Promise<void> {
  expect(await here.call('add', { a: 1, b: 2 })).toMatchObject({ result: { content: [{ text: '3' }] } })
  expect(await new Stateless(b).call('add', { a: 1, b: 2 })).toMatchObject({ result: {} })
  const began = performance.now()
  const unknown = await at(b, here).post(ask(1, 'ping'))
  expect(unknown).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  expect(await exchange(b, { headers: JSON_HEADERS, body: hello() })).toMatchObject({ status: 503 })
  expect(performance.now() - began).toBeLessThan(SOON_MS)
  await expect.poll(() => ready(a), { interval: 20 }).toEqual({ status: 'degraded', store: 'unreachable' })
  expect(await here.request('logging/setLevel', { level: 'debug' })).toMatchObject({ result: {} })
}

async function ready(url: string): Promise<unknown> {
  const { text } = await exchange(url, { method: 'GET', path: '/health/ready' })
  return JSON.parse(text)
}

/** A request on a connection that is kept. */
function post(agent: Agent, url: string, headers: object, body: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const sending = request(
      `${url}/mcp`,
      { method: 'POST', agent, headers: { ...headers, 'x-keep-alive': '1' } },
      response => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.once('end', () => resolve(text))
      },
    )
    sending.once('error', reject)
    sending.end(JSON.stringify(body))
  })
}
