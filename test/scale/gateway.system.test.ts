import type { Params } from '@causeway/engine'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Stateful, Stateless } from '../../packages/engine/test/support/http-client.ts'
import { Gateways } from './gateways.ts'
import { needs } from '../support/needs.ts'

const textOf = (heard: { readonly result?: unknown }): unknown =>
  (heard.result as { content?: { text: string }[] } | undefined)?.content?.[0]?.text

/** What the server's own counter, which it has for each session, says to a client at that address. */
const count = async (url: string, token: string): Promise<unknown> =>
  textOf(await new Stateless(url, { token }).call('up__counter'))

describe('three gateways and a server', needs('redis-server'), () => {
  let gateways: Gateways
  beforeAll(async () => {
    gateways = await Gateways.start(3)
    for (const { url } of gateways.members) await hasTools(url)
  }, 60_000)
  afterAll(() => gateways.stop())

  test('a client has one session with the server, whichever process it asks; another client another', async () => {
    const ada: unknown[] = []
    const bob: unknown[] = []
    for (let i = 0; i < 6; i++) ada.push(await count(gateways.at(i), 'ada'))
    expect(ada).toEqual(['1', '2', '3', '4', '5', '6'])
    for (let i = 0; i < 3; i++) bob.push(await count(gateways.balancer.url, 'bob'))
    expect(bob).toEqual(['1', '2', '3'])
    const session = await Stateful.open(gateways.at(1), { token: 'ada' })
    expect(textOf(await session.call('up__counter')), 'the stateful era, too').toBe('7')
  })

  test('requests of two processes in one session are told apart', async () => {
    const who = { token: 'ada', capabilities: { elicitation: { form: {} } } }
    const [here, there] = [new Stateless(gateways.at(0), who), new Stateless(gateways.at(1), who)]
    const first = await here.call('up__ask')
    expect(textOf(await there.call('up__echo', { text: 'meanwhile' }))).toBe('meanwhile')
    const last = await here.request('tools/call', answered(first, 'one'))
    const done = await here.request('tools/call', answered(last, 'two'))
    expect(JSON.parse(String(textOf(done)))).toMatchObject([
      { content: { value: 'one' } },
      { content: { value: 'two' } },
    ])
  })

  test('answers to what a server asks in the middle of a call reach it through any process', async () => {
    const who = { token: 'bob', capabilities: { elicitation: { form: {} }, roots: {} } }
    const [a, b, c] = [0, 1, 2].map(at => new Stateless(gateways.at(at), who))
    if (!a || !b || !c) throw new Error('no clients')
    const before = Number(textOf(await a.call('up__runs')))
    const first = await a.call('up__ask')
    const twice = [b, c].map(client => client.request('tools/call', answered(first, 'one')))
    const [last, same] = await Promise.all(twice)
    expect(last?.result).toMatchObject({ resultType: 'input_required' })
    expect(same?.result).toMatchObject({ resultType: 'input_required' })
    const done = await c.request('tools/call', answered(last ?? {}, 'two'))
    expect(JSON.parse(String(textOf(done)))).toMatchObject([
      { content: { value: 'one' } },
      { content: { value: 'two' } },
    ])
    expect(textOf(await b.request('tools/call', answered(last ?? {}, 'two'))), 'fetched again').toBe(textOf(done))
    expect(Number(textOf(await b.call('up__runs')))).toBe(before + 1)
  })

  test('many calls at once through all of them, none is answered with what belongs to another', async () => {
    const clients = gateways.members.map(({ url }) => new Stateless(url, { token: 'ada' }))
    const said = Array.from({ length: 150 }, (_, i) => `n${i}`)
    const heard = said.map(async (text, i) => textOf((await clients[i % 3]?.call('up__echo', { text })) ?? {}))
    expect(await Promise.all(heard)).toEqual(said)
  })

  test('processes that open at once end up with one session', async () => {
    const before = await gateways.sessions()
    const client = { elicitation: { form: {} } }
    const calls = gateways.members.map(({ url }) =>
      new Stateless(url, { token: 'bob', capabilities: client }).call('up__counter'),
    )
    expect(new Set((await Promise.all(calls)).map(textOf))).toEqual(new Set(['1', '2', '3']))
    await expect.poll(() => gateways.sessions(), { interval: 10 }).toBe(before + 1)
  })

  test('a warm call asks Redis nothing', async () => {
    const redis = new Redis(gateways.redis.port)
    const monitor = await redis.monitor()
    onTestFinished(() => {
      monitor.disconnect()
      redis.disconnect()
    })
    const commands: string[] = []
    monitor.on('monitor', (_, args: string[]) => void commands.push(args.join(' ')))
    for (let i = 0; i < 30; i++) await count(gateways.at(i), 'ada')
    await redis.echo('done')
    await expect.poll(() => commands.some(c => c === 'echo done'), { interval: 5 }).toBe(true)
    expect(commands.filter(c => !/^(set cw:process:|ping|echo)/.test(c))).toEqual([])
  })

  test('nothing that lies in Redis names the client or has an id the server gave', async () => {
    const redis = new Redis(gateways.redis.port)
    onTestFinished(() => redis.disconnect())
    const keys = await redis.keys('cw:upstream:*')
    expect(keys.length).toBeGreaterThanOrEqual(3)
    for (const key of keys) {
      expect(await redis.pttl(key)).toBeGreaterThan(0)
      expect(`${key}${await redis.get(key)}`).not.toMatch(/\b(ada|bob)\b|[\da-f]{8}-[\da-f]{4}-/)
    }
  })

  test('a server that forgot its sessions is given one new one', async () => {
    await gateways.forget()
    const counts: unknown[] = []
    for (let i = 0; i < 6; i++) counts.push(await count(gateways.at(i), 'ada'))
    expect(counts).toEqual(['1', '2', '3', '4', '5', '6'])
  })

  test('processes that are killed, or stopped and started again, lose no session with the server', async () => {
    const before = Number(await count(gateways.at(0), 'ada'))
    const who = { token: 'ada', capabilities: { elicitation: { form: {} } } }
    const asked = await new Stateless(gateways.at(0), who).call('up__ask')
    await gateways.end(0, 'SIGKILL')
    const lost = await new Stateless(gateways.at(2), who).request('tools/call', answered(asked, 'one'))
    expect(textOf(lost)).toMatch(
      /process that made the call is gone.*may or may not have done its work.*without requestState/s,
    )
    await gateways.end(1, 'SIGTERM')
    expect(await count(gateways.at(2), 'ada')).toBe(String(before + 1))
    await gateways.end(2, 'SIGTERM')
    await Promise.all([0, 1, 2].map(at => gateways.restart(at)))
    for (let i = 0; i < 3; i++) expect(await count(gateways.at(i), 'ada')).toBe(String(before + 2 + i))
  })

  test('without Redis each has a session of its own and says so once; then all goes on', async () => {
    await gateways.redis.kill()
    await expect.poll(() => count(gateways.at(0), 'ada')).toEqual(expect.any(String))
    // Not known here, and nobody can be asked.
    const fresh = { token: 'bob', capabilities: { sampling: {} } }
    for (let i = 0; i < 3; i++) {
      expect(textOf(await new Stateless(gateways.at(i), fresh).call('up__counter'))).toBe('1')
    }
    const [{ served }] = gateways.members as [(typeof gateways.members)[number]]
    const lines = (): number => served.stderr.split('sessions with servers are not shared').length - 1
    await expect.poll(lines, { interval: 10 }).toBe(1)
    await gateways.redis.start()
    await expect.poll(() => ready(gateways.at(0)), { interval: 20 }).toContain('"reachable"')
    expect(Number(await count(gateways.at(0), 'ada'))).toBeGreaterThan(1)
  })
})

/** The request that brings the answer to what a call of `up__ask` asks. */
function answered({ result }: { readonly result?: unknown }, value: string): Params {
  const { requestState, inputRequests } = result as { requestState: string; inputRequests: Params }
  const [key = ''] = Object.keys(inputRequests)
  const inputResponses = { [key]: { action: 'accept', content: { value } } }
  return { name: 'up__ask', arguments: {}, requestState, inputResponses }
}

/** The tools of the server are there. */
async function hasTools(url: string): Promise<void> {
  const client = new Stateless(url, { token: 'ada' })
  const tools = async (): Promise<string> => JSON.stringify(await client.request('tools/list', {}))
  await vi.waitFor(async () => expect(await tools()).toContain('up__counter'), { interval: 20 })
}

const ready = async (url: string): Promise<string> => (await fetch(new URL('/health/ready', url))).text()
