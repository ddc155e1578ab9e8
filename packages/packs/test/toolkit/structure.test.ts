import { describe, expect, test } from 'vitest'
import { findDuplicates } from '../../src/toolkit/structure/duplicates.ts'
import { call, client, folder, repository, write } from './world.ts'

async function ask(root: string, tool: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const { structuredContent } = await call(client({ roots: [root] }), tool, { project_path: root, ...args })
  return structuredContent as Record<string, unknown>
}

const body = (name: string): string =>
  `export function ${name}(xs: number[]) {\n  let sum = 0\n` +
  Array.from({ length: 12 }, (_, i) => `  if (xs[${i}] > ${i}) sum += xs[${i}] * ${i + 1}\n`).join('') +
  '  return sum\n}\n'

describe('find_duplicates', () => {
  test('finds what was copied, wherever it stands, and no line twice', async () => {
    const root = write(folder(), {
      'a.ts': `const one = 1\n${body('first')}`,
      'b.ts': `// other comments\n${body('second').replace('let sum = 0', 'let sum = 0 // here')}\n${body('third')}`,
      'c.test.ts': body('fourth'),
    })
    const found = await ask(root, 'find_duplicates')
    expect(found).toMatchObject({ summary: { files_read: 2 }, total: 1 })
    expect(found.duplicates).toEqual([
      {
        tokens: expect.any(Number),
        lines: expect.any(Number),
        count: 3,
        copies: [
          { file: 'a.ts', line: 3, end_line: 16 },
          { file: 'b.ts', line: 3, end_line: 16 },
          { file: 'b.ts', line: 20, end_line: 33 },
        ],
      },
    ])
    expect(await ask(root, 'find_duplicates', { include_tests: true })).toMatchObject({
      summary: { files_read: 3 },
      duplicates: [{ count: 4 }],
    })
    expect(await ask(root, 'find_duplicates', { min_tokens: 1000 })).toMatchObject({ total: 0 })
  })

  test('many copies of one line take no longer than others', () => {
    const count = 400_000
    const hashes = new Uint32Array(count).fill(7)
    const lines = Uint32Array.from({ length: count }, (_, i) => i >> 2)
    const began = process.cpuUsage()
    expect(findDuplicates([{ file: 'a', hashes, lines }], 50).length).toBeGreaterThan(0)
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(5000)
  })
})

describe('find_dead_exports', () => {
  test('names what no other file names', async () => {
    const root = write(folder(), {
      'package.json': '{ "main": "./api.js" }',
      'api.js': 'export function offered() {}\n',
      'index.ts': 'export const entry = 1\n',
      'a.ts': "import { used } from './b'\nexport function lonely() { used(helper()) }\nexport function helper() {}\n",
      'b.ts': 'export function used(x: unknown) {}\nexport interface Unused {}\nfunction own() {}\n',
      'b.test.ts': 'export const inTest = 1\n',
      'public/c.ts': 'export const meant = 1\n',
    })
    const found = await ask(root, 'find_dead_exports', { entries: ['public/**'] })
    expect(found.exports).toEqual([
      { file: 'a.ts', line: 2, kind: 'function', name: 'lonely', used_inside: false },
      { file: 'b.ts', line: 2, kind: 'interface', name: 'Unused', used_inside: false },
    ])
    expect(found.summary).toEqual({ files_read: 6, used_only_inside: 1 })
    const inside = { include_used_inside: true, limit: 1, offset: 3 }
    expect(await ask(root, 'find_dead_exports', inside)).toMatchObject({
      total: 4,
      exports: [{ file: 'a.ts', line: 3, kind: 'function', name: 'helper', used_inside: true }],
    })
  })
})

describe('analyze_dependencies', () => {
  const edges = async (files: Record<string, string>, of: string): Promise<unknown> => {
    const { uses } = await ask(write(folder(), files), 'analyze_dependencies', { of })
    return (uses as { nodes: string[] }).nodes
  }

  test.each<[string, Record<string, string>, string, string[]]>([
    [
      'TypeScript',
      {
        'src/a.ts': "import './b.js'\nexport * from '../lib'\nconst c = require('./c')\nimport('@/d')\nimport 'fs'",
        'src/b.ts': '',
        'lib/index.ts': '',
        'src/c.js': '',
        'src/d.tsx': '',
      },
      'src/a.ts',
      ['lib/index.ts', 'src/b.ts', 'src/c.js', 'src/d.tsx'],
    ],
    [
      'Python',
      {
        'src/p/a.py':
          'import os, p.b\nfrom . import c\nfrom .d import f\nfrom ..q import g as h\nfrom p import (\n  e,\n)',
        'src/p/b.py': '',
        'src/p/c.py': '',
        'src/p/d.py': '',
        'src/p/e.py': '',
        'src/p/__init__.py': '',
        'src/q/__init__.py': '',
      },
      'src/p/a.py',
      ['src/p/b.py', 'src/p/c.py', 'src/p/d.py', 'src/p/e.py', 'src/q/__init__.py'],
    ],
    [
      'Rust',
      {
        'src/main.rs': 'mod a;\nmod b;\nuse std::fs;\nfn main() {}',
        'src/a.rs': 'use crate::b::c::{D, E};\nuse super::b;',
        'src/b/mod.rs': 'pub mod c;',
        'src/b/c.rs': '',
      },
      'src/a.rs',
      ['src/b/c.rs', 'src/b/mod.rs'],
    ],
    [
      'Go',
      {
        'go.mod': 'module example.org/m\n',
        'main.go': 'package main\nimport (\n"fmt"\n"example.org/m/in/x"\n)\n',
        'in/x/x.go': 'package x',
        'in/x/x_test.go': 'package x',
      },
      'main.go',
      ['in/x/x.go'],
    ],
    [
      'Java',
      {
        'src/main/java/a/A.java': 'package a;\nimport b.B;\nimport static b.C.run;\nimport java.util.List;\nclass A {}',
        'src/main/java/b/B.java': 'package b; class B {}',
        'src/main/java/b/C.java': 'package b; class C {}',
      },
      'src/main/java/a/A.java',
      ['src/main/java/b/B.java', 'src/main/java/b/C.java'],
    ],
    [
      'C',
      { 'src/a.c': '#include "a.h"\n#include "x/y.h"\n#include <stdio.h>', 'src/a.h': '', 'include/x/y.h': '' },
      'src/a.c',
      ['include/x/y.h', 'src/a.h'],
    ],
    ['Ruby', { 'lib/a.rb': "require_relative 'b'\nrequire 'json'", 'lib/b.rb': '' }, 'lib/a.rb', ['lib/b.rb']],
  ])('follows the imports of %s', async (_, files, of, expected) => {
    expect(await edges(files, of)).toEqual(expected)
  })

  test('finds cycles, a short way around each, and what is used most', async () => {
    const root = write(folder(), {
      'a/a.ts': "import '../b/b'",
      'b/b.ts': "import '../c'",
      'c.ts': "import './a/a'; import './d'",
      'd.ts': '',
      'e.ts': "import './d'",
    })
    expect(await ask(root, 'analyze_dependencies')).toEqual({
      summary: { nodes: 5, edges: 5, cycles: 1, packages: 0, unresolved: 0 },
      total: 1,
      cycles: [{ size: 3, path: ['a/a.ts', 'b/b.ts', 'c.ts', 'a/a.ts'] }],
      most_used: [
        { node: 'd.ts', count: 2 },
        { node: 'a/a.ts', count: 1 },
        { node: 'b/b.ts', count: 1 },
        { node: 'c.ts', count: 1 },
      ],
      most_using: [
        { node: 'c.ts', count: 2 },
        { node: 'a/a.ts', count: 1 },
        { node: 'b/b.ts', count: 1 },
        { node: 'e.ts', count: 1 },
      ],
    })
    expect(await ask(root, 'analyze_dependencies', { level: 'directory' })).toMatchObject({
      summary: { nodes: 3, edges: 3, cycles: 1 },
    })
    await expect(ask(root, 'analyze_dependencies', { of: 'x.ts' })).rejects.toMatchObject({
      message: expect.stringContaining("'x.ts' is not among the 5 found"),
    })
  })
})

describe('analyze_directories', () => {
  const ifs = (n: number): string => `export function f(a) {\n${'  if (a) a()\n'.repeat(n)}}\n`

  test('sums up directories, and what changed between two revisions', async () => {
    const { root, commit, git } = repository()
    commit({ 'src/a.ts': ifs(2), 'src/in/b.ts': ifs(3), 'top.ts': ifs(1) })
    git('tag', 'one')
    commit({ 'src/a.ts': ifs(5), 'new.ts': ifs(1) })
    git('rm', '-q', 'top.ts')
    commit({})
    write(root, { 'src/in/b.ts': ifs(4) })
    const plain = await ask(root, 'analyze_directories', { depth: 1 })
    expect(plain).toMatchObject({
      total: 2,
      directories: [
        { directory: '.', files: 3, functions: 3, cognitive: 10, max_cyclomatic: 6 },
        { directory: 'src', files: 2, functions: 2, cognitive: 9 },
      ],
    })
    const trend = async (more: object): Promise<unknown> => {
      const { directories } = await ask(root, 'analyze_directories', more as Record<string, unknown>)
      return Object.fromEntries(
        (directories as { directory: string; change: { files: number; cognitive: number } }[]).map(
          ({ directory, change }) => [directory, [change.files, change.cognitive]],
        ),
      )
    }
    expect(await trend({ from: 'one' })).toEqual({ '.': [0, 4], src: [0, 4], 'src/in': [0, 1] })
    expect(await trend({ from: 'one', to: 'HEAD' })).toEqual({ '.': [0, 3], src: [0, 3], 'src/in': [0, 0] })
    expect(await trend({ from: 'HEAD~1', project_path: `${root}/src` })).toEqual({ src: [0, 1], 'src/in': [0, 1] })
  })

  test('takes no options and no ranges for a revision', async () => {
    const { root, commit } = repository()
    commit({ 'a.ts': ifs(1) })
    for (const from of ['--output=x', 'HEAD..HEAD', 'a b', '-1', ':0']) {
      await expect(ask(root, 'analyze_directories', { from })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining("'from' must be a revision"),
      })
    }
    await expect(ask(root, 'analyze_directories', { from: 'nowhere' })).rejects.toThrow(/nowhere/)
  })
})

test('generated files are known by their heads and by attributes', async () => {
  const code = `export function f(a, b, c, d, e) { ${'if (a) { if (b) { if (c) { if (d) { e() } } } }; '.repeat(4)} }\n`
  const root = write(folder(), {
    '.gitattributes':
      '# comment\n/lib/lexer.js linguist-generated\n*.api.js -diff linguist-generated=true\nown.api.js linguist-generated=false\n[ linguist-generated\n',
    'lib/lexer.js': code,
    'x.api.js': code,
    'own.api.js': `/* ours */ ${code}`,
    'p.c': '/* A Bison parser, made by GNU Bison 3.8.2.  */\nint yyparse(void) { return 0; }\n',
    'l.c': '/* A lexical scanner generated by flex */\nint yylex(void) { return 0; }\n',
    'm.js': code,
  })
  const { structuredContent } = await call(client({ roots: [root] }), 'find_duplicates', { path: '.', min_tokens: 30 })
  expect(structuredContent).toMatchObject({ summary: { files_read: 2 } })
})
