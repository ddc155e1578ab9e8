import { describe, expect, test } from 'vitest'
import { call, client, folder, write } from './world.ts'

interface Answer {
  readonly summary: Record<string, unknown>
  readonly note?: string
  readonly cycles: readonly { readonly path: readonly string[]; readonly types_only?: boolean }[]
  readonly unresolved?: readonly { readonly file: string; readonly line: number; readonly import: string }[]
  readonly uses: { readonly nodes: readonly string[] }
  readonly packages?: readonly string[]
  readonly not_read?: Record<string, number>
  readonly exports: readonly { readonly name: string }[]
}

type Files = Readonly<Record<string, string>>

async function ask(files: Files, args: Record<string, unknown> = {}, tool = 'analyze_dependencies'): Promise<Answer> {
  const root = write(folder(), files)
  const { structuredContent } = await call(client({ roots: [root] }), tool, { path: '.', ...args })
  return structuredContent as Answer
}

const uses = async (files: Files, of: string): Promise<readonly string[]> => (await ask(files, { of })).uses.nodes

describe('JavaScript and TypeScript', () => {
  test('paths of a tsconfig, with what it extends, and baseUrl', async () => {
    const files = {
      'tsconfig.base.json':
        '{ "compilerOptions": { "paths": { "@app/*": ["./src/*"], "exact": ["./src/exact.ts"] } } }',
      'tsconfig.json': '// why\n{ "extends": "./tsconfig.base", }',
      'web/tsconfig.json': '{ "extends": ["../tsconfig.json"], "compilerOptions": { "baseUrl": "code" } }',
      'src/a.ts': "import '@app/deep/b'\nimport x from 'exact'",
      'src/deep/b.ts': '',
      'src/exact.ts': '',
      'web/code/plain.ts': '',
      'web/main.ts': "import 'plain'\nimport '@app/a'",
    }
    expect(await uses(files, 'src/a.ts')).toEqual(['src/deep/b.ts', 'src/exact.ts'])
    expect(await uses(files, 'web/main.ts')).toEqual(['src/a.ts', 'web/code/plain.ts'])
  })

  test('files that extend each other, without end', async () => {
    const files = {
      'tsconfig.json': '{ "extends": ["./a.json", "./b.json"], "compilerOptions": { "paths": { "x": ["./x.ts"] } } }',
      'a.json': '{ "extends": ["./b.json", "./tsconfig.json"] }',
      'b.json': '{ "extends": ["./a.json", "./tsconfig.json"] }',
      'y.ts': "import 'x'",
      'x.ts': '',
    }
    expect(await uses(files, 'y.ts')).toEqual(['x.ts'])
  })

  test('packages of the repository by exports, by main, by what they are built from, and by themselves', async () => {
    const files = {
      'package.json': '{ "workspaces": ["packages/*"] }',
      'packages/a/package.json':
        '{ "name": "@x/a", "exports": { ".": { "types": "./dist/index.d.ts", "import": "./dist/index.js" }, "./parts/*": "./dist/parts/*.js" } }',
      'packages/a/src/index.ts': '',
      'packages/a/src/parts/one.ts': "import '@x/a'",
      'packages/b/package.json':
        '{ "name": "b", "main": "lib/start", "imports": { "#in/*": "./src/in/*.ts", "#a": "@x/a" } }',
      'packages/b/lib/start.js': '',
      'packages/b/src/in/deep.ts': '',
      'packages/b/src/use.ts':
        "import '@x/a'\nimport '@x/a/parts/one'\nimport 'b'\nimport '#in/deep'\nexport {} from '#a'",
    }
    expect(await uses(files, 'packages/b/src/use.ts')).toEqual([
      'packages/a/src/index.ts',
      'packages/a/src/parts/one.ts',
      'packages/b/lib/start.js',
      'packages/b/src/in/deep.ts',
    ])
    expect(await uses(files, 'packages/a/src/parts/one.ts')).toEqual(['packages/a/src/index.ts'])
  })

  test('single-file components are read, and found', async () => {
    const files = {
      'main.ts': "import App from './App.vue'\nimport Card from './Card.svelte'",
      'App.vue':
        '<!-- <script>import "./not"</script> -->\n<template><p>{{ import("./no") }}</p></template>\n<script setup lang="ts">\nimport { one } from "./one"\n</script>',
      'Card.svelte': '<script>\n  import Inner from "./Inner.svelte"\n</script>\n<Inner />',
      'Inner.svelte': '<p>inner</p>',
      'one.ts': 'export const one = 1',
    }
    expect(await uses(files, 'main.ts')).toEqual(['App.vue', 'Card.svelte'])
    expect(await uses(files, 'App.vue')).toEqual(['one.ts'])
    const { summary, not_read: unread } = await ask(files)
    expect(summary).toMatchObject({ nodes: 5, edges: 4, unresolved: 0 })
    expect(unread).toBeUndefined()
  })

  test('a circle of types alone is told apart', async () => {
    const { cycles } = await ask({
      'a.ts': "import type { B } from './b'\nexport interface A { b: B }",
      'b.ts': "import { type A } from './a'\nexport interface B { a: A }",
      'c.ts': "import { d } from './d'",
      'd.ts': "import { c } from './c'",
    })
    expect(cycles.map(({ path, types_only: isOfTypes = false }) => [path[0], isOfTypes])).toEqual([
      ['a.ts', true],
      ['c.ts', false],
    ])
  })

  test('what leads nowhere is counted and named; packages, assets and modules of Node are none of it', async () => {
    const answer = await ask({
      'package.json': '{ "dependencies": { "lodash": "1" } }',
      'a.ts':
        "import 'lodash/fp'\nimport 'node:fs'\nimport 'path'\nimport './style.css'\nimport './gone'\nimport 'unlisted'",
      'style.css': '',
    })
    expect(answer.unresolved).toEqual([
      { file: 'a.ts', line: 5, import: './gone' },
      { file: 'a.ts', line: 6, import: 'unlisted' },
    ])
    expect(answer.summary).toEqual({ nodes: 1, edges: 0, packages: 3, unresolved: 2 })
    expect(answer.note).toContain('2 imports that could not be resolved')
  })
})

describe('other languages', () => {
  const CRATES = {
    'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n',
    'crates/core-lib/Cargo.toml': '[package]\nname = "core-lib"\n',
    'crates/core-lib/src/lib.rs':
      'mod db;\npub mod deep;\npub use db::{Db, open as start};\npub use deep::*;\npub struct Own;\n#[path = "odd/place.rs"]\nmod placed;\nmod inner { pub mod below; use super::Own; }\n',
    'crates/core-lib/src/db.rs': 'pub struct Db;\npub fn open() {}\n',
    'crates/core-lib/src/deep/mod.rs': 'pub mod part;\npub fn dive() {}\n',
    'crates/core-lib/src/deep/part.rs': 'use super::dive;\nuse crate::{Db, inner::below::Low};\n',
    'crates/core-lib/src/odd/place.rs': 'pub fn f() { crate::deep::part::gone(); }\n',
    'crates/core-lib/src/inner/below.rs': 'pub struct Low;\n',
    'crates/app/Cargo.toml':
      '[package]\nname = "app"\n[dependencies]\nbase = { package = "core-lib", path = "../core-lib" }\nserde = "1"\n',
    'crates/app/src/main.rs':
      'use base::{Db, start, dive};\nuse serde::Serialize;\nfn main() { base::deep::part::x(); }\n',
  }

  test('Rust: use trees, re-exports, modules in files and out of place, crates of a workspace', async () => {
    const core = 'crates/core-lib/src/'
    expect(await uses(CRATES, 'crates/app/src/main.rs')).toEqual([
      `${core}db.rs`,
      `${core}deep/mod.rs`,
      `${core}deep/part.rs`,
    ])
    expect(await uses(CRATES, `${core}deep/part.rs`)).toEqual([
      `${core}db.rs`,
      `${core}deep/mod.rs`,
      `${core}inner/below.rs`,
    ])
    expect(await uses(CRATES, `${core}odd/place.rs`)).toEqual([`${core}deep/part.rs`])
    expect((await ask(CRATES, { of: 'crates/app/src/main.rs' })).packages).toEqual(['serde'])
    // A module is a part of what declares it; that is no circle.
    expect((await ask(CRATES)).cycles.map(({ path }) => path)).toEqual([])
  })

  test('Python: namespace packages, src layout, roots of pyproject.toml, the standard library', async () => {
    const files = {
      'pyproject.toml': '[tool.setuptools.packages.find]\nwhere = ["py"]\n',
      'src/pkg/__init__.py': 'from .core import run\n',
      'src/pkg/core.py': 'import typing\nfrom . import (\n  util,  # why, indeed\n  VERSION,\n)\n',
      'src/pkg/util.py': '',
      'src/space/part/mod.py': 'import json\n',
      'py/other/__init__.py': '',
      'tests/typing/data.py': '',
      'tests/test_a.py':
        'import space.part.mod, other\nfrom pkg import core, run\nimport typing\nimport requests\nimport pkg.gone\n',
    }
    const { uses: used, packages, unresolved } = await ask(files, { of: 'tests/test_a.py' })
    expect(used.nodes).toEqual([
      'py/other/__init__.py',
      'src/pkg/__init__.py',
      'src/pkg/core.py',
      'src/space/part/mod.py',
    ])
    expect(packages).toEqual(['requests', 'typing'])
    expect(unresolved).toEqual([{ file: 'tests/test_a.py', line: 5, import: 'import pkg.gone' }])
    expect(await uses(files, 'src/pkg/core.py')).toEqual(['src/pkg/__init__.py', 'src/pkg/util.py'])
  })

  test('Go: several modules, and what a module is replaced by', async () => {
    const files = {
      'go.work': 'use (\n./a\n./b\n)\n',
      'a/go.mod': 'module example.org/a\n\nreplace example.org/old v1.0.0 => ../third // why\n',
      'a/main.go':
        'package main\nimport (\n"fmt"\n"example.org/b/part"\n"example.org/old/x"\n"example.org/a/gone"\n)\n',
      'b/go.mod': 'module example.org/b\n',
      'b/part/p.go': 'package part',
      'third/x/x.go': 'package x',
    }
    expect(await uses(files, 'a/main.go')).toEqual(['b/part/p.go', 'third/x/x.go'])
    expect((await ask(files)).unresolved).toEqual([{ file: 'a/main.go', line: 6, import: 'example.org/a/gone' }])
  })

  test('C: where the compiler is told to look, and what is the system', async () => {
    const root = folder()
    write(root, {
      'build/compile_commands.json': JSON.stringify([
        {
          directory: `${root}/build`,
          file: '../code/a.c',
          command: 'cc -I../one -isystem "../two dirs" -c ../code/a.c',
        },
        { directory: root, file: 'code/b.c', arguments: ['cc', '-iquote', 'two dirs', '-c', 'code/b.c'] },
      ]),
      '.gitignore': 'build\n',
      'code/a.c':
        '#include "same.h"\n#include <far/only.h>\n#include <stdio.h>\n#include "string.h"\n/*\n#include "commented.h"\n*/\n',
      'code/b.c': '#include "same.h"\n#include "missing.h"\n',
      'one/same.h': '',
      'two dirs/same.h': '',
      'two dirs/far/only.h': '',
    })
    const of = async (file: string): Promise<Answer> =>
      (await call(client({ roots: [root] }), 'analyze_dependencies', { path: '.', of: file }))
        .structuredContent as Answer
    expect((await of('code/a.c')).uses.nodes).toEqual(['one/same.h', 'two dirs/far/only.h'])
    expect(await of('code/b.c')).toMatchObject({
      uses: { nodes: ['two dirs/same.h'] },
      unresolved: [{ file: 'code/b.c', line: 2, import: 'missing.h' }],
    })
  })

  test('C#: types by namespace, without a file being named', async () => {
    const files = {
      'A.cs':
        'global using Shared.Tools;\nnamespace App;\nclass A { Helper h; Inner.Thing t; string Text; // Unused\n void F() { var x = new Wide(); Method(); } }',
      'Helper.cs': 'namespace App { public class Helper {} }',
      'Wide.cs': 'namespace Shared.Tools { public class Wide {} public class Text {} }',
      'Unused.cs': 'namespace App; public class Unused {}',
      'Far.cs': 'namespace Elsewhere; public class Helper {}',
      'B.cs': 'using static App.Helper;\nusing System.Text;\nnamespace Other; class B {}',
    }
    expect(await uses(files, 'A.cs')).toEqual(['Helper.cs', 'Wide.cs'])
    expect(await uses(files, 'B.cs')).toEqual(['Helper.cs'])
  })

  test('Java: packages need no import, and files may stand anywhere', async () => {
    const files = {
      'one/A.java':
        'package a.b;\nimport c.*;\nimport static d.D.run;\nimport a.b.Gone;\nclass A { Near n; Star s; /* Hidden */ }',
      'two/Near.java': 'package a.b; class Near {}',
      'two/Hidden.java': 'package a.b; class Hidden {}',
      'two/Star.java': 'package c; public class Star {}',
      'two/D.java': 'package d; public class D { public static void run() {} }',
    }
    expect(await uses(files, 'one/A.java')).toEqual(['two/D.java', 'two/Near.java', 'two/Star.java'])
    expect((await ask(files)).unresolved).toEqual([{ file: 'one/A.java', line: 4, import: 'import a.b.Gone;' }])
  })

  test('PHP and shell', async () => {
    const files = {
      'src/A.php': "<?php\nnamespace App;\nuse Lib\\{B, C as D};\nrequire __DIR__ . '/x.php';\nclass A extends Near {}",
      'src/Near.php': '<?php namespace App; class Near {}',
      'lib/B.php': '<?php namespace Lib; class B {}',
      'lib/C.php': '<?php namespace Lib { class C {} }',
      'src/x.php': '<?php',
      'run.sh': '. ./lib.sh\nsource "$(dirname "$0")/deep/more.sh"\n',
      'lib.sh': '',
      'deep/more.sh': '',
    }
    expect(await uses(files, 'src/A.php')).toEqual(['lib/B.php', 'lib/C.php', 'src/Near.php', 'src/x.php'])
    expect(await uses(files, 'run.sh')).toEqual(['deep/more.sh', 'lib.sh'])
  })
})

describe('what an answer covers', () => {
  test('no cycle is said of what was not read', async () => {
    const answer = await ask({ 'a.ts': '', 'b.hs': 'main = 1' })
    expect(answer.summary).toEqual({ nodes: 1, edges: 0, packages: 0, unresolved: 0 })
    expect(answer).toMatchObject({ note: expect.stringContaining('1 Haskell file'), not_read: { Haskell: 1 } })
    expect((await ask({ 'a.ts': '' })).summary).toMatchObject({ cycles: 0 })
  })

  test('a file is looked at in its root, a directory with what is known above it', async () => {
    const files = {
      'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
      'src/in/a.ts': "import '@/in/b'\nimport '@/out'",
      'src/in/b.ts': '',
      'src/out.ts': '',
    }
    expect(await ask(files, { path: 'src/in/a.ts' })).toMatchObject({
      node: 'src/in/a.ts',
      uses: { nodes: ['src/in/b.ts', 'src/out.ts'] },
    })
    expect((await ask(files, { path: 'src/in' })).summary).toEqual({
      nodes: 2,
      edges: 1,
      cycles: 0,
      packages: 0,
      unresolved: 0,
      leading_out: 1,
    })
  })

  test('all edges and all that leads nowhere, page by page', async () => {
    const files = {
      'a.ts': "import './b'\nimport type {} from './c'\nimport './x'\nimport './y'",
      'b.ts': '',
      'c.ts': '',
    }
    expect(await ask(files, { show: 'edges' })).toEqual({
      total: 2,
      edges: [
        { from: 'a.ts', to: 'b.ts' },
        { from: 'a.ts', to: 'c.ts', only: 'types' },
      ],
    })
    expect(await ask(files, { show: 'unresolved', limit: 1 })).toMatchObject({ total: 2, next: 1 })
  })
})

describe('dead exports', () => {
  const dead = async (files: Files): Promise<string[]> =>
    (await ask(files, {}, 'find_dead_exports')).exports.map(({ name }) => name)

  test('a mention in a comment is no use; templates, decorators and programs are life', async () => {
    const files = {
      'a.ts':
        'export function inTemplate() {}\nexport function inComment() {}\nexport function inHtml() {}\n@register\nexport class Marked {}',
      'b.ts': '// inComment\n/* inComment */',
      'App.vue': '<template><p @click="inTemplate" /></template><script>export const own = 1</script>',
      'page.html': '<!-- inComment --><p onclick="inHtml()">',
      'c.py': '@app.route("/")\ndef view():\n  pass\n\n@functools.lru_cache(\n  maxsize=1)\ndef cached():\n  pass\n',
      'tool.py': '#!/usr/bin/env python3\nLIMIT = 1\n',
      'docs/conf.py': 'project_name = 1\n',
    }
    expect(await dead(files)).toEqual(['inComment', 'cached'])
  })

  test('what packages offer is for others, with all that is given on', async () => {
    const files = {
      'package.json': '{ "name": "p", "exports": { "./api": "./dist/api.js" }, "bin": { "p": "./run.js" } }',
      'src/api.ts': "export * from './shared'\nexport const direct = 1",
      'src/shared.ts': "export * from './deep'\nexport const shared = 1",
      'src/deep.ts': 'export const deep = 1',
      'src/rest.ts': 'export const rest = 1',
      'run.js': 'export const ran = 1',
      'r/Cargo.toml': '[package]\nname = "r"\n',
      'r/src/lib.rs': 'pub mod open;\nmod hidden;\n',
      'r/src/open.rs': 'pub fn offered() {}\n',
      'r/src/hidden.rs': 'pub fn unseen() {}\n',
      'g/go.mod': 'module g\n',
      'g/lib/l.go': 'package lib\nfunc Offered() {}\n',
      'g/internal/i.go': 'package i\nfunc Inner() {}\n',
    }
    expect(await dead(files)).toEqual(['Inner', 'unseen', 'rest'])
  })
})

test('every analysis says what it did not read, in every format', async () => {
  const root = write(folder(), { 'a.ts': 'export function f(a) { return a && f(a) }', 'b.hs': 'main = 1' })
  const to = client({ roots: [root] })
  const said = async (tool: string, args: Record<string, unknown> = {}): Promise<string> =>
    JSON.stringify(await call(to, tool, { path: '.', ...args }))
  const formats = ['summary', 'full', 'json', 'sarif', 'markdown', 'csv']
  for (const format of formats) expect(await said('analyze_complexity', { format })).toContain('Haskell')
  const rest = ['outline', 'find_duplicates', 'find_dead_exports', 'analyze_dependencies', 'analyze_directories']
  for (const tool of rest) expect(await said(tool)).toContain('Haskell')
  for (const tool of ['find_symbol', 'find_references', 'call_hierarchy'])
    expect(await said(tool, { name: 'f' })).toContain('Haskell')
})

test('functions are named as an outline names them, in components too', async () => {
  const root = write(folder(), {
    'a.js': 'exports.one = function () {}\nWidget.prototype.draw = function () {}\nconst box = { open() {} }\n',
    'b.cc': 'namespace n { class C { void in() {} }; }\nvoid n::C::out() {}\n',
    'C.vue':
      '<template>\n</template>\n<script setup lang="ts">\nfunction go(a: number) { return a ? 1 : 2 }\n</script>\n',
  })
  const { structuredContent } = await call(client({ roots: [root] }), 'analyze_complexity', {
    path: '.',
    format: 'full',
  })
  const { files } = structuredContent as {
    files: { functions: { name: string; line: number; cyclomatic: number }[] }[]
  }
  expect(files.flatMap(one => one.functions.map(({ name, line, cyclomatic }) => [name, line, cyclomatic]))).toEqual([
    ['go', 4, 2],
    ['one', 1, 1],
    ['Widget.draw', 2, 1],
    ['box.open', 3, 1],
    ['C::in', 1, 1],
    ['C::out', 2, 1],
  ])
})
