// Puts the project templates beside the build: all of them as one JSON file, so that a server starts without reading YAML.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { readTemplates } from '../packages/packs/dist/toolkit.js'

const from = fileURLToPath(new URL('../packages/packs/src/toolkit/templates/', import.meta.url))
const to = new URL('../packages/packs/dist/templates/', import.meta.url)

await rm(to, { recursive: true, force: true })
await mkdir(to, { recursive: true })
await writeFile(new URL('index.json', to), JSON.stringify(readTemplates(from)))
