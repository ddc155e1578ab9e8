import { appendFileSync, mkdtempSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AuditFile } from '../../../src/observe/audit/audit-file.ts'
import type { AuditFileOptions } from '../../../src/observe/audit/audit-file.ts'
import { verifyAudit } from '../../../src/observe/audit/verify.ts'

const folder = (): string => mkdtempSync(join(tmpdir(), 'audit-'))
const START = Date.parse('2026-01-02T03:04:05Z')

const openAt = (file: string, options: Partial<AuditFileOptions> = {}): AuditFile =>
  new AuditFile(file, { log: () => {}, node: 'here', ...options })

const entry = (request: number): object => ({ time: new Date(START + request).toISOString(), request, tool: 'x' })

function write(file: string, from: number, to: number, options: Partial<AuditFileOptions> = {}): AuditFile {
  const audit = openAt(file, options)
  for (let i = from; i < to; i++) audit.write(entry(i))
  return audit
}

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n')

const problemOf = (...files: string[]): string | undefined => verifyAudit(files).problem?.why

describe('a chain', () => {
  test('is intact from its beginning to its end, over several processes', () => {
    const file = join(folder(), 'audit.jsonl')
    write(file, 0, 3).close()
    const second = write(file, 3, 5)
    const head = second.head?.hash
    second.close()
    const verdict = verifyAudit([file], [head ?? ''])
    expect(verdict).toMatchObject({ problem: undefined, notes: [], lines: 9 })
    expect(verdict.heads.map(({ hash }) => hash)).toEqual([verdict.heads[0]?.hash])
    expect(readFileSync(file, 'utf8')).toContain(`"hash":"${verdict.heads[0]?.hash}"}\n`)
  })

  test('every entry can still be read as JSON, with the name of its node', () => {
    const file = join(folder(), 'audit.jsonl')
    write(file, 0, 2, { node: 'a node/with "signs"' }).close()
    const [begin, first] = linesOf(file).map(line => JSON.parse(line) as Record<string, unknown>)
    expect(begin).toMatchObject({ audit: 'begin', after: null, n: 0 })
    expect(first).toMatchObject({ request: 0, node: 'a-node-with-signs-', n: 1 })
  })

  test('any changed byte is found, and its line or the next one is named', () => {
    const file = join(folder(), 'audit.jsonl')
    write(file, 0, 6).close()
    write(file, 6, 9).close()
    const bytes = readFileSync(file)
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const changed = Buffer.from(bytes)
        changed[place] = (changed[place] ?? 0) ^ change
        writeFileSync(file, changed)
        const line = bytes.subarray(0, place).toString('latin1').split('\n').length
        expect(verifyAudit([file]).problem).toMatchObject({ line })
      }),
      { numRuns: 600 },
    )
  })

  test('lines that are removed, added, moved or repeated are found', () => {
    const file = join(folder(), 'audit.jsonl')
    write(file, 0, 6).close()
    write(file, 6, 12).close()
    const lines = linesOf(file)
    const places = fc.nat(lines.length - 1)
    const other = join(folder(), 'audit.jsonl')
    write(other, 0, lines.length).close()
    const foreign = linesOf(other)
    const edits = fc.oneof(
      // The last lines alone can be cut off unseen: that is what an anchor is for.
      fc
        .record({ at: fc.nat(lines.length - 2), count: fc.integer({ min: 1, max: 4 }) })
        .map(({ at, count }) => lines.toSpliced(at, Math.min(count, lines.length - 1 - at))),
      fc.tuple(places, places).map(([at, of]) => lines.toSpliced(at, 0, lines[of] ?? '')),
      fc.tuple(places, places).map(([at, of]) => lines.toSpliced(at, 0, foreign[of] ?? '')),
      fc.tuple(places, places).map(([a, b]) => lines.with(a, lines[b] ?? '').with(b, lines[a] ?? '')),
      fc.tuple(places, fc.string()).map(([at, text]) => lines.toSpliced(at, 0, text.replaceAll('\n', ' '))),
    )
    fc.assert(
      fc.property(edits, edited => {
        fc.pre(edited.join('\n') !== lines.join('\n'))
        writeFileSync(file, `${edited.join('\n')}\n`)
        expect(verifyAudit([file]).problem).toBeDefined()
      }),
      { numRuns: 600 },
    )
  })

  test('a cut end is found by a hash that was kept elsewhere', () => {
    const file = join(folder(), 'audit.jsonl')
    const audit = write(file, 0, 6)
    const { hash = '' } = audit.head ?? {}
    const lines = linesOf(file)
    expect(verifyAudit([file], [hash]).problem).toBeUndefined()
    audit.write(entry(6))
    expect(verifyAudit([file], [hash]).problem).toBeUndefined()
    writeFileSync(file, `${lines.slice(0, -1).join('\n')}\n`)
    const { problem, notes } = verifyAudit([file], [hash])
    expect(problem?.why).toContain(hash)
    expect(notes.join()).toContain('lines after it may be missing')
  })
})

describe('rotation', () => {
  test('carries the chain over: the files verify together, in any order, and alone', () => {
    const here = folder()
    const file = join(here, 'audit.jsonl')
    let now = START
    write(file, 0, 40, { maxBytes: 2000, now: () => (now += 1000) }).close()
    const files = readdirSync(here).map(name => join(here, name))
    expect(files.length).toBeGreaterThan(3)
    expect(verifyAudit(files.toReversed())).toMatchObject({ problem: undefined, notes: [] })
    for (const one of files) expect(problemOf(one)).toBeUndefined()
    expect(linesOf(files.toSorted()[1] ?? '')[0]).toContain('{"audit":"carried"')
    // Without one in the middle the others do not fit.
    expect(verifyAudit(files.toSorted().toSpliced(1, 1)).problem).toMatchObject({ line: 1 })
  })

  test('by age', () => {
    const here = folder()
    let now = START
    const audit = openAt(join(here, 'audit.jsonl'), { maxAgeMs: 60_000, now: () => now })
    audit.write(entry(0))
    now += 59_000
    audit.write(entry(1))
    expect(readdirSync(here)).toHaveLength(1)
    now += 1000
    audit.write(entry(2))
    expect(readdirSync(here)).toEqual(['audit-20260102T030505000Z.jsonl', 'audit.jsonl'])
  })

  test('a file that another program moved is followed', () => {
    const here = folder()
    const file = join(here, 'audit.jsonl')
    let now = START
    const audit = openAt(file, { now: () => (now += 2000) })
    audit.write(entry(0))
    renameSync(file, join(here, 'moved'))
    audit.write(entry(1))
    audit.close()
    expect(verifyAudit([file, join(here, 'moved')]).problem).toBeUndefined()
    expect(linesOf(join(here, 'moved'))).toHaveLength(2)
  })

  test('where it fails the chain goes on in the same file', () => {
    const file = join(folder(), 'audit.jsonl')
    const audit = openAt(file, { maxBytes: 1, now: () => START })
    audit.write(entry(0))
    audit.write(entry(1))
    audit.write(entry(2))
    expect(problemOf(file)).toBeUndefined()
  })
})

describe('a process that did not end well', () => {
  test('the next one says so; half a line stays apart, and cannot be changed either', () => {
    const file = join(folder(), 'audit.jsonl')
    write(file, 0, 3)
    appendFileSync(file, '{"time":"2026-01-0')
    expect(verifyAudit([file]).notes.join()).toContain('ends within a line')
    write(file, 3, 5).close()
    const { problem, notes } = verifyAudit([file])
    expect(problem).toBeUndefined()
    expect(notes.join()).toMatch(/not finished.*without an end/s)
    expect(linesOf(file)[5]).toContain('"unended":true')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('{"time":"2026-01-0\n', '{"time":"2026-01-1\n'))
    expect(verifyAudit([file]).problem?.line).toBe(5)
    writeFileSync(file, text.replace('{"time":"2026-01-0\n', ''))
    expect(problemOf(file)).toBeDefined()
  })

  test('a file that is no chain is put aside', () => {
    const here = folder()
    const file = join(here, 'audit.jsonl')
    writeFileSync(file, '{"request":1}\n')
    write(file, 2, 3, { now: () => START }).close()
    expect(problemOf(file)).toBeUndefined()
    expect(readFileSync(join(here, 'audit-20260102T030405000Z.jsonl'), 'utf8')).toBe('{"request":1}\n')
  })
})

test('several processes write to one file, each a chain of its own', () => {
  const file = join(folder(), 'audit.jsonl')
  const [a, b] = [openAt(file, { node: 'a' }), openAt(file, { node: 'b' })]
  for (let i = 0; i < 20; i++) (i % 3 === 0 ? a : b).write(entry(i))
  a.close()
  b.close()
  const { problem, notes, lines } = verifyAudit([file])
  expect({ problem, notes, lines }).toEqual({ problem: undefined, notes: [], lines: 24 })
})
