import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { call, client, folder, textOf, write } from './world.ts'

const FILES = {
  'a.ts': `
import { b } from './b'
export interface Shape { size: number }
export type Id = string
enum Color { red }
export const LIMIT = 3
const helper = (x: number) => x
export default class Box {
  #field = 1
  open(): void { helper(LIMIT) }
}
// helper in a comment
const text = 'helper in a string'
`,
  'b.py': `
LIMIT = 1
class Store:
    def find(self): return helper()
def helper(): pass
def _hidden(): pass
`,
  'c.rs':
    'pub struct P { a: u8 }\nimpl P { pub fn new() -> Self { P { a: 1 } } }\nmacro_rules! m { () => {} }\nmod inner { fn f() {} }\n',
  'd.go':
    'package m\ntype T struct{}\nfunc (t *T) Get() int { return helper() }\nfunc helper() int { return 1 }\nconst Max = 1\n',
  'E.java': 'public class E { int n; E() {} public int get() { return n; } interface I {} }\n',
  'f.cs': 'namespace N { public class F { public int P { get; set; } void M() {} enum K { A } } }\n',
  'g.c':
    '#define MAX 1\nstruct s { int a; };\ntypedef int num;\nstatic char *copy(const char *class)\n{\n\treturn 0;\n}\n',
  'h.cc': 'namespace n {\nclass Box { void fit(); };\nvoid Box::fit() { fit(); }\n}\n',
  'i.php': '<?php\nclass A { const Z = 1; function go() {} }\nfunction helper() {}\n',
  'j.rb': 'module M\n  K = 1\n  class C\n    def go; end\n    def self.make; end\n  end\nend\n',
}

describe('outline', () => {
  const outlined = async (file: string): Promise<string> => {
    const root = write(folder(), FILES)
    return textOf(await call(client({ roots: [root] }), 'outline', { path: join(root, file) }))
  }

  test.each([
    [
      'a.ts',
      [
        '3-3 interface Shape (exported)',
        '4-4 type Id (exported)',
        '5-5 enum Color',
        '6-6 constant LIMIT (exported)',
        '7-7 function helper',
        '8-11 class Box (exported)',
        '  10-10 method open',
        '13-13 constant text',
      ],
    ],
    [
      'b.py',
      [
        '2-2 constant LIMIT (exported)',
        '3-4 class Store (exported)',
        '  4-4 function find',
        '5-5 function helper (exported)',
        '6-6 function _hidden',
      ],
    ],
    [
      'c.rs',
      [
        '1-1 struct P (exported)',
        '2-2 impl P',
        '  2-2 function new (exported)',
        '3-3 macro m',
        '4-4 module inner',
        '  4-4 function f',
      ],
    ],
    [
      'd.go',
      ['2-2 type T (exported)', '3-3 method Get (exported)', '4-4 function helper', '5-5 constant Max (exported)'],
    ],
    [
      'E.java',
      [
        '1-1 class E (exported)',
        '  1-1 field n',
        '  1-1 constructor E',
        '  1-1 method get (exported)',
        '  1-1 interface I',
      ],
    ],
    [
      'f.cs',
      [
        '1-1 namespace N',
        '  1-1 class F (exported)',
        '    1-1 property P (exported)',
        '    1-1 method M',
        '    1-1 enum K',
      ],
    ],
    ['g.c', ['1-1 macro MAX', '2-2 struct s', '3-3 type num', '4-7 function copy']],
    ['h.cc', ['1-4 namespace n', '  2-2 class Box', '  3-3 function Box::fit (exported)']],
    [
      'i.php',
      [
        '2-2 class A (exported)',
        '  2-2 constant Z (exported)',
        '  2-2 method go (exported)',
        '3-3 function helper (exported)',
      ],
    ],
    [
      'j.rb',
      [
        '1-7 module M (exported)',
        '  2-2 constant K (exported)',
        '  3-6 class C (exported)',
        '    4-4 method go (exported)',
        '    5-5 method make (exported)',
      ],
    ],
  ])('of %s', async (file, expected) => {
    expect((await outlined(file)).split('\n')).toEqual(expected)
  })

  test('comes in pages, and refuses what is no source', async () => {
    const root = write(folder(), { ...FILES, 'notes.txt': 'x' })
    const to = client({ roots: [root] })
    const page = await call(to, 'outline', { path: 'a.ts', limit: 2, offset: 3 })
    expect(page.structuredContent).toMatchObject({ total: 8, next: 5, definitions: { length: 2 } })
    expect(textOf(page)).toMatch(/3 more: offset 5$/)
    await expect(call(to, 'outline', { path: 'notes.txt' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/'path'.*in no language.*known endings/),
    })
  })
})

describe('find_symbol', () => {
  test('tells definitions from references, and leaves comments and strings out', async () => {
    const root = write(folder(), FILES)
    const to = client({ roots: [root] })
    const found = textOf(await call(to, 'find_symbol', { name: 'helper' }))
    expect(found.split('\n')).toEqual([
      "4 definitions, 3 references of 'helper'.",
      './a.ts:7: [function] const helper = (x: number) => x',
      './b.py:5: [function] def helper(): pass',
      './d.go:4: [function] func helper() int { return 1 }',
      './i.php:3: [function] function helper() {}',
      './a.ts:10: open(): void { helper(LIMIT) }',
      './b.py:4: def find(self): return helper()',
      './d.go:3: func (t *T) Get() int { return helper() }',
    ])
    const only = await call(to, 'find_symbol', { name: 'helper', which: 'references', toolchain: 'go' })
    expect(only.structuredContent).toMatchObject({ total: 1, places: [{ file: './d.go', line: 3 }] })
  })

  test('knows a method by its bare name, and words of C++ in C', async () => {
    const root = write(folder(), FILES)
    const to = client({ roots: [root] })
    const fit = await call(to, 'find_symbol', { name: 'fit' })
    expect(fit.structuredContent).toMatchObject({ summary: { definitions: 1, references: 2 } })
    const word = await call(to, 'find_symbol', { name: 'class', toolchain: 'c', project_path: 'g.c' })
    expect(textOf(word)).toContain('./g.c:4: static char *copy(const char *class)')
  })

  test('says so if there is nothing, and refuses what is no name', async () => {
    const root = write(folder(), FILES)
    const to = client({ roots: [root] })
    expect(textOf(await call(to, 'find_symbol', { name: 'nowhere' }))).toMatch(
      /'nowhere' does not occur in the code of 10 files/,
    )
    await expect(call(to, 'find_symbol', { name: 'a.b' })).rejects.toMatchObject({ code: -32602 })
  })
})

test('a line that has a name twice is listed once', async () => {
  const root = write(folder(), { 'a.ts': 'const size = 1\nexport const twice = size + size\n' })
  const result = await call(client({ roots: [root] }), 'find_symbol', { name: 'size', project_path: root })
  expect(textOf(result)).toMatch(/^1 definitions, 1 references of 'size'\./)
})
