// Puts the licences of what is bundled into a package beside its build.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const INSIDE = {
  engine: ['typebox', 'undici', '@noble/ciphers', '@noble/hashes', 'buffer', 'base64-js', 'ieee754'],
  packs: ['@sqlite.org/sqlite-wasm', '@vscode/tree-sitter-wasm'],
  cli: [
    'sucrase',
    '@jridgewell/gen-mapping',
    '@jridgewell/sourcemap-codec',
    '@jridgewell/trace-mapping',
    '@jridgewell/resolve-uri',
    'lines-and-columns',
    'ts-interface-checker',
  ],
  console: ['preact', '@preact/signals', '@preact/signals-core'],
}

const root = fileURLToPath(new URL('..', import.meta.url))

function licenceOf(name) {
  const folder = `${root}node_modules/${name}`
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? `Licence: ${license}` : readFileSync(`${folder}/${file}`, 'utf8').trim()
  return `${name} ${version}\n\n${text}\n`
}

for (const [name, parts] of Object.entries(INSIDE)) {
  const intro = `${name === 'cli' ? 'causeway-mcp' : `@causeway/${name}`} contains parts of these packages.\n`
  const text = [intro, ...parts.map(licenceOf)].join(`\n${'-'.repeat(80)}\n\n`)
  writeFileSync(`${root}packages/${name}/dist/THIRD-PARTY-LICENSES.txt`, text)
}
