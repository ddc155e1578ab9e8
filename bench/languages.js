// What each tool does with each language, by trying: a small project of each is asked about, and the table is printed.
// npm run build && node bench/languages.js
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'
import { createEdits } from '@causeway/packs/workstation'

/** A project of two files: the first uses what the second defines, `helper` or `Helper`. */
const PROJECTS = {
  'JavaScript, JSX': {
    'a.js': "import { helper } from './b.js'\nexport function main(a) { return a && helper() }\n",
    'b.js': 'export function helper() { return 1 }\n',
    how: 'relative names, `paths` and `baseUrl` of jsconfig, `exports` and `imports` of packages, workspaces',
  },
  'TypeScript, TSX': {
    'a.ts': "import { helper } from './b.js'\nexport function main(a: boolean) { return a && helper() }\n",
    'b.ts': 'export function helper() { return 1 }\n',
    how: 'the same by tsconfig, with what it extends; types told apart',
  },
  'Vue, Svelte': {
    'a.vue': "<script>\nimport { helper } from './b'\nexport function main(a) { return a && helper() }\n</script>\n",
    'b.ts': 'export function helper() { return 1 }\n',
    how: 'the imports of their scripts, as above',
  },
  Python: {
    'a.py': 'from b import helper\n\ndef main(a):\n    return a and helper()\n',
    'b.py': 'def helper():\n    return 1\n',
    how: 'packages, namespace packages and relative names; `src`, `lib`, `app` and what pyproject.toml says',
  },
  Rust: {
    'Cargo.toml': '[package]\nname = "x"\n',
    'src/main.rs': 'mod b;\nuse b::helper;\nfn main() { if true && false { helper(); } }\n',
    'src/b.rs': 'pub fn helper() -> u32 { 1 }\n',
    how: '`mod`, `use` trees, paths, re-exports, crates of a workspace',
  },
  Go: {
    'go.mod': 'module x\n',
    'a.go': 'package main\n\nimport "x/b"\n\nfunc main() { if true && false { b.Helper() } }\n',
    'b/b.go': 'package b\n\nfunc Helper() int { return 1 }\n',
    how: 'the modules of go.mod files, with `replace` by directories',
  },
  Java: {
    'A.java': 'class A { int main(boolean a) { return a && true ? Helper.helper() : 0; } }\n',
    'Helper.java': 'class Helper { static int helper() { return 1; } }\n',
    how: 'packages and imports, by what is defined',
  },
  'C, C++': {
    'a.c': '#include "b.h"\nint main(int a) { return a && helper(); }\n',
    'b.h': 'static int helper(void) { return 1; }\n',
    how: '`#include`, by compile_commands.json, beside the file, or where there is only one',
  },
  'C#': {
    'A.cs': 'class A { int Main(bool a) { return a && true ? Helper.helper() : 0; } }\n',
    'Helper.cs': 'class Helper { public static int helper() { return 1; } }\n',
    how: 'namespaces and `using`, by the types that are named',
  },
  PHP: {
    'A.php': '<?php\nrequire __DIR__ . "/b.php";\nfunction main($a) { return $a && helper(); }\n',
    'b.php': '<?php\nfunction helper() { return 1; }\n',
    how: 'namespaces and `use`, by what is defined; `require` of texts',
  },
  Ruby: {
    'a.rb': "require_relative 'b'\ndef main(a)\n  a && helper\nend\n",
    'b.rb': 'def helper\n  1\nend\n',
    how: '`require_relative`, `require` and `autoload` of texts',
  },
  Shell: {
    'a.sh': '. ./b.sh\nmain() { [ "$1" ] && helper; }\n',
    'b.sh': 'helper() { echo 1; }\n',
    how: '`source` and `.`',
  },
}

async function tryOut(files) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'causeway-languages-')))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    const pack = toolkit({ roots: [root], edits: createEdits() })
    const client = connect(createServer({ name: 'bench', version: '1' }).add(pack))
    const first = Object.keys(files).find(path => !/\.(?:toml|mod)$/.test(path))
    const call = (tool, args) => client.call(tool, args).catch(error => ({ error: error.message }))
    const { definitions = [] } = await call('outline', { path: '.' })
    const found = await call('find_references', { name: /helper/i.exec(Object.values(files).join())[0], path: '.' })
    const full = await call('analyze_complexity', { path: '.', format: 'full' })
    const functions = (full.files ?? []).flatMap(one => one.functions)
    const { summary } = await call('analyze_dependencies', { path: '.' })
    const [name, next] = files['go.mod'] ? ['Helper', 'Other'] : ['helper', 'other']
    const renamed = await call('rename_symbol', { name, new_name: next, path: '.', dry_run: true })
    const inFirst = definitions.some(({ file }) => file === first)
    client.close()
    return {
      symbols: inFirst && !found.error,
      complexity: functions.some(one => one.cyclomatic > 1),
      dependencies: summary?.edges === 1 && summary.unresolved === 0,
      rename: renamed.error ? `no: ${renamed.error.split('\n')[0]}` : renamed.files?.length === 2,
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const yes = value => (value === true ? 'yes' : 'no')
console.log('| language | definitions, references | complexity, duplicates | dependencies | rename |')
console.log('|---|---|---|---|---|')
for (const [language, { how, ...files }] of Object.entries(PROJECTS)) {
  const { symbols, complexity, dependencies, rename } = await tryOut(files)
  if (process.env.WHY && rename !== true) console.error(language, rename)
  console.log(`| ${language} | ${yes(symbols)} | ${yes(complexity)} | ${dependencies ? how : 'no'} | ${yes(rename)} |`)
}
process.exit(0)
