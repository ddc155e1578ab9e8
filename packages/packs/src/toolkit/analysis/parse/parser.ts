import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import type * as TreeSitter from '@vscode/tree-sitter-wasm'
import { openCursor } from './cursor.ts'
import type { Cursor, Raw } from './cursor.ts'
import type { Grammar, Language } from './grammar.ts'
import { cpp } from '../grammars/cpp.ts'
import { csharp } from '../grammars/csharp.ts'
import { go } from '../grammars/go.ts'
import { java } from '../grammars/java.ts'
import { javascript } from '../grammars/javascript.ts'
import { php } from '../grammars/php.ts'
import { python } from '../grammars/python.ts'
import { ruby } from '../grammars/ruby.ts'
import { rust } from '../grammars/rust.ts'
import { shell } from '../grammars/shell.ts'
import { compileRoles } from '../measure/roles.ts'
import type { Roles } from '../measure/roles.ts'

/** A parser of one language, and what its nodes mean. */
export interface Parsing {
  readonly parser: TreeSitter.Parser
  readonly roles: Roles
  openCursor(tree: TreeSitter.Tree): Cursor
  /** A query of this language, compiled once. */
  query(source: string): TreeSitter.Query
}

// What `scripts/build-grammars.js` made, beside the bundle.
const FOLDER = import.meta.url.endsWith('.ts') ? '../../../../dist/grammars/' : './grammars/'
const grammarFile = (name: string): string => fileURLToPath(new URL(FOLDER + name, import.meta.url))
const GRAMMARS: Readonly<Record<Language, { readonly wasm: string; readonly grammar: Grammar }>> = {
  rust: { wasm: 'rust', grammar: rust },
  typescript: { wasm: 'typescript', grammar: javascript },
  tsx: { wasm: 'tsx', grammar: javascript },
  javascript: { wasm: 'javascript', grammar: javascript },
  python: { wasm: 'python', grammar: python },
  go: { wasm: 'go', grammar: go },
  java: { wasm: 'java', grammar: java },
  csharp: { wasm: 'c-sharp', grammar: csharp },
  cpp: { wasm: 'cpp', grammar: cpp },
  php: { wasm: 'php', grammar: php },
  ruby: { wasm: 'ruby', grammar: ruby },
  shell: { wasm: 'bash', grammar: shell },
  component: { wasm: 'typescript', grammar: javascript },
}

const loaded = new Map<Language, Promise<Parsing>>()
interface Started {
  readonly module: typeof TreeSitter
  readonly raw: Partial<Raw>
}

let started: Promise<Started> | undefined

/** The parser of a language, loaded on first use and once per thread. */
export function parsing(language: Language): Promise<Parsing> {
  const known = loaded.get(language) ?? load(language)
  loaded.set(language, known)
  return known
}

/** Start anew: after a failure the parser's memory cannot be trusted. */
export function forgetParsers(): void {
  loaded.clear()
  started = undefined
}

async function load(language: Language): Promise<Parsing> {
  const { module, raw } = await (started ??= start())
  const { wasm, grammar } = GRAMMARS[language]
  const syntax = await module.Language.load(wasmOf(`tree-sitter-${wasm}`))
  const parser = new module.Parser()
  parser.setLanguage(syntax)
  const queries = new Map<string, TreeSitter.Query>()
  return {
    parser,
    roles: compileRoles(syntax, grammar),
    openCursor: tree => openCursor(tree, raw),
    query: source => {
      const known = queries.get(source) ?? new module.Query(syntax, source)
      queries.set(source, known)
      return known
    },
  }
}

// At once, since a thread that is ended while it waits for a file leaves it open.
const wasmOf = (name: string): Uint8Array => brotliDecompressSync(readFileSync(grammarFile(`${name}.wasm.br`)))

async function start(): Promise<Started> {
  const require = createRequire(import.meta.url)
  const path = grammarFile('tree-sitter.cjs')
  // Loaded twice, a module is still the same, and so would be the memory of this one.
  delete require.cache[path]
  const module = require(path) as typeof TreeSitter
  // What is given here becomes the parser's module itself.
  const options = { wasmBinary: wasmOf('tree-sitter'), locateFile: grammarFile }
  await module.Parser.init(options)
  return { module, raw: options as unknown as Partial<Raw> }
}
