import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Store, StoredEvent } from '../stores/store.ts'
import { eventually } from './contract.ts'
import type { ContractCase } from './contract.ts'

/** How the cases get at stores, and let time pass in them. */
export interface StoreUnderTest {
  /** A store with nothing in it. */
  open(): Store | Promise<Store>
  /** The same data, as another process of that name sees it. */
  join(store: Store, processId: string): Store | Promise<Store>
  /** Let so much time pass. */
  pass(ms: number): void | Promise<void>
}

/** Stores that are closed when a case is over. */
interface Opening {
  open(): Promise<Store>
  join(store: Store): Promise<Store>
  pass(ms: number): Promise<void>
}

type StoreCase = ContractCase<StoreUnderTest>

const MINUTE = 60_000

function storeCase(name: string, run: (under: Opening) => Promise<void>): StoreCase {
  return {
    name,
    run: async ({ open, join, pass }) => {
      const opened: Store[] = []
      const kept = (store: Store): Store => {
        opened.push(store)
        return store
      }
      try {
        await run({
          open: async () => kept(await open()),
          join: async store => kept(await join(store, 'two')),
          pass: async ms => pass(ms),
        })
      } finally {
        for (const store of opened.toReversed()) await store.close()
      }
    },
  }
}

const plain = (events: readonly StoredEvent[]): StoredEvent[] => events.map(({ number, text }) => ({ number, text }))

const numbers = async (store: Store, log: string, after: number): Promise<number[]> =>
  (await store.read(log, after)).map(({ number }) => number)

const values: readonly StoreCase[] = [
  storeCase('are there until they are deleted', async under => {
    const store = await under.open()
    equal(await store.get('a'), undefined)
    await store.set('a', 'one', MINUTE)
    await store.set('b', 'two', MINUTE)
    await store.set('a', 'three "€" \n', MINUTE)
    deepEqual([await store.get('a'), await store.get('b')], ['three "€" \n', 'two'])
    await store.delete('a')
    await store.delete('nothing')
    deepEqual([await store.get('a'), await store.get('b')], [undefined, 'two'])
  }),

  storeCase('names that every object has are names like others', async under => {
    const store = await under.open()
    for (const key of ['__proto__', 'constructor', 'toString', '']) {
      equal(await store.get(key), undefined)
      await store.set(key, key, MINUTE)
      equal(await store.get(key), key)
    }
  }),
]

const conditionalValues: readonly StoreCase[] = [
  storeCase('are kept once, by the first', async under => {
    const store = await under.open()
    equal(await store.once('a', 'one', 1000), 'one')
    equal(await store.once('a', 'two', 1000), 'one')
    equal(await store.get('a'), 'one')
    await under.pass(1100)
    equal(await store.once('a', 'two', 1000), 'two')
  }),

  storeCase('are replaced only where they are as expected', async under => {
    const store = await under.open()
    equal(await store.replace('a', 'one', 'two', MINUTE), false)
    equal(await store.replace('a', '', 'two', MINUTE), false)
    equal(await store.get('a'), undefined)
    equal(await store.replace('a', undefined, '', MINUTE), true)
    equal(await store.replace('a', undefined, 'two', MINUTE), false)
    equal(await store.replace('a', '', 'two', MINUTE), true)
    equal(await store.replace('a', 'one', 'three', MINUTE), false)
    equal(await store.get('a'), 'two')
  }),

  storeCase('of many who replace at once one after the other wins, and nothing is lost', async under => {
    const one = await under.open()
    const two = await under.join(one)
    const add = async (store: Store): Promise<void> => {
      for (;;) {
        const before = await store.get('count')
        if (await store.replace('count', before, String(Number(before ?? 0) + 1), MINUTE)) return
      }
    }
    await Promise.all(Array.from({ length: 40 }, (_, i) => add(i % 2 ? one : two)))
    equal(await one.get('count'), '40')
  }),
]

const expiry: readonly StoreCase[] = [
  storeCase('end when their time is over, unless they are touched', async under => {
    const store = await under.open()
    await store.set('used', 'x', 1000)
    await store.set('unused', 'x', 1000)
    await under.pass(600)
    await store.touch('used', 1000)
    await store.touch('nothing', 1000)
    await under.pass(600)
    deepEqual([await store.get('used'), await store.get('unused')], ['x', undefined])
    equal(await store.get('nothing'), undefined)
    await under.pass(600)
    equal(await store.get('used'), undefined)
  }),
]

const logs: readonly StoreCase[] = [
  storeCase('give what comes after a number, in order', async under => {
    const store = await under.open()
    for (const number of [1, 2, 3]) await store.append('log', { number, text: `event ${number}` }, MINUTE)
    await store.append('other', { number: 1, text: 'of another' }, MINUTE)
    deepEqual(plain(await store.read('log', 1)), [
      { number: 2, text: 'event 2' },
      { number: 3, text: 'event 3' },
    ])
    deepEqual(await numbers(store, 'log', 0), [1, 2, 3])
    deepEqual(await numbers(store, 'log', 3), [])
    deepEqual(await numbers(store, 'nothing', 0), [])
  }),

  storeCase('are dropped as a whole', async under => {
    const store = await under.open()
    await store.append('log', { number: 1, text: 'x' }, MINUTE)
    await store.append('other', { number: 1, text: 'x' }, MINUTE)
    await store.drop('log')
    await store.drop('nothing')
    deepEqual([await numbers(store, 'log', 0), await numbers(store, 'other', 0)], [[], [1]])
  }),

  storeCase('keep about a thousand events, the newest', async under => {
    const store = await under.open()
    for (let number = 1; number <= 3000; number++) await store.append('log', { number, text: 'x' }, MINUTE)
    const kept = await numbers(store, 'log', 0)
    ok(kept.length >= 1000)
    ok(kept.length < 2000)
    equal(kept.at(-1), 3000)
    deepEqual(
      kept,
      kept.map((_, i) => 3001 - kept.length + i),
    )
  }),
]

const sharedLogs: readonly StoreCase[] = [
  storeCase('that the store numbers grow, from whichever process they come', async under => {
    const one = await under.open()
    const two = await under.join(one)
    const given: number[] = []
    for (const store of [one, two, one, two]) given.push(await store.announce('feed', `of ${store.processId}`, MINUTE))
    deepEqual(
      given,
      [...new Set(given)].toSorted((a, b) => a - b),
    )
    equal(given.every(Number.isSafeInteger), true)
    const first = given[0] ?? 0
    deepEqual(await numbers(one, 'feed', first - 1), given)
    deepEqual(await numbers(two, 'feed', first), given.slice(1))
  }),

  storeCase('that were lost go on with higher numbers', async under => {
    const store = await under.open()
    const before = await store.announce('feed', 'x', MINUTE)
    await store.drop('feed')
    ok((await store.announce('feed', 'y', MINUTE)) > before)
  }),

  storeCase('are followed in other processes, each event once and in order', async under => {
    const one = await under.open()
    const two = await under.join(one)
    const heard: StoredEvent[] = []
    const stop = await two.follow('log', event => void heard.push(event))
    await one.append('other', { number: 1, text: 'x' }, MINUTE)
    for (const number of [1, 2, 3]) await one.append('log', { number, text: `a b\n${number}` }, MINUTE)
    await eventually(() => heard.length === 3)
    deepEqual(
      plain(heard),
      [1, 2, 3].map(number => ({ number, text: `a b\n${number}` })),
    )
    stop()
    await one.append('log', { number: 4, text: 'after' }, MINUTE)
    deepEqual(await numbers(one, 'log', 0), [1, 2, 3, 4])
    equal(heard.length, 3)
  }),
]

const bounds: readonly StoreCase[] = [
  storeCase('keep no more than a megabyte, but always the newest', async under => {
    const store = await under.open()
    const large = 'x'.repeat(300_000)
    for (const number of [1, 2, 3, 4, 5]) await store.append('log', { number, text: large }, MINUTE)
    await store.append('log', { number: 6, text: 'small' }, MINUTE)
    deepEqual(await numbers(store, 'log', 0), [3, 4, 5, 6])
    await store.append('huge', { number: 1, text: large }, MINUTE)
    await store.append('huge', { number: 2, text: large.repeat(5) }, MINUTE)
    deepEqual(await numbers(store, 'huge', 0), [2])
    const other = await under.join(store)
    deepEqual([await numbers(other, 'log', 0), await numbers(other, 'huge', 0)], [[3, 4, 5, 6], [2]])
  }),

  storeCase('end some time after the last event', async under => {
    const store = await under.open()
    await store.append('log', { number: 1, text: 'x' }, 1000)
    await under.pass(600)
    await store.append('log', { number: 2, text: 'x' }, 1000)
    await under.pass(600)
    deepEqual(await numbers(store, 'log', 0), [1, 2])
    await under.pass(600)
    deepEqual(await numbers(store, 'log', 0), [])
  }),
]

const buckets: readonly StoreCase[] = [
  storeCase('are full at first, then give as fast as they fill, and say when', async under => {
    const store = await under.open()
    const bucket = { burst: 2, perSecond: 1 }
    const take = async (key: string): Promise<boolean> => (await store.take(key, bucket)).granted
    deepEqual([await take('a'), await take('a'), await take('a'), await take('b')], [true, true, false, true])
    const { retryAfterMs } = await store.take('a', bucket)
    ok(retryAfterMs > 0)
    ok(retryAfterMs <= 1000)
    await under.pass(1000)
    deepEqual([await take('a'), await take('a')], [true, false])
    await under.pass(60_000)
    deepEqual([await take('a'), await take('a'), await take('a')], [true, true, false])
  }),
]

const processes: readonly StoreCase[] = [
  storeCase('see the same, and know which they are', async under => {
    const one = await under.open()
    const two = await under.join(one)
    equal(two.processId, 'two')
    await one.set('a', 'x', MINUTE)
    await one.append('log', { number: 1, text: 'x' }, MINUTE)
    const bucket = { burst: 1, perSecond: 0.001 }
    await one.take('k', bucket)
    equal(await two.get('a'), 'x')
    deepEqual(await numbers(two, 'log', 0), [1])
    equal((await two.take('k', bucket)).granted, false)
  }),

  storeCase('know who runs', async under => {
    const one = await under.open()
    const two = await under.join(one)
    equal(one.reachable, true)
    // A store that was just reached may not know yet who is gone.
    await eventually(async () => !(await one.isAlive('three')))
    deepEqual([await one.isAlive('two'), await one.isAlive('three')], [true, false])
    await two.close()
    equal(await one.isAlive('two'), false)
  }),

  storeCase('hear what is published, until they stop listening', async under => {
    const one = await under.open()
    const two = await under.join(one)
    const heard: string[] = []
    const stop = await two.subscribe('news', message => void heard.push(message))
    await one.subscribe('other', message => void heard.push(message))
    equal(await one.publish('news', 'first'), 1)
    await eventually(() => heard.length === 1)
    stop()
    await eventually(async () => (await one.publish('news', 'second')) === 0)
    deepEqual(heard, ['first'])
  }),
]

const named = (group: string, cases: readonly StoreCase[]): StoreCase[] =>
  cases.map(({ name, run }) => ({ name: `${group} ${name}`, run }))

/** What every store does, whatever it keeps things in. */
export const storeContract: readonly StoreCase[] = [
  ...named('values:', [...values, ...conditionalValues, ...expiry]),
  ...named('logs:', [...logs, ...sharedLogs, ...bounds]),
  ...named('buckets:', buckets),
  ...named('several processes:', processes),
]
