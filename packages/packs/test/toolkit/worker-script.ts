import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const source = fileURLToPath(new URL('../../src/toolkit/analysis/worker.ts', import.meta.url))
// In the repository, so that the thread finds what is installed there.
const cache = fileURLToPath(new URL('../../../../node_modules/.cache/causeway/', import.meta.url))
// Beside the script, as in a build.
const grammars = fileURLToPath(new URL('../../dist/grammars', import.meta.url))

/** Build the script of the analysis threads from the sources. */
export async function buildWorker(): Promise<{ url: URL; remove: () => void }> {
  const folder = `${cache}${crypto.randomUUID()}`
  mkdirSync(folder, { recursive: true })
  symlinkSync(grammars, `${folder}/grammars`, 'junction')
  const bundle = await rolldown({ input: source, platform: 'node', external: id => !/^[./]/.test(id) })
  await bundle.write({ file: `${folder}/worker.js`, format: 'esm' })
  await bundle.close()
  return {
    url: pathToFileURL(`${folder}/worker.js`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
