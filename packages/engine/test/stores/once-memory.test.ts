import { NoRoom, onceMemory } from '@causeway/engine/stores'
import { expect, test } from 'vitest'

test('a value is kept until its time is over, also where there is no room for another', () => {
  let now = 0
  const memory = onceMemory({ maxValues: 2, now: () => now })
  expect(memory.once('a', 'first', 100)).toBe('first')
  expect(memory.once('a', 'second', 100)).toBe('first')
  expect(memory.once('b', 'one', 200)).toBe('one')
  expect(() => memory.once('c', 'more', 100)).toThrow(NoRoom)
  expect(memory.once('a', 'again', 100), 'what was kept is still known').toBe('first')
  now = 100
  expect(memory.once('c', 'more', 100)).toBe('more')
  expect(memory.once('b', 'two', 100)).toBe('one')
  now = 200
  expect(memory.once('b', 'two', 100)).toBe('two')
  expect(memory.size).toBe(1)
})

test('what is kept for longer does not keep others', () => {
  let now = 0
  const memory = onceMemory({ maxValues: 3, now: () => now })
  memory.once('long', 'x', 1_000_000)
  for (let i = 0; i < 1000; i++) {
    now += 100
    expect(memory.once(`short ${i}`, String(i), 150)).toBe(String(i))
  }
  expect(memory.size).toBeLessThanOrEqual(3)
})
