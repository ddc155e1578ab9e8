import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Spool, clip } from '../../../src/support/processes/spool.ts'
import { allowList } from '../../../src/workstation/run/allow-list.ts'
import { unifiedDiff } from '../../../src/support/edits/diff.ts'
import { edit } from '../../../src/workstation/edit/edit-job.ts'
import { applyEdits } from '../../../src/workstation/edit/apply-edits.ts'
import { applyBulkEdits } from '../../../src/workstation/edit/bulk-edits.ts'
import { splitCommand } from '../../../src/workstation/run/split-command.ts'
import { folder, git } from '../place.ts'

test('what fits is kept whole, of more the beginning and the end are kept', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 99 })), fc.integer({ min: 100, max: 500 }), (chunks, limit) => {
      const spool = new Spool(limit)
      // Plain letters, so that no character is cut.
      const letters = chunks.map(chunk => Buffer.from(chunk.map(byte => 97 + (byte % 26))))
      for (const chunk of letters) spool.push(chunk)
      const all = Buffer.concat(letters).toString()
      const text = spool.text()
      const [, head = '', dropped = 'none', tail = ''] = /^(\w*)\n\n\[… (\d+) bytes left.*\]\n\n(\w*)$/.exec(text) ?? []
      const isWhole = all.length + 2 <= limit
      expect(text.length + 2).toBeLessThanOrEqual(limit + 4)
      expect([dropped, isWhole && text]).toEqual(
        isWhole ? ['none', all] : [String(all.length - head.length - tail.length), false],
      )
      expect([all.startsWith(head), all.endsWith(tail)]).toEqual([true, true])
    }),
  )
})

test('no character is cut in half', () => {
  for (const letter of ['é', '€', '😀']) {
    for (let limit = 8; limit < 24; limit++) {
      const spool = new Spool(limit)
      for (const byte of Buffer.from(letter.repeat(50))) spool.push(Buffer.from([byte]))
      expect(spool.text()).not.toContain('\ufffd')
    }
  }
})

test('a clipped text fits, counted as JSON', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 0, maxLength: 400 }),
      fc.integer({ min: 120, max: 600 }),
      (text, most) => {
        const clipped = clip(text, most)
        expect(Buffer.byteLength(JSON.stringify(clipped))).toBeLessThanOrEqual(most)
        expect(clipped === text).toBe(Buffer.byteLength(JSON.stringify(text)) <= most)
      },
    ),
  )
  expect(clip('\u0001'.repeat(1000), 1000)).toMatch(/left out; this is the beginning and the end/)
})

test.each([
  ['a b  c', ['a', 'b', 'c']],
  ['  a\tb ', ['a', 'b']],
  ['a "b c" d', ['a', 'b c', 'd']],
  [`a 'b c' d`, ['a', 'b c', 'd']],
  [`a 'say "hi"'`, ['a', 'say "hi"']],
  [String.raw`a "say \"hi\""`, ['a', 'say "hi"']],
  [String.raw`a \"b\"`, ['a', '"b"']],
  [String.raw`a b\\c`, ['a', 'b\\c']],
  [String.raw`a b\nc`, ['a', 'b\\nc']],
  [String.raw`a 'b\c'`, ['a', 'b\\c']],
  [String.raw`a "b\c"`, ['a', 'b\\c']],
  ['a "" c', ['a', '', 'c']],
  [`a b"c d"'e f'`, ['a', 'bc de f']],
  ['"my program" x', ['my program', 'x']],
  ['a; b | c > d $HOME `e` && f *', ['a;', 'b', '|', 'c', '>', 'd', '$HOME', '`e`', '&&', 'f', '*']],
])('%s is split', (command, words) => {
  expect(splitCommand(command)).toEqual(words)
})

test.each([
  ['', 'must name a program'],
  ['   ', 'must name a program'],
  ['"" x', 'must name a program'],
  ['a "b', 'unclosed "'],
  [`a 'b`, "unclosed '"],
  [String.raw`a "b\"`, 'unclosed "'],
  ['a b\\', 'must not end with a backslash'],
])('%j is no command', (command, words) => {
  expect(() => splitCommand(command)).toThrow(words)
})

test.each([
  ['npm', 'npm', true],
  ['npm', 'npm run build', true],
  ['npm', 'npx build', false],
  ['npm', './npm', false],
  ['npm', '/tmp/npm x', false],
  ['npm test', 'npm test', true],
  ['npm test', 'npm test --watch', false],
  ['npm test', 'npm', false],
  ['npm run *', 'npm run', true],
  ['npm run *', 'npm run build -- --fast', true],
  ['npm run *', 'npm exec evil', false],
  ['npm run test:*', 'npm run test:unit', true],
  ['npm run test:*', 'npm run test:unit extra', false],
  ['git log --*', 'git log --oneline', true],
  ['py*', 'python3 x.py', true],
  ['py*', 'py/../sh', false],
  ['./scripts/*', './scripts/build.sh fast', true],
  ['./scripts/*', './scripts/../evil.sh', false],
  ['./scripts/*', './scripts/deep/evil.sh', false],
  ['/usr/bin/*', '/usr/bin/env', true],
  ['/usr/bin/*', '/usr/bin/../../tmp/evil', false],
  ['a*b*c', 'axxbyyc', true],
  ['a*b*c', 'ac', false],
  ['*', 'anything ../at all', true],
  ['"my program"', '"my program" x', true],
])('%s allows %s: %s', (pattern, command, is) => {
  expect(allowList([pattern])(splitCommand(command))).toBe(is)
})

const line = fc.constantFrom('a', 'b', 'c', 'if (x) {', '}', '', 'ä')
const lines = fc.array(line, { maxLength: 30 }).map(all => all.join('\n'))

test('a diff can be applied', () => {
  const path = folder()
  git(path, 'init', '--quiet')
  fc.assert(
    fc.property(lines, lines, fc.boolean(), (before, after, ends) => {
      const [from, to] = ends ? [`${before}\n`, `${after}\n`] : [before, after]
      const diff = unifiedDiff('x.txt', from, to)
      fc.pre(from !== to)
      writeFileSync(join(path, 'x.txt'), from)
      execFileSync('git', ['apply', '--unidiff-zero', '-'], { cwd: path, input: `${diff}\n`, stdio: 'pipe' })
      expect(readFileSync(join(path, 'x.txt'), 'utf8')).toBe(to)
    }),
    { numRuns: 60 },
  )
})

test('texts that are the same have no diff', () => {
  expect(unifiedDiff('x', 'a\nb', 'a\nb')).toBe('')
})

test('a large rewrite is a diff too, without comparing every line with every other', () => {
  const before = Array.from({ length: 5000 }, (_, i) => `old ${i}\n`).join('')
  const after = Array.from({ length: 5000 }, (_, i) => `new ${i}\n`).join('')
  const diff = unifiedDiff('x', before, after)
  expect(diff).toContain('@@ -1,5000 +1,5000 @@')
})

test('edits are exact, in order, and all or none', () => {
  expect(
    applyEdits('one two', [
      { oldText: 'one', newText: 'two' },
      { oldText: 'two two', newText: 'x' },
    ]),
  ).toBe('x')
  expect(applyEdits('a $1 b', [{ oldText: '$1', newText: '$& $$' }])).toBe('a $& $$ b')
  expect(applyEdits('x x', [{ oldText: 'x', newText: 'y', replaceAll: true }])).toBe('y y')
  expect(applyEdits('a\r\nb\r\n', [{ oldText: 'a\nb', newText: 'c\nd' }])).toBe('c\r\nd\r\n')
  expect(() => applyEdits('x x', [{ oldText: 'x', newText: 'y' }])).toThrow('occurs 2 times')
  expect(() => applyEdits('x', [{ oldText: '', newText: 'y' }])).toThrow('must not be empty')
  expect(() => applyEdits('x\ny\nx\n', [{ oldText: 'x', newText: 'y' }])).toThrow('occurs 2 times, on lines 1, 3.')
})

test('an edit that does not fit says what comes close', async () => {
  const make = (before: string, oldText: string): Promise<unknown> =>
    edit({ path: 'x', before, edits: [{ oldText, newText: '' }], bytes: 10_000 })
  await expect(make('  const total = 1\n', '\tconst total = 1')).rejects.toThrow('only in white space')
  for (const [there, sent] of [
    ['say \u201Chello\u201D \u2014 it\u2019s\u00A0here\u2026', 'say "hello" - it\'s here...'],
    ['cafe\u0301', 'caf\u00E9'],
  ] as const)
    await expect(make(`x\n${there}\n`, sent)).rejects.toThrow(
      'Lines 2 to 2 differ from it only in characters that look alike',
    )
  await expect(make('x\nconst totals = 1\n', 'const total = 2')).rejects.toThrow("line 2: 'const totals = 1'")
})

test('many edits at once give what one after the other would', () => {
  const word = fc
    .array(fc.constantFrom('a', 'b', 'ab', 'ba\n', 'aab', 'c'), { minLength: 2, maxLength: 5 })
    .map(all => all.join(''))
  const change = fc.record({ oldText: word, newText: fc.oneof(word, fc.constant('')), replaceAll: fc.boolean() })
  const outcome = (make: () => string): string => {
    try {
      return make()
    } catch (error) {
      return String(error)
    }
  }
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 40 }),
      fc.array(change, { maxLength: 6 }),
      fc.boolean(),
      (parts, edits, windows) => {
        const text = windows ? parts.join('').replaceAll('\n', '\r\n') : parts.join('')
        const meant = edits.map(({ replaceAll, ...rest }, i) =>
          replaceAll && i % 3 === 0 ? { ...rest, replaceAll } : rest,
        )
        expect(outcome(() => applyEdits(text, meant, 0))).toBe(outcome(() => applyEdits(text, meant, Infinity)))
      },
    ),
    { numRuns: 3000 },
  )
})

test('many edits at once: one that writes LF into a file with CRLF, and one that means what it wrote', () => {
  const edits = [
    { oldText: 'ca', newText: 'ba\nba\na' },
    { oldText: 'aab', newText: '' },
    { oldText: 'ba\na', newText: '' },
  ]
  for (const much of [0, Infinity]) expect(applyEdits('ba\r\naaacaa', edits, much)).toBe('ba\r\naa\na')
})

test('numbered lines: many edits that are all simple', () => {
  const text = Array.from({ length: 300 }, (_, i) => `line <${i}> of it\n`).join('')
  const edits = Array.from({ length: 300 }, (_, i) => ({
    oldText: `<${i}> of`,
    newText: `[${i + 1}] <${i + 1000}> of`,
  }))
  const sequence = applyEdits(text, edits, Infinity)
  expect(applyEdits(text, edits, 0)).toBe(sequence)
  expect(applyBulkEdits(text, edits)).toEqual({ text: sequence, made: 300 })
})

test('thousands of edits in megabytes, and their diff, take moments', () => {
  const lines = Array.from(
    { length: 100_000 },
    (_, i) => `${i}: the quick brown fox jumps over the lazy dog, again and again, to and fro\n`,
  )
  const before = lines.join('')
  const edits = Array.from({ length: 3000 }, (_, i) => ({
    oldText: `\n${i * 33 + 1}: the`,
    newText: `\n${i * 33 + 1}: THE`,
  }))
  const began = process.cpuUsage()
  const after = applyEdits(before, edits)
  const diff = unifiedDiff('x', before, after)
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(10_000)
  expect(after.split('THE')).toHaveLength(3001)
  expect(diff.split('\n').filter(words => words.startsWith('+') && !words.startsWith('+++'))).toHaveLength(3000)
})

test('a diff of lines that are all alike, or all new, is found in no time', () => {
  const began = process.cpuUsage()
  const many = 'same\n'.repeat(200_000)
  expect(unifiedDiff('x', many, `${many.slice(0, 500_000)}new\n${many.slice(500_000)}`)).toContain('+new')
  expect(unifiedDiff('x', many, 'a\nb\n'.repeat(100_000)).split('\n')).toHaveLength(400_003)
  expect(unifiedDiff('x', 'a\nb\n'.repeat(100_000), 'b\nc\na\n'.repeat(60_000))).toContain('@@')
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(10_000)
})
