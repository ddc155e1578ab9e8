import { createServer, tool } from '@causeway/engine'
import { rateLimit } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createSeal } from '../../packages/engine/src/protocol/request-state.ts'
import { Stateful } from '../../packages/engine/test/support/http-client.ts'
import { shopForTest } from '../../packages/engine/test/support/workshop.ts'

const HOUR = 3_600_000

test('a clock that goes back keeps no client waiting longer than its limit says, and gives nothing away', async () => {
  let now = 10 * HOUR
  const limited = rateLimit({ burst: 2, perSecond: 1, now: () => now })
  const client = connect(
    createServer({ name: 's', version: '1' })
      .use(limited)
      .add(tool({ name: 't' }, () => 'ok')),
  )
  const calls = (): Promise<string[]> =>
    Promise.all(
      [1, 2, 3].map(() =>
        client.call('t').then(String, (error: Error) => (/Rate limit/.test(error.message) ? 'limited' : error.message)),
      ),
    )
  expect(await calls()).toEqual(['ok', 'ok', 'limited'])
  now -= HOUR
  expect(await calls()).toEqual(['limited', 'limited', 'limited'])
  now += 2000
  expect(await calls()).toEqual(['ok', 'ok', 'limited'])
  now += 100 * HOUR
  expect(await calls()).toEqual(['ok', 'ok', 'limited'])
})

test('a session that is used outlives a clock that jumps, either way, and new ones are opened', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const shop = await shopForTest()
  const session = await Stateful.open(shop.url)
  vi.setSystemTime(Date.now() - 100 * HOUR)
  expect(await session.request('ping')).toMatchObject({ result: {} })
  vi.setSystemTime(Date.now() + 200 * HOUR)
  expect(await session.request('ping')).toMatchObject({ result: {} })
  const next = await Stateful.open(shop.url)
  expect(await next.request('ping')).toMatchObject({ result: {} })
})

test('state sealed before the clock went back still opens; after a leap ahead it has expired', () => {
  let now = 10 * HOUR
  const seal = createSeal('secret', () => now)
  const binding = { method: 'tools/call', params: { name: 'x' }, principal: undefined }
  const sealed = seal.close({ answers: { q: { ok: true } }, carried: undefined }, binding)
  now -= HOUR
  expect(seal.open(sealed, binding)).toMatchObject({ answers: { q: { ok: true } } })
  now += 2 * HOUR
  expect(() => seal.open(sealed, binding)).toThrow(/has expired.*Send the request again without it/)
})
