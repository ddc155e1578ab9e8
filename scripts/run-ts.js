// Runs a TypeScript program of this repository: bundled in memory, since the oldest Node we support cannot strip types.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const [file] = process.argv.splice(2, 1)
if (file === undefined) {
  console.error('Usage: node scripts/run-ts.js FILE.ts [arguments]')
  process.exit(2)
}

// Module-relative paths keep their meaning, since each module's own address is written into the bundle.
const ownAddress = {
  name: 'own-address',
  transform: (code, id) =>
    code.includes('import.meta.url')
      ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : undefined,
}

const bundle = await rolldown({
  input: resolve(file),
  external: id => !/^[./]/.test(id),
  plugins: [ownAddress],
  platform: 'node',
})
const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
// Beside the dependencies, so that they are found.
const folder = mkdtempSync(join(import.meta.dirname, '../node_modules/.run-ts-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const entry = join(folder, 'main.js')
writeFileSync(entry, output[0].code)
await import(pathToFileURL(entry).href)
