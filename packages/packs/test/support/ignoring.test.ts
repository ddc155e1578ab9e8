import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { glob } from '../../src/support/patterns/glob.ts'
import { ignoreRules } from '../../src/support/patterns/ignore-rules.ts'
import { fill, folder, git } from '../workstation/place.ts'

test.each([
  ['*.ts', 'a.ts', true],
  ['*.ts', 'deep/er/a.ts', true],
  ['*.ts', 'a.tsx', false],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/b/a.ts', false],
  ['src/*.ts', 'x/src/a.ts', false],
  ['src/**/*.ts', 'src/a.ts', true],
  ['src/**/*.ts', 'src/b/c/a.ts', true],
  ['**/b/*.ts', 'b/a.ts', true],
  ['src/**', 'src', false],
  ['src/**', 'src/a/b', true],
  ['a/**/b/**', 'a/b/c', true],
  ['/a', 'a', true],
  ['/a', 'b/a', false],
  ['?.[ch]', 'x.c', true],
  ['[!a-c]x', 'dx', true],
  ['[!a-c]x', 'bx', false],
  [String.raw`\*`, '*', true],
  [String.raw`\*`, 'a', false],
  ['[', '[', true],
  ['a**b', 'axxb', true],
])('glob %s matches %s: %s', (pattern, path, is) => {
  expect(glob(pattern)(path)).toBe(is)
})

test('a pattern made to hang does not', () => {
  const start = process.cpuUsage()
  expect(glob(`${'*a'.repeat(60)}b`)('a'.repeat(255))).toBe(false)
  expect(glob(`${'**/a/'.repeat(60)}b`)(Array.from({ length: 500 }, () => 'a').join('/'))).toBe(false)
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(5000)
})

test('ignored is what git ignores', () => {
  const path = folder()
  git(path, 'init', '--quiet')
  const files = [
    'a',
    'b.log',
    'ab.log',
    'dir/a',
    'dir/b.log',
    'dir/sub/a',
    'dir/sub/c.txt',
    'x y',
    'foo/dir/a',
    '!b',
    '#c',
  ]
  fill(path, Object.fromEntries(files.map(file => [file, ''])))
  const part = fc.constantFrom(
    'a',
    'b',
    '*',
    '?',
    'dir',
    'sub',
    '.log',
    '[ab]',
    '[!a]',
    '!',
    '#',
    '\\a',
    '\\*',
    ' ',
    'c.txt',
  )
  const name = fc
    .array(part, { minLength: 1, maxLength: 4 })
    .map(parts => parts.join('').replaceAll(/(?<!\\)\*+/g, '*'))
  // Two stars beside other letters mean something to git that its manual does not tell.
  const segments = fc.array(fc.oneof(name, fc.constant('**')), { minLength: 1, maxLength: 3 })
  const pattern = fc
    .tuple(fc.constantFrom('', '!', '/'), segments, fc.constantFrom('', '/'))
    .map(([head, middle, tail]) => head + middle.join('/') + tail)
  fc.assert(
    fc.property(fc.array(pattern, { minLength: 1, maxLength: 4 }), patterns => {
      const text = patterns.join('\n')
      writeFileSync(join(path, '.gitignore'), text)
      const others = git(path, 'ls-files', '--others', '--exclude-standard', '-z')
        .split('\0')
        .filter(f => f !== '')
      const rules = ignoreRules(text)
      const isOut = (file: string): boolean => {
        const parts = file.split('/')
        return parts.some((_, i) => rules(parts.slice(0, i + 1).join('/'), i < parts.length - 1) === true)
      }
      const kept = [...files, '.gitignore'].filter(file => !isOut(file))
      expect({ text, kept: kept.toSorted() }).toEqual({ text, kept: others.toSorted() })
    }),
    { numRuns: 150 },
  )
})
