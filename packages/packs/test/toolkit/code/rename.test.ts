import { describe, expect, test } from 'vitest'
import { call } from '../world.ts'
import { work } from './place.ts'
import type { Work } from './place.ts'

/** Rename, and give the files that changed. */
async function renamed(files: Record<string, string>, args: Record<string, unknown>): Promise<Record<string, string>> {
  const { say, read } = work(files)
  await say('rename_symbol', args)
  return Object.fromEntries(
    Object.keys(files).flatMap(file => (read(file) === files[file] ? [] : [[file, read(file)]])),
  )
}

/** What a rename is refused with; nothing may be written. */
async function refused(
  { to, read }: Work,
  files: Record<string, string>,
  args: Record<string, unknown>,
): Promise<string> {
  const { isError, content } = await call(to, 'rename_symbol', args)
  for (const [file, text] of Object.entries(files)) expect(read(file)).toBe(text)
  return isError === true ? (content as { text: string }[])[0]!.text : 'It was not refused'
}

describe('rename_symbol', () => {
  test('follows imports, and leaves what only looks alike', async () => {
    const files = {
      'src/pay.ts': '// pay in a comment\nexport function pay(x: number) { return x }\nexport const both = { pay }\n',
      'src/index.ts': "export { pay } from './pay'\n",
      'app.ts':
        "import { pay } from './src/index'\nimport * as all from './src/pay'\npay(1); all.pay(2)\nconst s = 'pay', o = { pay: 1 }\nfunction f(pay: number) { return pay }\n",
      'other.ts': "import { pay } from 'node:util'\nfunction g() { pay() }\n",
    }
    expect(await renamed(files, { name: 'pay', new_name: 'charge' })).toEqual({
      'src/pay.ts':
        '// pay in a comment\nexport function charge(x: number) { return x }\nexport const both = { pay: charge }\n',
      'src/index.ts': "export { charge } from './pay'\n",
      'app.ts':
        "import { charge } from './src/index'\nimport * as all from './src/pay'\ncharge(1); all.charge(2)\nconst s = 'pay', o = { pay: 1 }\nfunction f(pay: number) { return pay }\n",
    })
  })

  test('what a header of C makes static, and a method of Ruby outside of classes, are used by other files', async () => {
    const header = {
      'a.c': '#include "b.h"\nint main(void) { return help(); }\n',
      'b.h': 'static int help(void) { return 1; }\n',
    }
    expect(Object.keys(await renamed(header, { name: 'help', new_name: 'aid' }))).toEqual(['a.c', 'b.h'])
    const script = { 'a.rb': "require_relative 'b'\ndef run\n  help\nend\n", 'b.rb': 'def help\n  1\nend\n' }
    expect(Object.keys(await renamed(script, { name: 'help', new_name: 'aid' }))).toEqual(['a.rb', 'b.rb'])
  })

  test('components are read, but nothing is renamed in them', async () => {
    const files = {
      'b.ts': 'export function help() {}\nexport function word() {}\n',
      'A.vue':
        "<template>{{ word }} {{ help() }}</template>\n<script>\nimport { help } from './b'\nfunction own() {}\n</script>\n",
    }
    const here = work(files)
    expect(await refused(here, files, { name: 'help', new_name: 'aid' })).toContain('A.vue:3: a component imports it')
    expect(await refused(here, files, { name: 'own', new_name: 'mine' })).toContain('nothing is renamed in a component')
    expect(await here.say('rename_symbol', { name: 'word', new_name: 'term', dry_run: true })).toContain(
      'Not changed: 1 components that mention the name, such as A.vue.',
    )
    expect(await here.say('find_references', { name: 'help' })).toContain('A.vue:3: import')
  })

  test('in CommonJS, in Python, in Go, in Rust, in C and in Java', async () => {
    expect(
      await renamed(
        {
          'lib.js': 'function run() {}\nmodule.exports = { run }\n',
          'a.js': "const { run } = require('./lib')\nrun()\n",
          'b.js': "const lib = require('./lib')\nlib.run(); other.run()\n",
        },
        { name: 'run', new_name: 'start' },
      ),
    ).toEqual({
      'lib.js': 'function start() {}\nmodule.exports = { start }\n',
      'a.js': "const { start } = require('./lib')\nstart()\n",
      'b.js': "const lib = require('./lib')\nlib.start(); other.run()\n",
    })
    expect(
      await renamed(
        {
          'pkg/m.py': 'def load(x):\n    return load(x)\n',
          'use.py': 'from pkg.m import load\nimport pkg.m\nload(1)\npkg.m.load(2)\nf(load=3)\n',
          'own.py': 'def load(): pass\nload()\n',
        },
        { name: 'load', path: 'pkg/m.py', new_name: 'fetch' },
      ),
    ).toEqual({
      'pkg/m.py': 'def fetch(x):\n    return fetch(x)\n',
      'use.py': 'from pkg.m import fetch\nimport pkg.m\nfetch(1)\npkg.m.fetch(2)\nf(load=3)\n',
    })
    expect(
      await renamed(
        {
          'go.mod': 'module ex.org/m\n',
          'a/a.go': 'package a\nfunc Run() {}\n',
          'a/b.go': 'package a\nfunc f() { Run() }\n',
          'main.go': 'package main\nimport "ex.org/m/a"\nfunc Run() {}\nfunc main() { a.Run(); Run() }\n',
        },
        { name: 'Run', path: 'a', new_name: 'Go' },
      ),
    ).toEqual({
      'a/a.go': 'package a\nfunc Go() {}\n',
      'a/b.go': 'package a\nfunc f() { Go() }\n',
      'main.go': 'package main\nimport "ex.org/m/a"\nfunc Run() {}\nfunc main() { a.Go(); Run() }\n',
    })
    expect(
      await renamed(
        {
          'Cargo.toml': '[package]\nname = "my-app"\n',
          'src/lib.rs': 'mod db;\npub use db::open;\n',
          'src/db.rs': 'pub fn open() {}\nfn f() { let open = open(); }\n',
          'tests/t.rs': 'use my_app::open;\nfn t() { open(); std::fs::File::open("x"); }\n',
        },
        { name: 'open', new_name: 'connect' },
      ),
    ).toEqual({
      'src/lib.rs': 'mod db;\npub use db::connect;\n',
      'src/db.rs': 'pub fn connect() {}\nfn f() { let open = connect(); }\n',
      'tests/t.rs': 'use my_app::connect;\nfn t() { connect(); std::fs::File::open("x"); }\n',
    })
    expect(
      await renamed(
        {
          'a.h': 'int add(int a);\n',
          'a.c': '#include "a.h"\nint add(int a) { return a; }\n',
          'b.c': '#include "a.h"\nint f(void) { return add(1); }\n',
        },
        { name: 'add', path: 'a.c', new_name: 'plus' },
      ),
    ).toEqual({
      'a.h': 'int plus(int a);\n',
      'a.c': '#include "a.h"\nint plus(int a) { return a; }\n',
      'b.c': '#include "a.h"\nint f(void) { return plus(1); }\n',
    })
    expect(
      await renamed(
        {
          'Money.java': 'class Money { Money() {} void pay() { pay(); } }\n',
          'Shop.java': 'class Shop { void f(Money m) { m.pay(); new Money().pay(); } }\n',
        },
        { name: 'Money', new_name: 'Cash' },
      ),
    ).toEqual({
      'Money.java': 'class Cash { Cash() {} void pay() { pay(); } }\n',
      'Shop.java': 'class Shop { void f(Cash m) { m.pay(); new Cash().pay(); } }\n',
    })
  })

  test('members by the types that the text says', async () => {
    const files = {
      'm.ts':
        'export class Money { pay() { this.pay() } }\nexport class Bill { pay() {} }\nclass Tip extends Money { f() { this.pay() } }\n',
      'u.ts':
        "import { Money, Bill } from './m'\nconst m = new Money()\nm.pay()\nfunction f(b: Bill, x: Money) { b.pay(); x.pay() }\n",
    }
    expect(await renamed(files, { name: 'Money.pay', new_name: 'charge' })).toEqual({
      'm.ts':
        'export class Money { charge() { this.charge() } }\nexport class Bill { pay() {} }\nclass Tip extends Money { f() { this.charge() } }\n',
      'u.ts':
        "import { Money, Bill } from './m'\nconst m = new Money()\nm.charge()\nfunction f(b: Bill, x: Money) { b.pay(); x.charge() }\n",
    })
  })

  test('changes comments and strings only if asked; one undo takes it all back', async () => {
    const files = { 'a.js': '// pay\nexport function pay() {}\n', 'b.js': "import { pay } from './a.js'\npay('pay')\n" }
    const { say, read } = work(files)
    const args = { name: 'pay', new_name: 'charge' }
    expect(await say('rename_symbol', { ...args, dry_run: true })).toMatch(
      /^Would rename pay to charge: 3 places in 2 files\.\nLeft as they are: 1 in comments, 1 in strings\.\nSource: parser\.\n--- a\/a\.js/,
    )
    expect([read('a.js'), read('b.js')]).toEqual(Object.values(files))
    await say('rename_symbol', { ...args, also: ['comments', 'strings'] })
    expect(read('a.js') + read('b.js')).not.toContain('pay')
    expect(await say('undo_edit', {})).toBe('Undid rename_symbol of 2 files: a.js, b.js are as they were before.')
    expect([read('a.js'), read('b.js')]).toEqual(Object.values(files))
  })

  test.each([
    [
      'a receiver of unknown type',
      { 'a.ts': 'class A { go() {} }\nclass B { go() {} }\nexport const f = (x: any) => x.go()\n' },
      { name: 'A.go', new_name: 'run' },
      /a\.ts:3: the type of 'x' is not known, and B \(a\.ts:2\) has one too/,
    ],
    [
      'what types of the language have',
      { 'a.js': 'class A { push() {} }\nfunction f(list) { list.push(1) }\n' },
      { name: 'A.push', new_name: 'add' },
      /types of javascript have one too/,
    ],
    [
      'an override',
      { 'a.py': 'class A:\n    def go(self): pass\nclass B(A):\n    def go(self): pass\n' },
      { name: 'A.go', new_name: 'run' },
      /a related type has a member/,
    ],
    [
      'a taken name',
      { 'a.js': 'function a() {}\nfunction b() {}\na()\n' },
      { name: 'a', new_name: 'b' },
      /the new name is there already/,
    ],
    [
      'an alias that leads nobody knows where',
      { 'a.ts': 'export function go() {}\n', 'b.ts': "import { go } from '@app/a'\ngo()\n" },
      { name: 'go', new_name: 'run' },
      /not known what '@app\/a' leads to/,
    ],
    [
      'a word of the language',
      { 'a.py': 'def go(): pass\n' },
      { name: 'go', new_name: 'class' },
      /'class' cannot be the new name: it is a word of the language/,
    ],
    ['no name', { 'a.py': 'def go(): pass\n' }, { name: 'go', new_name: '1a' }, /no digit first/],
    [
      "the operator's file",
      { 'keep.js': 'export function go() {}\n', 'b.js': "import { go } from './keep.js'\ngo()\n" },
      { name: 'go', new_name: 'run' },
      /configures this server/,
    ],
  ])('is refused as a whole: %s', async (_, files, args, why) => {
    const place = work(files, ['keep.js'])
    expect(await refused(place, files, args)).toMatch(why)
  })
})

describe('find_references and call_hierarchy', () => {
  const FILES = {
    'a.ts':
      "export function pay() {}\n// pay\nfunction shop() { pay() }\nclass Till { ring() { shop(); pay() } }\nconst s = 'pay'\n",
    'b.ts': "import { pay } from './a'\nexport const f = pay\n",
  }

  test('tells calls, uses, imports, comments and strings apart', async () => {
    const { say, to } = work(FILES)
    expect((await say('find_references', { name: 'pay' })).split('\n')).toEqual([
      "'pay': 2 calls, 1 uses, 1 imports, 1 comments, 1 strings in 2 files read.",
      'a.ts:3: call in shop: function shop() { pay() }',
      'a.ts:4: call in Till.ring: class Till { ring() { shop(); pay() } }',
      'b.ts:2: use in f: export const f = pay',
      "b.ts:1: import: import { pay } from './a'",
      'Source: parser.',
    ])
    const { structuredContent } = await call(to, 'find_references', { name: 'pay', kinds: ['comments', 'strings'] })
    expect(structuredContent).toMatchObject({
      references: [
        { line: 2, kind: 'comments' },
        { line: 5, kind: 'strings' },
      ],
    })
  })

  test('goes up through callers, and down to callees', async () => {
    const { say } = work(FILES)
    expect((await say('call_hierarchy', { name: 'pay', depth: 2 })).split('\n')).toEqual([
      "Callers of 'pay':",
      'shop a.ts:3',
      '  Till.ring a.ts:4',
      'Till.ring a.ts:4',
      'Source: parser.',
    ])
    expect((await say('call_hierarchy', { name: 'Till.ring', direction: 'callees' })).split('\n')).toEqual([
      'What Till.ring calls:',
      'shop (line 4): a.ts:3 shop',
      'pay (line 4): a.ts:1 pay',
      'Source: parser.',
    ])
  })
})
