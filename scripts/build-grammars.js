// Puts the parser and the grammars that are used beside the build, compressed: 1.5 MB in place of the 22 MB of the package.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'

const LANGUAGES = 'bash c-sharp cpp go java javascript php python ruby rust tsx typescript'.split(' ')

const from = dirname(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm'))
const to = fileURLToPath(new URL('../packages/packs/dist/grammars/', import.meta.url))

rmSync(to, { recursive: true, force: true })
mkdirSync(to, { recursive: true })
// A CommonJS file in a package of ES modules.
copyFileSync(join(from, 'tree-sitter.js'), join(to, 'tree-sitter.cjs'))
for (const name of ['tree-sitter', ...LANGUAGES.map(language => `tree-sitter-${language}`)]) {
  const content = readFileSync(join(from, `${name}.wasm`))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 }
  writeFileSync(join(to, `${name}.wasm.br`), brotliCompressSync(content, { params }))
}
