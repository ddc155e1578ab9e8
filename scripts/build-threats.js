// Puts the threat patterns beside the build: the files themselves, and all of them as one JSON file that loads fast.
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { parse } from 'yaml'

const from = new URL('../packages/packs/src/threats/patterns/', import.meta.url)
const to = new URL('../packages/packs/dist/patterns/', import.meta.url)

await rm(to, { recursive: true, force: true })
await mkdir(to, { recursive: true })
const files = (await readdir(from)).filter(name => name.endsWith('.yaml')).sort()
await Promise.all(files.map(file => cp(new URL(file, from), new URL(file, to))))
const patterns = await Promise.all(
  files.map(async file => parse(await readFile(new URL(file, from), 'utf8')).threat_pattern),
)
await writeFile(new URL('index.json', to), JSON.stringify(patterns))
