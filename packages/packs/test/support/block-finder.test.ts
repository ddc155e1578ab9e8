import { expect, test } from 'vitest'
import { BlockFinder } from '../../src/support/regex/block-finder.ts'
import { lineMatcher } from '../../src/support/regex/line-matcher.ts'
import { compile } from '../../src/support/regex/program.ts'
import { parse } from '../../src/support/regex/syntax.ts'

const matches = (source: string, text: string): [number, number][] =>
  [...new BlockFinder(compile(parse(source, { ignoreCase: false, multiline: true }))).all(Buffer.from(text))].map(
    ({ start, end }) => [start, end],
  )

const byJavaScript = (source: string, text: string): [number, number][] =>
  [...text.matchAll(new RegExp(source, 'gm'))].map(({ index, 0: { length } }) => [index, index + length])

const PIECES = [
  'a',
  'b',
  'c',
  '\\n',
  '.',
  '[^b]',
  '(?:a|ab)',
  '(?:b|)',
  '\\s',
  '^',
  '$',
  '\\b',
  'a*',
  'b+?',
  '(?:a\\n)*?',
  '[ab]{1,2}',
  'c?',
]

test('matches over lines are those of JavaScript', () => {
  let seed = 42
  const random = (most: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % most
  let count = 0
  for (let round = 0; round < 3000; round++) {
    const source = Array.from({ length: 1 + random(5) }, () => PIECES[random(PIECES.length)]).join('')
    const text = Array.from({ length: random(14) }, () => 'abc\n '[random(5)]).join('')
    const expected = byJavaScript(source, text)
    expect({ source, text, found: matches(source, text) }).toEqual({ source, text, found: expected })
    count += expected.length
  }
  expect(count).toBeGreaterThan(3000)
})

test('lines that matches share are one block', () => {
  const matcher = lineMatcher({ content: String.raw`\w,\n\w`, regex: true, ignoreCase: false, multiline: true })
  const text = Buffer.from('aa,\nbb,\ncc\nx\ny,\nz')
  expect([...(matcher.blocks?.(text) ?? [])].map(({ start, end }) => text.toString('utf8', start, end))).toEqual([
    'aa,\nbb,\ncc\n',
    'y,\nz',
  ])
})

test('an expression whose matches cost too much is refused, and others are linear', () => {
  const text = Buffer.from('a'.repeat(20_000))
  const all = (source: string): number =>
    [...(lineMatcher({ content: source, regex: true, ignoreCase: false, multiline: true }).blocks?.(text) ?? [])].length
  expect(all(String.raw`(a*)*\nb`)).toBe(0)
  expect(() => all('a(?:[^]*z)?')).toThrow('takes too long over lines')
})
