import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutStructured, jsonSize } from '../../src/results/cut-structured.ts'
import { excerptOf, excerptRanges } from '../../src/results/excerpt.ts'

const text = fc.array(fc.oneof(fc.constantFrom('a', '\n', '😀', '👩‍👩‍👧', 'needle', ' '), fc.string({ unit: 'grapheme' })))

test('ranges are in order, apart, within the text, and part no character', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 200 }), fc.option(fc.string()), (parts, room, query) => {
      const whole = parts.join('')
      const ranges = excerptRanges(whole, room, query ?? undefined)
      let last = -1
      for (const { start, end } of ranges) {
        expect(start).toBeGreaterThan(last)
        expect(end).toBeGreaterThanOrEqual(start)
        expect(end).toBeLessThanOrEqual(whole.length)
        // Throws where half a character stands alone.
        encodeURIComponent(whole.slice(start, end))
        last = end
      }
      const missing: string[] = []
      const shown = excerptOf(whole, ranges, ({ start, end }) => {
        missing.push(whole.slice(start, end))
        return '\u0000'
      })
      const pieces = shown.split('\u0000')
      expect(pieces.map((piece, i) => piece + (missing[i] ?? '')).join('')).toBe(whole)
    }),
    // Where a match stands right before the end of a line, nothing of its line may fit.
    { examples: [[['needle', '\n'], 1, 'l']], numRuns: 1000 },
  )
})

test('a query costs time in proportion to the text, whatever it says', () => {
  const long = 'a'.repeat(2_000_000)
  const started = process.cpuUsage()
  for (const query of ['(a+)+$', 'a*a*a*a*a*b', '[', '\\', '(?=a)', 'a'.repeat(200), '.*'.repeat(100)])
    expect(excerptRanges(long, 1000, query).length).toBeGreaterThan(0)
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000)
})

test('what is cut of a value is told, and nothing else is changed', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 10, max: 400 }), (made, room) => {
      const value = JSON.parse(JSON.stringify(made)) as unknown
      const { value: cut, cuts } = cutStructured(value, room, 'texts')
      const isSame = JSON.stringify(cut) === JSON.stringify(value)
      expect(cuts.length === 0).toBe(isSame)
      expect(jsonSize(cut)).toBeLessThanOrEqual(jsonSize(value))
      encodeURIComponent(JSON.stringify(cut))
      for (const { kept, total } of cuts) expect(kept).toBeLessThan(total)
    }),
  )
})
