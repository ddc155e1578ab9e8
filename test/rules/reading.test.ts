import { expect, test } from 'vitest'
import type { Source } from './repo.ts'
import { isTest, sources } from './repo.ts'

/** Where packs may read files with the system's own functions: all others go through support/files/file.ts, which never waits. */
const allowed: Readonly<Record<string, string>> = {
  'support/files/file.ts': 'the one place that opens files',
  'support/files/directory.ts': 'opens directories only',
  'support/files/jail.ts': 'opens directories only',
  'support/files/temporary.ts': 'reads what the kernel says of itself',
  'support/git': 'opens what it holds in directories of its own',
  'cassini/plan/files.ts': 'creates files',
  'cassini/plan/import.ts': 'reads what the operator names on the command line, which may well be a pipe',
  'support/views.ts': 'reads our own views',
  'threats/': 'reads our own patterns, or a folder that the operator names',
  'toolkit/analysis/parse/parser.ts': 'reads our own grammars',
  'toolkit/templating/catalog.ts': 'reads templates of ours and of the operator, once at the start',
  'toolkit/templating/write-all.ts': 'creates files',
}

const READERS = /\b(?:readFile|readFileSync|createReadStream|open|openSync|openAsBlob)\b/
const FILE_SYSTEM = /import\s+(?!type\b)(\{[^}]*\}|\*\s+as\s+\w+|\w+)\s+from\s+'(?:node:)?fs(?:\/promises)?'/g

function readers({ path, text }: Source): string[] {
  const inPacks = path.replace('packages/packs/src/', '')
  if (inPacks === path || isTest(path) || Object.keys(allowed).some(known => inPacks.startsWith(known))) return []
  return [...text.matchAll(FILE_SYSTEM)]
    .filter(([, names = '']) => !names.startsWith('{') || READERS.test(names))
    .map(
      () => `${path} reads files by itself: use support/files/file.ts, which refuses pipes and devices and never waits`,
    )
}

test('packs read files in one place', () => {
  expect(sources().flatMap(readers)).toEqual([])
})

test('self-test: a module that opens files is named', () => {
  const path = 'packages/packs/src/x/y.ts'
  const wrong = (text: string): number => readers({ path, text }).length
  expect(wrong("import { readFile } from 'node:fs/promises'")).toBe(1)
  expect(wrong("import * as fs from 'node:fs'")).toBe(1)
  expect(wrong("import { lstat } from 'node:fs/promises'")).toBe(0)
  expect(wrong("import type { Stats } from 'node:fs'")).toBe(0)
})
