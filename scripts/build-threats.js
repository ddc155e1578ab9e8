// Puts the threat patterns beside the build: the files themselves, and all of them as one JSON file that loads fast.
import { cp, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { compilePatterns } from '../packages/packs/dist/threats.js'

const from = new URL('../packages/packs/src/threats/patterns/', import.meta.url)
const to = new URL('../packages/packs/dist/patterns/', import.meta.url)

await rm(to, { recursive: true, force: true })
await cp(from, to, { recursive: true })
await writeFile(new URL('index.json', to), JSON.stringify(await compilePatterns(fileURLToPath(to))))
