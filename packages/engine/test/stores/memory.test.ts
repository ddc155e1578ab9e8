import { memoryStore } from '@causeway/engine/stores'
import type { MemoryStore } from '@causeway/engine/stores'
import { expect, test } from 'vitest'
import { storeContract } from '@causeway/engine/testing'
import { runContract } from '../support/contract.ts'

let clock = 0
runContract('memory', storeContract, {
  open: () => memoryStore({ now: () => clock }),
  join: (store, processId) => memoryStore({ shareWith: store as MemoryStore, processId }),
  pass: ms => void (clock += ms),
})

test('nothing is a promise', () => {
  const store = memoryStore()
  const answers = [
    store.get('a'),
    store.set('a', 'x', 1000),
    store.touch('a', 1000),
    store.delete('a'),
    store.append('log', { number: 1, text: 'x' }, 1000),
    store.read('log', 0),
    store.drop('log'),
    store.take('k', { burst: 1, perSecond: 1 }),
    store.publish('c', 'x'),
    store.subscribe('c', () => {}),
    store.close(),
  ]
  expect(answers.filter(answer => answer instanceof Promise)).toEqual([])
})

test('values, events and buckets are bounded: the oldest make room', () => {
  let now = 0
  const store = memoryStore({ maxValues: 10, maxBuckets: 10, maxEventCharacters: 100, now: () => now })
  for (let i = 0; i < 100; i++) {
    store.set(`k${i}`, 'x', 1000)
    store.touch('k0', 1000)
    store.append(`log${i}`, { number: 1, text: 'x'.repeat(10) }, 1000)
    store.take(`b${i}`, { burst: 1, perSecond: 1 })
  }
  expect(store.size).toEqual({ values: 10, buckets: 10, eventCharacters: 100 })
  expect([store.get('k0'), store.get('k1'), store.get('k99')]).toEqual(['x', undefined, 'x'])
  expect([store.read('log1', 0), store.read('log99', 0)]).toMatchObject([[], [{ number: 1 }]])
  // What nobody asks for any more goes too.
  now = 70_000
  for (let i = 0; i < 5; i++) store.set(`new${i}`, 'x', 1000)
  store.append('new', { number: 1, text: 'x' }, 1000)
  expect(store.size).toEqual({ values: 5, buckets: 10, eventCharacters: 1 })
})
