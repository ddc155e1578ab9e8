import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FaultHistory } from './fault-history.ts'
import type { FaultEvent } from './fault-history.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** Did a call of process `a` that began after the first of these, a second apart, have to end with an answer? */
function mayBeLost(...events: (readonly [FaultEvent, string?, seconds?: number])[]): boolean {
  const history = new FaultHistory()
  const began = performance.now()
  for (const [what, processId, seconds = 1] of events) {
    vi.advanceTimersByTime(seconds * 1000)
    history.add(what, processId)
  }
  vi.advanceTimersByTime(1000)
  return history.mayHaveLost('a', began)
}

test('one fault loses no events', () => {
  expect(mayBeLost(['ended', 'a'])).toBe(false)
  expect(mayBeLost(['emptied'])).toBe(false)
  expect(mayBeLost(['frozen'], ['thawed', '', 10])).toBe(false)
  expect(mayBeLost(['cut off', 'a'], ['mended', 'a', 2])).toBe(false)
})

test('a Redis that is emptied before a process ends has got them again', () => {
  expect(mayBeLost(['emptied'], ['ended', 'a'])).toBe(false)
  expect(mayBeLost(['ended', 'b'], ['emptied'])).toBe(false)
})

test('a process that ended cannot write them to a Redis that is emptied later', () => {
  expect(mayBeLost(['ended', 'a'], ['emptied'])).toBe(true)
})

test('a process that is cut off for long counts as gone', () => {
  expect(mayBeLost(['cut off', 'a'], ['mended', 'a', 5])).toBe(true)
  expect(mayBeLost(['cut off', 'a'], ['started', 'b', 5])).toBe(true)
  expect(mayBeLost(['cut off', 'b'], ['mended', 'b', 5])).toBe(false)
})
