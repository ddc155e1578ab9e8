import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkWanted, lineMatcher } from '../../src/support/regex/line-matcher.ts'
import type { Wanted } from '../../src/support/regex/line-matcher.ts'
import { utf8Ranges } from '../../src/support/regex/program.ts'

/** The numbers of the lines that match, from 1. */
function found(text: string, content: string, how: Partial<Wanted> = {}): number[] {
  const bytes = Buffer.from(text)
  const matcher = lineMatcher({ content, regex: true, ignoreCase: false, ...how })
  const lines: number[] = []
  for (let from = 0; from < bytes.length;) {
    const at = matcher.find(bytes, from)
    if (at < 0) return lines
    lines.push(bytes.subarray(0, at).toString().split('\n').length)
    const end = bytes.indexOf(10, at)
    if (end < 0) return lines
    from = end + 1
  }
  return lines
}

/** The same as the language's own engine has it, a line at a time. */
function expected(text: string, source: string, flags: string): number[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.flatMap((line, i) => (new RegExp(source, flags).test(line) ? [i + 1] : []))
}

const letter = fc.constantFrom('a', 'b', 'B', '_', ' ', '1', 'é', 'É', '€', '😀', '\r', '-')
const text = fc.array(fc.oneof(letter, letter, letter, fc.constant('\n')), { maxLength: 60 }).map(all => all.join(''))

const { node: source } = fc.letrec<{ node: string; atom: string }>(tie => ({
  atom: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      'a',
      'b',
      'B',
      'é',
      '😀',
      '.',
      '\\w',
      '\\W',
      '\\d',
      '\\s',
      '\\S',
      '[ab]',
      '[^a]',
      '[a-é]',
      '[^é-€]',
    ),
    fc.constantFrom('\\p{L}', '\\P{Lu}', '\\u{20ac}', '\\x61', '[\\w-]', '[\\]b]'),
    tie('node').map(inner => `(?:${inner})`),
    tie('node').map(inner => `(${inner})`),
  ),
  node: fc.oneof(
    { depthSize: 'small' },
    fc
      .array(
        fc.oneof(
          fc
            .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?'))
            .map(p => p.join('')),
          fc.constantFrom('^', '$', '\\b', '\\B'),
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map(parts => parts.join('')),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => `${a}|${b}`),
  ),
}))

test('the lines found are those that the language itself finds', () => {
  fc.assert(
    fc.property(text, source, fc.boolean(), (words, pattern, ignoreCase) => {
      // In either case the language takes a property for its opposite too; and many of them at once are too large.
      fc.pre(
        !pattern.includes('{L') ||
          (!ignoreCase && pattern.split('{L').length < 3 && !/[?*+}]/.test(pattern.replaceAll(/\\[pP]\{\w+\}/g, ''))),
      )
      // And it finds \\B between the two halves of a character.
      fc.pre(!(words.includes('😀') && pattern.includes('\\B')))
      expect({ lines: found(words, pattern, { ignoreCase }) }).toEqual({
        lines: expected(words, pattern, ignoreCase ? 'imu' : 'mu'),
      })
    }),
    { numRuns: 3000 },
  )
})

test('plain texts are found as they are, or in either case', () => {
  const plain = fc.array(letter, { minLength: 1, maxLength: 4 }).map(all => all.join(''))
  fc.assert(
    fc.property(text, plain, fc.boolean(), (words, content, ignoreCase) => {
      const escaped = content.replaceAll(/[\\^$.*+?()[\]{}|-]/g, String.raw`\$&`)
      expect(found(words, content, { regex: false, ignoreCase })).toEqual(
        expected(words, escaped.replaceAll('\\-', '-'), ignoreCase ? 'iu' : 'u'),
      )
    }),
    { numRuns: 500 },
  )
  expect(found('a\nb\nc\nb\nc', 'b\nc', { regex: false })).toEqual([2, 4])
  expect(found('x\nB\nC', 'b\nc', { regex: false, ignoreCase: true })).toEqual([2])
})

test.each([
  ['(', "'(' without ')'"],
  [')', "')' without '('"],
  ['[a', "'[' without ']'"],
  ['*a', 'nothing to repeat'],
  ['a\\', 'a backslash at the end'],
  ['a{3,2}', 'numbers out of order'],
  ['a{5000}', 'counts to 1000'],
  ['[b-a]', 'range out of order'],
  ['(?=a)b', 'look-around is not supported'],
  ['(?<!a)b', 'look-around is not supported'],
  ['(a)\\1', 'references to groups are not supported'],
  ['a\\nb', 'one at a time'],
  ['\\p{Nope}', 'unknown property'],
  ['\\q', 'unknown escape \\q'],
  ['(?>a)', 'unknown kind of group'],
  ['('.repeat(300), 'nested too deeply'],
])('%j is refused in words', (content, words) => {
  const check = (): void => checkWanted({ content, regex: true, ignoreCase: false })
  expect(check).toThrow('Invalid regular expression: ')
  expect(check).toThrow(words)
  expect(check).toThrow(/\(at character \d+\)/)
})

test.each([
  ['(?i)TOTAL', 'a total', true],
  ['(?i:T)otal', 'total', true],
  ['(?i)a(?-i:B)', 'Ab', false],
  ['(?P<name>x)y', 'xy', true],
  ['[[:upper:]]{2}', 'aBC', true],
  ['a{b', 'xa{b}', true],
  ['a\\-b', 'a-b', true],
  ['\\Aab\\z', 'ab', true],
  ['end$', 'the end\r', true],
  ['', 'anything', true],
  ['[]', 'a', false],
])('%s in %j: %s', (content, line, is) => {
  expect(found(line, content).length > 0).toBe(is)
})

test('ranges of characters are ranges of their bytes', () => {
  const edges = [0, 0x41, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfffd, 0xffff, 0x10000, 0x3ffff, 0x10ffff]
  const point = fc.oneof(fc.constantFrom(...edges), fc.integer({ min: 0, max: 0x10ffff }))
  fc.assert(
    fc.property(point, point, point, (a, b, c) => {
      fc.pre(c < 0xd800 || c > 0xdfff)
      const [first, last] = [Math.min(a, b), Math.max(a, b)]
      const bytes = Buffer.from(String.fromCodePoint(c))
      const isIn = utf8Ranges(first, last).some(
        ranges =>
          ranges.length === bytes.length && ranges.every(([low, high], i) => bytes[i]! >= low && bytes[i]! <= high),
      )
      expect(isIn).toBe(c >= first && c <= last)
    }),
  )
})

test.each([
  ['(a+)+$', 'a'.repeat(200_000) + 'b', {}],
  ['(a|a)*b$', 'a'.repeat(200_000), {}],
  ['(.*,){12}P', 'x,'.repeat(100_000), {}],
  ['(x+x+)+y', 'x'.repeat(200_000), {}],
  [`b${'a'.repeat(9999)}`, 'a'.repeat(2_000_000), { regex: false, ignoreCase: true }],
  [`b${'a'.repeat(9999)}`, 'a'.repeat(2_000_000), { regex: false }],
  ['[ab]*a[ab]{18}c', 'ab'.repeat(20_000), {}],
])('%# takes time in proportion to the text', (content, text, how) => {
  const began = process.cpuUsage()
  expect(found(text, content, how)).toEqual([])
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(10_000)
})

test.each(['(?:){1000}{1000}{1000}{1000}hello', '(?:(?:){1000}|){1000}{1000}{1000}'])(
  'an expression whose compilation would take all time is refused: %s (R-M7)',
  content => {
    const began = process.cpuUsage()
    expect(() => lineMatcher({ content, regex: true, ignoreCase: false })).toThrow('too large')
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(10_000)
  },
)

test('an expression that would take all memory is refused', () => {
  expect(() => lineMatcher({ content: '((a{1000}){1000}){1000}', regex: true, ignoreCase: false })).toThrow('too large')
})
