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
  'u.sh': 'LIMIT=3\nexport HOME_DIR=x\nrun() {\n  local one=1\n  if a && b; then c; fi\n}\nfunction go { run; }\n',
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

const MORE = {
  'k.js': `
const http = require('http')
var app = exports = module.exports = {}
app.handle = function handle(req, res) {}
app.init =
app.setup = () => {}
exports.make = function make() { return class {} }
Widget.prototype.draw = async function (canvas) {}
module.exports = { start() {}, stop: function () {}, size: 1 }
class Box { #lid = 1; open = (wide) => wide; static of() {} }
define(req, 'ip', function ip() {})
function Old() { this.grow = function () {} }
`,
  'l.ts': `
declare function parse(text: string): Ast
function over(a: string): void
function over(a: number): void
function over(a: unknown) {}
abstract class Shape { constructor(private size: number, b = 1) {} abstract area(): number; @log() draw() {} }
`,
  'm.cc': `
DEFINE_TASK(sweep) { return 1; }
TEST(Suite, Name) { }
class Log { Status Flush() override LOCKS_EXCLUDED(mutex_) { return 1; } bool operator==(const Log& o) const; };
void n::Log::Write(int a) const {}
static int (*hook)(int), limit = 3;
int declared(int);
`,
  'n.c':
    'int old(a, b) int a; char *b; { return a; }\nYY_DECL\n{\n  int local;\n}\nstatic const char *const colors[] = { "a" };\n',
  'o.go':
    'package m\ntype S[T any] struct { A, B int }\ntype I interface { Do(x int) error }\nfunc (s *S[T]) Get(k string) (T, error) { return s.a }\n',
  'p.rs':
    'enum E { A, B(u8) }\nimpl std::fmt::Display for E { fn fmt(&self) {} }\nimpl E { const MAX: u8 = 1; }\nmod other;\n',
  'q.py':
    'class A:\n    size: int = 1\n    def __init__(self, x):\n        self.x = x\n        y = 2\n    @property\n    def z(self): return self.x\nX, Y = 1, 2\n',
  'r.rb': 'class A::B\n  attr_accessor :x, :y\n  alias_method :old, :new\n  def each(&block); end\nend\n',
  's.cs': 'namespace A.B;\npublic class F { event Action E; ~F() {} int x, y; enum K { A, B } }\n',
  'T.java':
    'enum T { A, B; final int code = 1; @Override public String toString() { return ""; } }\n@interface Z { String value(); }\n',
}

describe('outline', () => {
  const outlined = async (file: string): Promise<string> => {
    const root = write(folder(), { ...FILES, ...MORE })
    return textOf(await call(client({ roots: [root] }), 'outline', { path: join(root, file) }))
  }

  test.each([
    [
      'a.ts',
      [
        '3-3 interface Shape (exported)',
        '  3-3 property size',
        '4-4 type Id (exported)',
        '5-5 enum Color',
        '  5-5 enumerator red',
        '6-6 constant LIMIT (exported)',
        '7-7 function helper(x: number)',
        '8-11 class Box (exported)',
        '  9-9 field #field',
        '  10-10 method open(): void',
        '13-13 constant text',
      ],
    ],
    [
      'b.py',
      [
        '2-2 constant LIMIT (exported)',
        '3-4 class Store (exported)',
        '  4-4 method find(self)',
        '5-5 function helper() (exported)',
        '6-6 function _hidden()',
      ],
    ],
    [
      'c.rs',
      [
        '1-1 struct P (exported)',
        '  1-1 field a',
        '2-2 impl P',
        '  2-2 method new() -> Self (exported)',
        '3-3 macro m',
        '4-4 module inner',
        '  4-4 function f()',
      ],
    ],
    [
      'u.sh',
      ['1-2 constants LIMIT, HOME_DIR (2) (exported)', '3-6 function run() (exported)', '7-7 function go (exported)'],
    ],
    [
      'd.go',
      [
        '2-2 struct T (exported)',
        '3-3 method T.Get() int (exported)',
        '4-4 function helper() int',
        '5-5 constant Max (exported)',
      ],
    ],
    [
      'E.java',
      [
        '1-1 class E (exported)',
        '  1-1 field n',
        '  1-1 constructor E()',
        '  1-1 method get() (exported)',
        '  1-1 interface I',
      ],
    ],
    [
      'f.cs',
      [
        '1-1 namespace N',
        '  1-1 class F (exported)',
        '    1-1 property P (exported)',
        '    1-1 method M()',
        '    1-1 enum K',
        '      1-1 enumerator A',
      ],
    ],
    ['g.c', ['1-1 macro MAX', '2-2 struct s', '  2-2 field a', '3-3 type num', '4-7 function copy(const char *class)']],
    ['h.cc', ['1-4 namespace n', '  2-2 class Box', '    2-2 method fit()', '  3-3 function Box.fit() (exported)']],
    [
      'i.php',
      [
        '2-2 class A (exported)',
        '  2-2 constant Z (exported)',
        '  2-2 method go() (exported)',
        '3-3 function helper() (exported)',
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
    [
      'k.js',
      [
        '3-3 variable app',
        '4-4 method app.handle(req, res)',
        '5-6 method app.init()',
        '6-6 method app.setup()',
        '7-7 function make() (exported)',
        '8-8 method Widget.draw(canvas)',
        '9-9 method start()',
        '9-9 method stop()',
        '10-10 class Box',
        '  10-10 field #lid',
        '  10-10 method open(wide)',
        '  10-10 method of()',
        '11-11 function ip()',
        '12-12 function Old()',
        '  12-12 method grow()',
        '2-2 import http',
      ],
    ],
    [
      'l.ts',
      [
        '2-2 function parse(text: string): Ast',
        '3-3 function over(a: string): void',
        '4-4 function over(a: number): void',
        '5-5 function over(a: unknown)',
        '6-6 class Shape',
        '  6-6 method constructor(private size: number, b = 1)',
        '  6-6 field size',
        '  6-6 method area(): number',
        '  6-6 method draw()',
      ],
    ],
    [
      'm.cc',
      [
        '2-2 function sweep (exported)',
        '3-3 function Name (exported)',
        '4-4 class Log',
        '  4-4 method Flush() override LOCKS_EXCLUDED(mutex_) (exported)',
        '  4-4 method operator==(const Log& o) const',
        '5-5 function n.Log.Write(int a) const (exported)',
        '6-6 variables hook, limit',
        '7-7 prototype declared(int)',
      ],
    ],
    [
      'n.c',
      ['1-1 function old(a, b) int a; char *b (exported)', '2-5 function YY_DECL (exported)', '6-6 variable colors'],
    ],
    [
      'o.go',
      [
        '2-2 struct S (exported)',
        '  2-2 fields A, B (exported)',
        '3-3 interface I (exported)',
        '  3-3 method Do(x int) error (exported)',
        '4-4 method S.Get(k string) (T, error) (exported)',
      ],
    ],
    [
      'p.rs',
      [
        '1-1 enum E',
        '  1-1 enumerators A, B',
        '2-2 impl std::fmt::Display for E',
        '  2-2 method fmt(&self)',
        '3-3 impl E',
        '  3-3 constant MAX',
        '4-4 import other',
      ],
    ],
    [
      'q.py',
      [
        '1-7 class A (exported)',
        '  2-2 field size',
        '  3-5 method __init__(self, x)',
        '  4-4 field x',
        '  7-7 method z(self)',
        '8-8 constants X, Y (exported)',
      ],
    ],
    [
      'r.rb',
      [
        '1-5 class A.B (exported)',
        '  2-2 attributes x, y (exported)',
        '  3-3 method old (exported)',
        '  4-4 method each(&block) (exported)',
      ],
    ],
    [
      's.cs',
      [
        '1-1 namespace A.B',
        '2-2 class F (exported)',
        '  2-2 event E',
        '  2-2 method F()',
        '  2-2 fields x, y',
        '  2-2 enum K',
        '    2-2 enumerators A, B',
      ],
    ],
    [
      'T.java',
      [
        '1-1 enum T',
        '  1-1 enumerators A, B',
        '  1-1 field code',
        '  1-1 method toString() (exported)',
        '2-2 interface Z',
        '  2-2 method value()',
      ],
    ],
  ])('of %s', async (file, expected) => {
    expect((await outlined(file)).split('\n')).toEqual(expected)
  })

  test('of a directory is one of the directory', async () => {
    const root = write(folder(), { 'lib/a.ts': FILES['a.ts'], 'lib/b.py': FILES['b.py'], 'lib/c.kt': 'fun a() {}' })
    const page = await call(client({ roots: [root] }), 'outline', { path: 'lib', limit: 3, offset: 4 })
    expect(textOf(page).split('\n')).toEqual([
      'lib/a.ts',
      '  7-7 function helper(x: number)',
      '  8-11 class Box (exported)',
      '  13-13 constant text',
      '4 more: offset 7',
      'Not read, since no parser here knows the language: 1 Kotlin file.',
    ])
    expect(page.structuredContent).toMatchObject({ total: 11, definitions: [{ file: 'lib/a.ts' }, {}, {}] })
  })
  test('comes in pages, and refuses what is no source', async () => {
    const root = write(folder(), { ...FILES, 'notes.txt': 'x' })
    const to = client({ roots: [root] })
    const page = await call(to, 'outline', { path: 'a.ts', limit: 2, offset: 3 })
    expect(page.structuredContent).toMatchObject({ total: 11, next: 5, definitions: { length: 2 } })
    expect(textOf(page)).toMatch(/6 more: offset 5$/)
    await expect(call(to, 'outline', { path: 'notes.txt' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/'path'.*in no language.*known endings/),
    })
  })
})

describe('find_symbol', () => {
  test('knows members by qualified names, and puts imports last', async () => {
    const root = write(folder(), {
      'a.ts': "import { Money } from './m'\nexport const x = new Money().pay()\n",
      'm.ts': 'export class Money { pay() {} }\nclass Bill { pay() {} }\n',
      'w.cc': 'void Widget::draw() {}\n',
      'app.js': 'app.handle = function handle() {}\nother.handle = () => app.handle()\n',
    })
    const to = client({ roots: [root] })
    const lines = async (name: string): Promise<string[]> =>
      textOf(await call(to, 'find_symbol', { name }))
        .split('\n')
        .slice(1, -1)
    expect(await lines('Money.pay')).toEqual([
      'm.ts:1: [method] export class Money { pay() {} }',
      'a.ts:2: export const x = new Money().pay()',
    ])
    expect(await lines('Widget::draw')).toEqual(['w.cc:1: [function] void Widget::draw() {}'])
    expect(await lines('app.handle')).toEqual([
      'app.js:1: [method] app.handle = function handle() {}',
      'app.js:2: other.handle = () => app.handle()',
    ])
    expect(await lines('Money')).toEqual([
      'm.ts:1: [class] export class Money { pay() {} }',
      'a.ts:2: export const x = new Money().pay()',
      "a.ts:1: import { Money } from './m'",
    ])
  })

  test('tells definitions from references, and leaves comments and strings out', async () => {
    const root = write(folder(), FILES)
    const to = client({ roots: [root] })
    const found = textOf(await call(to, 'find_symbol', { name: 'helper' }))
    expect(found.split('\n')).toEqual([
      "4 definitions, 3 references of 'helper'.",
      'a.ts:7: [function] const helper = (x: number) => x',
      'b.py:5: [function] def helper(): pass',
      'd.go:4: [function] func helper() int { return 1 }',
      'i.php:3: [function] function helper() {}',
      'a.ts:10: open(): void { helper(LIMIT) }',
      'b.py:4: def find(self): return helper()',
      'd.go:3: func (t *T) Get() int { return helper() }',
      'Source: parser.',
    ])
    const only = await call(to, 'find_symbol', { name: 'helper', which: 'references', toolchain: 'go' })
    expect(only.structuredContent).toMatchObject({ total: 1, places: [{ file: 'd.go', line: 3 }] })
  })

  test('knows a method by its bare name, and words of C++ in C', async () => {
    const root = write(folder(), FILES)
    const to = client({ roots: [root] })
    const fit = await call(to, 'find_symbol', { name: 'fit' })
    expect(fit.structuredContent).toMatchObject({ summary: { definitions: 2, references: 1 } })
    const word = await call(to, 'find_symbol', { name: 'class', toolchain: 'c', project_path: 'g.c' })
    expect(textOf(word)).toContain('g.c:4: static char *copy(const char *class)')
  })

  test('says so if there is nothing, and refuses what is no name', async () => {
    const root = write(folder(), FILES)
    const to = client({ roots: [root] })
    expect(textOf(await call(to, 'find_symbol', { name: 'nowhere' }))).toMatch(
      /'nowhere' does not occur in the code of 11 files/,
    )
    for (const name of ['a(b)', 'two words here', 'a;b'])
      await expect(call(to, 'find_symbol', { name })).rejects.toMatchObject({ code: -32602 })
  })

  test('takes a name with the parentheses of a call', async () => {
    const to = client({ roots: [write(folder(), { 'a.ts': 'export function go(): void {}\n' })] })
    expect(textOf(await call(to, 'find_symbol', { name: 'go()' }))).toMatch(/^1 definitions, 0 references/)
  })
})

test('a line that has a name twice is listed once', async () => {
  const root = write(folder(), { 'a.ts': 'const size = 1\nexport const twice = size + size\n' })
  const result = await call(client({ roots: [root] }), 'find_symbol', { name: 'size', project_path: root })
  expect(textOf(result)).toMatch(/^1 definitions, 1 references of 'size'\./)
})
