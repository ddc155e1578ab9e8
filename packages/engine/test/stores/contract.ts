import type { Store, StoredEvent } from '@causeway/engine'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

/** How the suite gets at stores, and lets time pass in them. */
export interface StoreUnderTest {
  /** A store with nothing in it. */
  open(): Store | Promise<Store>
  /** The same data, seen from another node. */
  join(store: Store, node: string): Store | Promise<Store>
  /** Let so much time pass. */
  pass(ms: number): void | Promise<void>
}

const MINUTE = 60_000

/** What every store does, whatever it keeps things in. */
export function storeContract(name: string, under: StoreUnderTest): void {
  describe(`${name}: values`, () => {
    values(under)
    conditionalValues(under)
    expiry(under)
  })
  describe(`${name}: logs`, () => {
    logs(under)
    sharedLogs(under)
    bounds(under)
  })
  describe(`${name}: buckets`, () => {
    buckets(under)
  })
  describe(`${name}: several nodes`, () => {
    nodes(under)
  })
}

async function opened({ open }: StoreUnderTest): Promise<Store> {
  const store = await open()
  onTestFinished(async () => store.close())
  return store
}

async function joined({ join }: StoreUnderTest, store: Store): Promise<Store> {
  const other = await join(store, 'two')
  onTestFinished(async () => other.close())
  return other
}

const numbers = async (store: Store, log: string, after: number): Promise<number[]> =>
  (await store.read(log, after)).map(({ number }) => number)

function values(under: StoreUnderTest): void {
  test('are there until they are deleted', async () => {
    const store = await opened(under)
    expect(await store.get('a')).toBeUndefined()
    await store.set('a', 'one', MINUTE)
    await store.set('b', 'two', MINUTE)
    await store.set('a', 'three "€" \n', MINUTE)
    expect([await store.get('a'), await store.get('b')]).toEqual(['three "€" \n', 'two'])
    await store.delete('a')
    await store.delete('nothing')
    expect([await store.get('a'), await store.get('b')]).toEqual([undefined, 'two'])
  })

  test('names that every object has are names like others', async () => {
    const store = await opened(under)
    for (const key of ['__proto__', 'constructor', 'toString', '']) {
      expect(await store.get(key)).toBeUndefined()
      await store.set(key, key, MINUTE)
      expect(await store.get(key)).toBe(key)
    }
  })
}

function conditionalValues(under: StoreUnderTest): void {
  test('are kept once, by the first', async () => {
    const store = await opened(under)
    expect(await store.once('a', 'one', 1000)).toBe('one')
    expect(await store.once('a', 'two', 1000)).toBe('one')
    expect(await store.get('a')).toBe('one')
    await under.pass(1100)
    expect(await store.once('a', 'two', 1000)).toBe('two')
  })

  test('are replaced only where they are as expected', async () => {
    const store = await opened(under)
    expect(await store.replace('a', 'one', 'two', MINUTE)).toBe(false)
    expect(await store.replace('a', '', 'two', MINUTE)).toBe(false)
    expect(await store.get('a')).toBeUndefined()
    expect(await store.replace('a', undefined, '', MINUTE)).toBe(true)
    expect(await store.replace('a', undefined, 'two', MINUTE)).toBe(false)
    expect(await store.replace('a', '', 'two', MINUTE)).toBe(true)
    expect(await store.replace('a', 'one', 'three', MINUTE)).toBe(false)
    expect(await store.get('a')).toBe('two')
  })

  test('of many who replace at once one after the other wins, and nothing is lost', async () => {
    const one = await opened(under)
    const two = await joined(under, one)
    const add = async (store: Store): Promise<void> => {
      for (;;) {
        const before = await store.get('count')
        if (await store.replace('count', before, String(Number(before ?? 0) + 1), MINUTE)) return
      }
    }
    await Promise.all(Array.from({ length: 40 }, (_, i) => add(i % 2 ? one : two)))
    expect(await one.get('count')).toBe('40')
  })
}

function expiry(under: StoreUnderTest): void {
  test('end when their time is over, unless they are touched', async () => {
    const store = await opened(under)
    await store.set('used', 'x', 1000)
    await store.set('unused', 'x', 1000)
    await under.pass(600)
    await store.touch('used', 1000)
    await store.touch('nothing', 1000)
    await under.pass(600)
    expect([await store.get('used'), await store.get('unused')]).toEqual(['x', undefined])
    expect(await store.get('nothing')).toBeUndefined()
    await under.pass(600)
    expect(await store.get('used')).toBeUndefined()
  })
}

function logs(under: StoreUnderTest): void {
  test('give what comes after a number, in order', async () => {
    const store = await opened(under)
    for (const number of [1, 2, 3]) await store.append('log', { number, text: `event ${number}` }, MINUTE)
    await store.append('other', { number: 1, text: 'of another' }, MINUTE)
    expect(await store.read('log', 1)).toMatchObject([
      { number: 2, text: 'event 2' },
      { number: 3, text: 'event 3' },
    ])
    expect(await numbers(store, 'log', 0)).toEqual([1, 2, 3])
    expect(await numbers(store, 'log', 3)).toEqual([])
    expect(await numbers(store, 'nothing', 0)).toEqual([])
  })

  test('are dropped as a whole', async () => {
    const store = await opened(under)
    await store.append('log', { number: 1, text: 'x' }, MINUTE)
    await store.append('other', { number: 1, text: 'x' }, MINUTE)
    await store.drop('log')
    await store.drop('nothing')
    expect([await numbers(store, 'log', 0), await numbers(store, 'other', 0)]).toEqual([[], [1]])
  })

  test('keep about a thousand events, the newest', async () => {
    const store = await opened(under)
    for (let number = 1; number <= 3000; number++) await store.append('log', { number, text: 'x' }, MINUTE)
    const kept = await numbers(store, 'log', 0)
    expect(kept.length).toBeGreaterThanOrEqual(1000)
    expect(kept.length).toBeLessThan(2000)
    expect(kept.at(-1)).toBe(3000)
    expect(kept).toEqual(kept.map((_, i) => 3001 - kept.length + i))
  })
}

function sharedLogs(under: StoreUnderTest): void {
  test('that the store numbers grow, whoever writes them', async () => {
    const one = await opened(under)
    const two = await joined(under, one)
    const given: number[] = []
    for (const store of [one, two, one, two]) given.push(await store.announce('feed', `of ${store.node}`, MINUTE))
    expect(given).toEqual([...new Set(given)].toSorted((a, b) => a - b))
    expect(given.every(Number.isSafeInteger)).toBe(true)
    const first = given[0] ?? 0
    expect(await numbers(one, 'feed', first - 1)).toEqual(given)
    expect(await numbers(two, 'feed', first)).toEqual(given.slice(1))
  })

  test('that were lost go on with higher numbers', async () => {
    const store = await opened(under)
    const before = await store.announce('feed', 'x', MINUTE)
    await store.drop('feed')
    expect(await store.announce('feed', 'y', MINUTE)).toBeGreaterThan(before)
  })

  test('are followed in other processes, each event once and in order', async () => {
    const one = await opened(under)
    const two = await joined(under, one)
    const heard: StoredEvent[] = []
    const stop = await two.follow('log', event => void heard.push(event))
    await one.append('other', { number: 1, text: 'x' }, MINUTE)
    for (const number of [1, 2, 3]) await one.append('log', { number, text: `a b\n${number}` }, MINUTE)
    await expect.poll(() => heard.length, { interval: 5 }).toBe(3)
    expect(heard).toMatchObject([1, 2, 3].map(number => ({ number, text: `a b\n${number}` })))
    stop()
    await one.append('log', { number: 4, text: 'after' }, MINUTE)
    expect(await numbers(one, 'log', 0)).toEqual([1, 2, 3, 4])
    expect(heard).toHaveLength(3)
  })
}

function bounds(under: StoreUnderTest): void {
  test('keep no more than a megabyte, but always the newest', async () => {
    const store = await opened(under)
    const large = 'x'.repeat(300_000)
    for (const number of [1, 2, 3, 4, 5]) await store.append('log', { number, text: large }, MINUTE)
    await store.append('log', { number: 6, text: 'small' }, MINUTE)
    expect(await numbers(store, 'log', 0)).toEqual([3, 4, 5, 6])
    await store.append('huge', { number: 1, text: large }, MINUTE)
    await store.append('huge', { number: 2, text: large.repeat(5) }, MINUTE)
    expect(await numbers(store, 'huge', 0)).toEqual([2])
    const other = await joined(under, store)
    expect([await numbers(other, 'log', 0), await numbers(other, 'huge', 0)]).toEqual([[3, 4, 5, 6], [2]])
  })

  test('end some time after the last event', async () => {
    const store = await opened(under)
    await store.append('log', { number: 1, text: 'x' }, 1000)
    await under.pass(600)
    await store.append('log', { number: 2, text: 'x' }, 1000)
    await under.pass(600)
    expect(await numbers(store, 'log', 0)).toEqual([1, 2])
    await under.pass(600)
    expect(await numbers(store, 'log', 0)).toEqual([])
  })
}

function buckets(under: StoreUnderTest): void {
  test('are full at first, then give as fast as they fill, and say when', async () => {
    const store = await opened(under)
    const bucket = { burst: 2, perSecond: 1 }
    const take = async (key: string): Promise<boolean> => (await store.take(key, bucket)).granted
    expect([await take('a'), await take('a'), await take('a'), await take('b')]).toEqual([true, true, false, true])
    const { retryAfterMs } = await store.take('a', bucket)
    expect(retryAfterMs).toBeGreaterThan(0)
    expect(retryAfterMs).toBeLessThanOrEqual(1000)
    await under.pass(1000)
    expect([await take('a'), await take('a')]).toEqual([true, false])
    await under.pass(60_000)
    expect([await take('a'), await take('a'), await take('a')]).toEqual([true, true, false])
  })
}

function nodes(under: StoreUnderTest): void {
  test('see the same, and know which they are', async () => {
    const one = await opened(under)
    const two = await joined(under, one)
    expect(two.node).toBe('two')
    await one.set('a', 'x', MINUTE)
    await one.append('log', { number: 1, text: 'x' }, MINUTE)
    const bucket = { burst: 1, perSecond: 0.001 }
    await one.take('k', bucket)
    expect(await two.get('a')).toBe('x')
    expect(await numbers(two, 'log', 0)).toEqual([1])
    expect((await two.take('k', bucket)).granted).toBe(false)
  })

  test('know who runs', async () => {
    const one = await opened(under)
    const two = await joined(under, one)
    expect(one.reachable).toBe(true)
    // A store that was just reached may not know yet who is gone.
    await vi.waitFor(async () => expect(await one.isAlive('three')).toBe(false), 10_000)
    expect([await one.isAlive('two'), await one.isAlive('three')]).toEqual([true, false])
    await two.close()
    expect(await one.isAlive('two')).toBe(false)
  })

  test('hear what is published, until they stop listening', async () => {
    const one = await opened(under)
    const two = await joined(under, one)
    const heard: string[] = []
    const stop = await two.subscribe('news', message => void heard.push(message))
    await one.subscribe('other', message => void heard.push(message))
    expect(await one.publish('news', 'first')).toBe(1)
    await expect.poll(() => heard, { interval: 5 }).toEqual(['first'])
    stop()
    await expect.poll(async () => one.publish('news', 'second'), { interval: 5 }).toBe(0)
    expect(heard).toEqual(['first'])
  })
}
