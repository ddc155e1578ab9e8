import { expect, test } from 'vitest'
import { RedisProcesses } from '../../src/stores/redis-processes.ts'

/** What is known of others by a process whose Redis comes and goes, on a clock of the test's own. */
function observer(): {
  look: () => Promise<boolean>
  pass: (ms: number) => void
  /** Redis is away for so long, and comes back. */
  away: (ms: number) => void
  /** Does the other process say that it runs? */
  says: (isHeard: boolean) => void
} {
  let now = 100_000
  let reachableSince = 0
  let heard = false
  const connection = {
    get reachableSince() {
      return reachableSince
    },
    run: async <T>(): Promise<T> => Number(heard) as T,
  }
  const processes = new RedisProcesses(connection, 'cw:', () => now)
  return {
    look: () => processes.isAlive('other'),
    pass: ms => void (now += ms),
    away(ms) {
      now += ms
      reachableSince = now
    },
    says: isHeard => void (heard = isHeard),
  }
}

test('a process that is not heard of is gone, where Redis was there for long enough', async () => {
  const { look } = observer()
  expect(await look()).toBe(false)
})

test('after Redis was away a process has four seconds to be heard again', async () => {
  const { look, pass, away, says } = observer()
  away(10_000)
  expect(await look()).toBe(true)
  pass(3900)
  expect(await look()).toBe(true)
  says(true)
  expect(await look()).toBe(true)
  says(false)
  pass(200)
  expect(await look(), 'a sign of life that ended by itself').toBe(false)
})

test('a Redis that is away again and again keeps nobody from finding out', async () => {
  const { look, pass, away } = observer()
  const seen: boolean[] = []
  for (let i = 0; i < 4; i++) {
    away(3000)
    for (let j = 0; j < 4; j++) {
      pass(500)
      seen.push(await look())
    }
  }
  expect(seen.indexOf(false)).toBeGreaterThan(8)
  expect(seen.at(-1)).toBe(false)
})

test('a process that is heard of again each time is not gone, however short the time was', async () => {
  const { look, pass, away, says } = observer()
  for (let i = 0; i < 20; i++) {
    says(false)
    away(3000)
    pass(900)
    expect(await look()).toBe(true)
    says(true)
    pass(500)
    expect(await look()).toBe(true)
  }
})

test('silence of long ago is forgotten', async () => {
  const { look, pass, away } = observer()
  away(0)
  pass(3900)
  expect(await look()).toBe(true)
  away(120_000)
  pass(1500)
  expect(await look()).toBe(true)
})
