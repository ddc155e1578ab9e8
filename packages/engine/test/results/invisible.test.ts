import * as fc from 'fast-check'
import { cleanDefinition, invisibleLines, showInvisible } from '@causeway/engine/internal'
import { describe, expect, test } from 'vitest'

const ESC = '\u001B'

describe('what is hidden is taken away or shown', () => {
  test.each([
    ['colours', `${ESC}[31mred${ESC}[0m`, 'red'],
    ['links of terminals', `${ESC}]8;;https://evil.example${ESC}\\text${ESC}]8;;\u0007`, 'text'],
    ['a sequence in one byte', '\u009B31mred', 'red'],
    ['a sequence inside a sequence', `${ESC}${ESC}[0m[31mred`, '[31mred'],
    ['a sequence that does not end', `red${ESC}[3`, 'red3'],
    ['backspaces', 'safe\u0008\u0008evil', 'safe[U+0008 U+0008]evil'],
    ['overrides of direction', 'if (a\u202E b\u2066)', 'if (a[U+202E] b[U+2066])'],
    ['no width', 'pass\u200Bword\uFEFF', 'pass[U+200B]word[U+FEFF]'],
    ['tags', 'hi\u{E0041}\u{E0042}', 'hi[U+E0041 U+E0042]'],
    ['many', `hi${'\u{E0041}'.repeat(30)}!`, 'hi[U+E0041 U+E0041 U+E0041 U+E0041 and 26 more]!'],
    ['variation selectors in a row', `😀${'\uFE01'.repeat(9)}`, '😀[U+FE01 U+FE01 U+FE01 U+FE01 and 5 more]'],
    ['joiners between letters that do not join', 'a\u200Db\u200Cc', 'a[U+200D]b[U+200C]c'],
    ['a joiner too many', 'می\u200C\u200Cخواهم', 'می[U+200C U+200C]خواهم'],
    ['a flag that is none', '🏴\u{E0067}\u{E007F}', '🏴[U+E0067 U+E007F]'],
    ['line separators', 'a\u2028b', 'a[U+2028]b'],
  ])('%s', (_, text, expected) => {
    expect(showInvisible(text)).toBe(expected)
  })
})

describe('what is written so is left', () => {
  test.each([
    ['plain text', 'line\tone\r\nline two — “ok” ✓ é 漢字'],
    ['a family', '👩‍👩‍👧‍👦 and 👩🏽‍💻'],
    ['a heart on fire', '❤️‍🔥 ❤️'],
    ['a keycap', '1️⃣'],
    ['Scotland', '🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}'],
    ['Persian', 'می\u200Cخواهم'],
    ['Hindi', 'क्\u200Dष'],
    ['Thai', 'ภาษา\u200Bไทย'],
    ['Hebrew with a mark', 'שלום\u200F!'],
    ['a Japanese variant', '葛\u{E0100}'],
  ])('%s', (_, text) => {
    expect(showInvisible(text)).toBe(text)
  })
})

test('nothing hidden is left, whatever the text; what is shown stays shown', () => {
  const hidden = fc.constantFrom(
    '\u001B[',
    '\u001B]',
    '\u0007',
    '\u202E',
    '\u200D',
    '\u{E0041}',
    '\uFE0F',
    '\u009B',
    '\u200B',
  )
  const seen = fc.constantFrom('a', '😀', '31m', '\n', 'م', '\\', '🏴', '1')
  fc.assert(
    fc.property(fc.array(fc.oneof(hidden, seen), { maxLength: 40 }), parts => {
      const shown = showInvisible(parts.join(''))
      // oxlint-disable-next-line no-control-regex -- these are what is looked for
      expect(shown).not.toMatch(/[\u0000-\u0008\u001b\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\ufeff]/)
      expect(shown).not.toMatch(/[\u{e0000}-\u{e007f}]/u)
      expect(showInvisible(shown)).toBe(shown)
    }),
    { numRuns: 2000 },
  )
})

test('it takes time and room in proportion to the text', () => {
  const started = process.cpuUsage()
  for (const part of [`${ESC}[`, `${ESC}]`, 'a\u200B', '\u{E0041}', `${ESC}]8;;x`, '\u009B0;', '❤️\u200D']) {
    const text = part.repeat(200_000)
    expect(showInvisible(text).length).toBeLessThan(text.length + 100_000)
  }
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(10_000)
})

test('lines that hide something are named', () => {
  expect([...invisibleLines('a\nb\u202E\n👩‍💻\n\u200B\u200B\u0008')]).toEqual([
    [2, ['U+202E']],
    [4, ['U+200B', 'U+0008']],
  ])
  expect(invisibleLines('plain\n').size).toBe(0)
})

test('definitions are cleaned in their words alone', () => {
  const tricky = {
    name: 'a\u200B',
    description: 'x\u{E0041}',
    inputSchema: {
      type: 'object',
      properties: { description: { type: 'string', description: 'y\u202E', enum: ['\u200B'], default: '\u200B' } },
    },
  }
  expect(cleanDefinition(tricky)).toEqual({
    name: 'a\u200B',
    description: 'x[U+E0041]',
    inputSchema: {
      type: 'object',
      properties: { description: { type: 'string', description: 'y[U+202E]', enum: ['\u200B'], default: '\u200B' } },
    },
  })
  const plain = { name: 'a', inputSchema: { properties: {} } }
  expect(cleanDefinition(plain)).toBe(plain)
})
