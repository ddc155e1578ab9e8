import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ShortLivedMap } from '@causeway/engine/internal'

type Step = readonly [what: string, key: number, value: number]

/** What the steps answer, and what is there in the end. */
function after(map: ShortLivedMap<number, number> | Map<number, number>, steps: readonly Step[]): unknown[] {
  const answers = steps.map(([what, key, value]) => {
    if (what === 'delete') return map.delete(key)
    if (what === 'set') map.set(key, value)
    else if (value % 50 === 0) map.clear()
    return map.get(key)
  })
  return [answers, map.size, [...map.entries()], [...map.keys()], [...map.values()]]
}

test('it holds what a Map holds, however often it is made anew', () => {
  const step = fc.tuple(fc.constantFrom('set', 'delete', 'clear'), fc.integer({ min: 0, max: 20 }), fc.integer())
  fc.assert(
    fc.property(fc.array(step, { minLength: 1000, maxLength: 3000 }), steps => {
      expect(after(new ShortLivedMap(), steps)).toEqual(after(new Map(), steps))
    }),
    { numRuns: 30 },
  )
})

test('what is deleted while one goes through it is passed over', () => {
  const own = new ShortLivedMap<number, number>()
  for (let i = 0; i < 1000; i++) own.set(i, i)
  const seen: number[] = []
  for (const key of own.keys()) {
    seen.push(key)
    own.delete(key)
    own.delete(key + 1)
  }
  expect(seen).toEqual(Array.from({ length: 500 }, (_, i) => 2 * i))
})
