import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decode, encode, encodingOf } from '../../../src/support/files/encoding.ts'
import { folder, open } from '../place.ts'

const WORDS = 'first “line”\r\nzweite Zeile: süß\r\nthird\r\n'
const wide = (text: string, isBig = false): Buffer => {
  const bytes = Buffer.from(text, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}
const latin = (text: string): Buffer => encode({ text, encoding: 'windows-1252' })

const STORED = [
  ['utf-16le', wide(`\uFEFF${WORDS}`), 'UTF-16, little-endian'],
  ['utf-16be', wide(`\uFEFF${WORDS}`, true), 'UTF-16, big-endian'],
  ['utf-16le without a mark', wide(WORDS), 'UTF-16, little-endian'],
  ['utf-16be without a mark', wide(WORDS, true), 'UTF-16, big-endian'],
  ['windows-1252', latin(WORDS), 'Latin-1 (windows-1252)'],
] as const

test.each(STORED)('a text in %s is read, found and edited, and stays in its encoding', async (_, bytes, name) => {
  const root = folder({ 'a.txt': bytes })
  const client = open({ roots: [root] })
  const ask = async (tool: string, args: Record<string, unknown>): Promise<string> => {
    const { content } = await client.request('tools/call', { name: tool, arguments: args })
    return (content as { text?: string }[]).map(block => block.text ?? '?').join('|')
  }
  const mark = decode(bytes)?.text.startsWith('\uFEFF') ? '\uFEFF' : ''
  expect(await ask('read_file', { path: 'a.txt' })).toBe(`${mark}${WORDS}|[Stored as ${name}, which edit_file keeps.]`)
  expect(await ask('read_file', { path: 'a.txt', offset: 2, limit: 1 })).toMatch(/^zweite Zeile: süß\r\n\|.*offset 3/s)
  expect(await ask('read_file', { path: 'a.txt', tail: 1, lineNumbers: true })).toMatch(/^3\tthird\r\n\|/)
  expect(await ask('search_files', { content: 'süß' })).toContain('2: zweite Zeile: süß')
  expect(await ask('search_files', { content: 'SÜSS|SÜß', regex: true, caseSensitive: false })).toContain(
    '1 line in 1 file',
  )
  const edits = [{ oldText: 'süß', newText: 'schön' }]
  expect(await ask('edit_file', { path: 'a.txt', edits })).toContain('+zweite Zeile: schön')
  expect(
    readFileSync(join(root, 'a.txt')).equals(encode({ ...decode(bytes)!, text: mark + WORDS.replace('süß', 'schön') })),
  ).toBe(true)
  expect(await ask('replace_in_files', { oldText: 'schön', newText: 'süß' })).toContain('Replaced 1 place in 1 file')
  expect(readFileSync(join(root, 'a.txt')).equals(bytes)).toBe(true)
  await ask('undo_edit', {})
  await ask('undo_edit', {})
  expect(readFileSync(join(root, 'a.txt')).equals(bytes)).toBe(true)
})

test('a character that Latin-1 has not is refused by its name', async () => {
  const root = folder({ 'a.txt': latin('süß\n') })
  const edits = [{ oldText: 'süß', newText: 'süß → bitter' }]
  await expect(open({ roots: [root] }).call('edit_file', { path: 'a.txt', edits })).rejects.toThrow(
    "Latin-1 (windows-1252), which has no character '→'. Leave it out",
  )
  expect(readFileSync(join(root, 'a.txt')).equals(latin('süß\n'))).toBe(true)
})

test('what is no text is none', () => {
  const none = [
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
    Buffer.from([0x1f, 0x8b, 8, 0x90, 0xff, 0xe0]),
    Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]),
    Buffer.from(Array.from({ length: 64 }, (_, i) => (i % 2 === 0 ? i % 8 : 0))),
    Buffer.from([0xc3, 0x28, 0xa0, 0xa1, 0xe2, 0x28]),
    Buffer.alloc(100),
  ]
  expect(none.map(bytes => encodingOf(bytes, true))).toEqual(none.map(() => undefined))
  expect(encodingOf(Buffer.from('plain'), true)).toBe('utf-8')
  expect(encodingOf(Buffer.alloc(0), true)).toBe('utf-8')
})

test('every text comes back as the bytes it was', () => {
  const all = Array.from({ length: 500 }, (_, seed) =>
    Buffer.from(Array.from({ length: seed % 40 }, (_one, i) => ((seed * 7919 + i * 104_729) >> 3) & 0xff)),
  )
  const texts = all.flatMap(bytes => (decode(bytes) ? [{ bytes, decoded: decode(bytes)! }] : []))
  expect(texts.length).toBeGreaterThan(20)
  expect(texts.filter(({ bytes, decoded }) => !encode(decoded).equals(bytes))).toEqual([])
})
