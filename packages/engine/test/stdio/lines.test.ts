import { isUtf8 } from 'node:buffer'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Lines } from '../../src/transports/stdio/lines.ts'
import type { Refused } from '../../src/transports/stdio/lines.ts'

type Taken = string | Refused
const NO_LIMIT = 1 << 30
const TOO_LONG: Refused = { refused: 'too-long' }
const NOT_UTF8: Refused = { refused: 'not-utf8' }
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

function take(lines: Lines): Taken[] {
  const taken: Taken[] = []
  for (let line = lines.next(); line !== undefined; line = lines.next()) taken.push(line)
  return taken
}

/** Feeds the chunks one by one, taking what is there after each. */
function frame(chunks: readonly Buffer[], limit = NO_LIMIT): Taken[] {
  const lines = new Lines(limit)
  const taken = chunks.flatMap(chunk => {
    lines.feed(chunk)
    return take(lines)
  })
  lines.end()
  return [...taken, ...take(lines)]
}

/** What framing means, without a thought for speed: split at newlines, then judge each line. */
function split(bytes: Buffer, limit = NO_LIMIT): Taken[] {
  const lines = bytes
    .toString('latin1')
    .split('\n')
    .map(line => Buffer.from(line, 'latin1'))
  return lines.flatMap((line): Taken[] => {
    if (line.length > limit) return [TOO_LONG]
    if (!isUtf8(line)) return [NOT_UTF8]
    return /^[ \t\r]*$/.test(line.toString()) ? [] : [line.toString()]
  })
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map(cut => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
}

const eachByte = (bytes: Buffer): Buffer[] => Array.from(bytes, (_, i) => bytes.subarray(i, i + 1))
const texts = (taken: readonly Taken[]): Taken[] => taken.map(t => (typeof t === 'string' ? t.replace(/\r$/, '') : t))

const utf8 = fc.string({ unit: 'binary', maxLength: 40 }).map(text => Buffer.from(text.replaceAll('\n', ' ')))
const json = fc.json().map(text => Buffer.from(text))
const blank = fc.constantFrom('', ' ', '\t', '\r', '  \r').map(text => Buffer.from(text))
const noise = fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes.filter(byte => byte !== 0x0a)))
const cuts = fc.array(fc.nat(), { maxLength: 30 })
const stream = (...line: readonly fc.Arbitrary<Buffer>[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(fc.array(fc.oneof(...line), { maxLength: 12 }), fc.boolean())
    .map(([lines, ended]) =>
      Buffer.from(lines.map(l => l.toString('latin1')).join('\n') + (ended ? '\n' : ''), 'latin1'),
    )
    .filter(bytes => bytes.indexOf(BOM) !== 0)

describe('any split of the bytes gives the same lines', () => {
  test('only what JSON takes for white space is a blank line', () => {
    expect(frame([Buffer.from('\u2000\n \u00a0\n\v\n \t\r\n')])).toEqual(['\u2000', ' \u00a0', '\v'])
  })

  test('text', () => {
    fc.assert(
      fc.property(stream(utf8, json, blank), cuts, (bytes, cuts) => {
        expect(frame(cutAt(bytes, cuts))).toEqual(split(bytes))
      }),
    )
  })

  test('text, one byte at a time', () => {
    fc.assert(
      fc.property(stream(utf8, json, blank), bytes => {
        expect(frame(eachByte(bytes))).toEqual(split(bytes))
      }),
    )
  })

  test('anything, under any limit', () => {
    fc.assert(
      fc.property(stream(utf8, blank, noise), cuts, fc.integer({ min: 1, max: 40 }), (bytes, cuts, limit) => {
        expect(frame(cutAt(bytes, cuts), limit)).toEqual(split(bytes, limit))
      }),
      { numRuns: 500 },
    )
  })

  test('however much comes before the first is taken', () => {
    fc.assert(
      fc.property(stream(utf8, blank, noise), cuts, (bytes, cuts) => {
        const lines = new Lines(20)
        for (const chunk of cutAt(bytes, cuts)) lines.feed(chunk)
        lines.end()
        expect(take(lines)).toEqual(split(bytes, 20))
      }),
    )
  })
})

describe('lines', () => {
  test('a thousand messages in one read', () => {
    const sent = Array.from({ length: 1000 }, (_, id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }))
    expect(frame([Buffer.from(`${sent.join('\n')}\n`)])).toEqual(sent)
  })

  test('CRLF ends a line as LF does', () => {
    expect(texts(frame([Buffer.from('{"a":1}\r\n{"b":2}\r\n')]))).toEqual(['{"a":1}', '{"b":2}'])
  })

  test('blank lines are skipped', () => {
    expect(frame([Buffer.from('\n\r\n  \n\t\r\nx\n\n')])).toEqual(['x'])
  })

  test('the last line needs no newline', () => {
    expect(frame([Buffer.from('a\nb')])).toEqual(['a', 'b'])
    expect(frame([Buffer.from('a'), Buffer.from('b')])).toEqual(['ab'])
    expect(frame([])).toEqual([])
  })

  test('NUL bytes are part of their line', () => {
    expect(frame([Buffer.from('\0\0\na\0b\n')])).toEqual(['\0\0', 'a\0b'])
  })

  test('line separators of other alphabets do not end a line', () => {
    const line = '{"a":"\u2028\u2029\u0085\v\f"}'
    expect(frame([Buffer.from(`${line}\n`)])).toEqual([line])
  })

  test.each([1, 2, 3, 5, 100])('a byte order mark at the start is not text, in chunks of %i', size => {
    const bytes = Buffer.concat([BOM, Buffer.from('{}\n{}\n')])
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    )
    expect(frame(chunks)).toEqual(['{}', '{}'])
  })

  test('a byte order mark elsewhere is the line’s own', () => {
    expect(frame([Buffer.from('{}\n'), BOM, Buffer.from('{}\n')])).toEqual(['{}', '\uFEFF{}'])
    expect(frame([Buffer.from('x'.repeat(9)), Buffer.from('\n'), BOM, Buffer.from('{}\n')], 8)).toEqual([
      TOO_LONG,
      '\uFEFF{}',
    ])
  })

  test('a character cut in two is whole again', () => {
    const bytes = Buffer.from('"🌉 Ærø"\n')
    for (let at = 0; at <= bytes.length; at++) {
      expect(frame([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(['"🌉 Ærø"'])
    }
  })

  test('a line that is not UTF-8 is refused alone', () => {
    const bad = Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a])
    const good = Buffer.from('{"good":"ø"}\n')
    expect(frame([Buffer.concat([good, bad, good, bad, good])])).toEqual([
      '{"good":"ø"}',
      NOT_UTF8,
      '{"good":"ø"}',
      NOT_UTF8,
      '{"good":"ø"}',
    ])
  })

  test('half a character at the end is refused', () => {
    expect(frame([Buffer.from('a\n'), Buffer.from('ø').subarray(0, 1)])).toEqual(['a', NOT_UTF8])
  })

  test('a megabyte of lines that are not UTF-8 in one chunk', () => {
    const count = 512 * 1024
    const lines = new Lines(NO_LIMIT)
    lines.feed(Buffer.from('\xff\n'.repeat(count), 'latin1'))
    let refused = 0
    while (lines.next() !== undefined) refused += 1
    expect(refused).toBe(count)
  })
})

describe('a line over the limit', () => {
  test('is refused once, while it is still arriving, and the next line is served', () => {
    const lines = new Lines(100)
    lines.feed(Buffer.alloc(100, 'x'))
    expect(lines.next()).toBeUndefined()
    lines.feed(Buffer.from('x'))
    expect(lines.next()).toEqual(TOO_LONG)
    for (let i = 0; i < 50; i++) lines.feed(Buffer.alloc(1000, 'x'))
    expect(lines.next()).toBeUndefined()
    lines.feed(Buffer.from('x\n{}\n'))
    expect(take(lines)).toEqual(['{}'])
  })

  test('is refused when it comes in one piece with its neighbours', () => {
    expect(frame([Buffer.from(`a\n${'x'.repeat(11)}\n${'y'.repeat(10)}\nb\n`)], 10)).toEqual([
      'a',
      TOO_LONG,
      'y'.repeat(10),
      'b',
    ])
  })

  test('is measured in bytes, not characters', () => {
    expect(frame([Buffer.from(`${'ø'.repeat(5)}\n${'ø'.repeat(6)}\n`)], 10)).toEqual(['øøøøø', TOO_LONG])
    expect(frame([Buffer.from('🌉🌉\n🌉🌉🌉\n')], 8)).toEqual(['🌉🌉', TOO_LONG])
  })

  test('may be the last', () => {
    expect(frame([Buffer.from('a\nxxxxx')], 4)).toEqual(['a', TOO_LONG])
    expect(frame([Buffer.from('a\nxxxx')], 4)).toEqual(['a', 'xxxx'])
  })

  test('is never held: half a gigabyte of it takes no more room than the limit', () => {
    const lines = new Lines(1024 * 1024)
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    for (let i = 0; i < 8192; i++) {
      lines.feed(chunk)
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    expect(lines.next()).toEqual(TOO_LONG)
    expect(lines.next()).toBeUndefined()
    // Room grows by doubling, so all that was ever held adds up to less than twice the limit.
    expect(most).toBeLessThanOrEqual(2 * 1024 * 1024)
  })
})
