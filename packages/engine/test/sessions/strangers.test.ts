import { concurrency, rateLimit } from '@causeway/engine/policies'
import type { Call, Policy, Result } from '@causeway/engine'
import { describe, expect, test } from 'vitest'
import { Cancellation } from '../../src/jsonrpc/cancellation.ts'
import { networkOf } from '../../src/policies/client-key.ts'
import { Stateful, Stateless, call, hello } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf } from '../support/http-exchange.ts'
import { shopForTest } from '../support/workshop.ts'
import { isFetch } from '../support/fetch-service.ts'
import { WsClient } from '../support/ws-client.ts'

/** A tool call of a stranger at that address, or of somebody known. */
const from = (address: string, name?: string): Call =>
  ({
    method: 'tools/call',
    descriptor: { name: 'tools/call', work: true },
    caller: name === undefined ? {} : { principal: { name } },
    link: { address, session: { id: crypto.randomUUID() } },
    cancellation: new Cancellation(),
  }) as unknown as Call

const outcome = (policy: Policy, request: Call, result: () => Result | Promise<Result> = () => ({})): unknown => {
  try {
    return policy(request, result)
  } catch (error) {
    return (error as { kind: string }).kind
  }
}

describe('strangers are counted by address, however many sessions they open', () => {
  test('the rate, over every transport', async () => {
    const shop = await shopForTest()
    const doors = isFetch ? 3 : 4
    shop.server.use(rateLimit({ burst: doors, perSecond: 0.001 }))
    const codes: unknown[] = []
    for (let i = 0; i < 2; i++) {
      codes.push((await (await Stateful.open(shop.url)).call('echo')).error?.code)
      codes.push((await new Stateless(shop.url).call('echo')).error?.code)
      const body = call(1, 'echo')
      codes.push(messageOf(await exchange(shop.url, { path: '/rpc', headers: JSON_HEADERS, body })).error?.code)
      if (isFetch) continue
      const socket = await WsClient.open(shop.url)
      socket.send(body)
      codes.push((await socket.answered(1)).error?.code)
      await socket.close()
    }
    expect(codes).toEqual([undefined, -32003].flatMap(code => Array.from({ length: doors }, () => code)))
  })

  test('handshakes, which open sessions; calls do not pay for them', async () => {
    const shop = await shopForTest()
    shop.server.use(rateLimit({ burst: 2, perSecond: 0.001 }))
    const answers = [1, 2, 3].map(() => exchange(shop.url, { headers: JSON_HEADERS, body: hello() }))
    const codes = (await Promise.all(answers)).map(answer => messageOf(answer).error?.code)
    expect(codes.filter(code => code === -32003)).toHaveLength(1)
    expect(shop.service.open.sessions).toBe(2)
    expect((await new Stateless(shop.url).call('echo')).error).toBeUndefined()
  })

  test('what runs at once', async () => {
    const shop = await shopForTest()
    shop.server.use(concurrency({ running: 2, waiting: 0 }))
    const sessions = await Promise.all([1, 2, 3].map(() => Stateful.open(shop.url)))
    const [one, two] = sessions.slice(0, 2).map((session, i) => session.call('hold', { key: String(i) }))
    await Promise.all(['0', '1'].map(key => shop.gates.entered(key)))
    expect(await sessions[2]?.call('echo')).toMatchObject({ error: { code: -32004 } })
    shop.gates.openAll()
    await Promise.all([one, two])
  })
})

describe('and in sum, however many addresses they have', () => {
  const addresses = (count: number): string[] => Array.from({ length: count }, (_, i) => `10.0.${i >> 8}.${i & 255}`)

  test('the rate', () => {
    const policy = rateLimit({ burst: 2, perSecond: 1, anonymousShare: 3, now: () => 0 })
    const outcomes = addresses(10).map(address => outcome(policy, from(address)))
    expect(outcomes.map(result => result !== 'rate-limited')).toEqual(Array.from({ length: 10 }, (_, i) => i < 6))
    // Those who are known are not.
    expect(outcome(policy, from('10.0.0.1', 'ada'))).toEqual({})
  })

  test('handshakes, which open sessions; calls do not pay for them', async () => {
    const shop = await shopForTest()
    shop.server.use(rateLimit({ burst: 2, perSecond: 0.001 }))
    const answers = [1, 2, 3].map(() => exchange(shop.url, { headers: JSON_HEADERS, body: hello() }))
    const codes = (await Promise.all(answers)).map(answer => messageOf(answer).error?.code)
    expect(codes.filter(code => code === -32003)).toHaveLength(1)
    expect(shop.service.open.sessions).toBe(2)
    expect((await new Stateless(shop.url).call('echo')).error).toBeUndefined()
  })

  test('what runs at once', async () => {
    const policy = concurrency({ running: 2, waiting: 0, anonymousShare: 3 })
    let running = 0
    const ends: (() => void)[] = []
    const work = (): Promise<Result> => {
      running += 1
      return new Promise(resolve => void ends.push(() => resolve({})))
    }
    const outcomes = addresses(20).map(address => outcome(policy, from(address), work))
    expect(running).toBe(6)
    expect(outcomes.filter(result => result === 'busy')).toHaveLength(8)
    expect(outcome(policy, from('10.0.0.1', 'ada'), work)).toBeInstanceOf(Promise)
    expect(running).toBe(7)
    // Places are handed on, and given back.
    while (ends.length > 0) {
      ends.shift()?.()
      await new Promise(resolve => void setImmediate(resolve))
    }
    expect(running).toBe(13)
    expect(await Promise.all(outcomes)).toHaveLength(20)
    expect(await Promise.all(addresses(6).map(address => outcome(policy, from(address))))).toHaveLength(6)
  })
})

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['local', 'local'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1:2:3:4', 'fe80:0:0:0'],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
