import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { readFolder } from './files.ts'
import type { Pattern } from './pattern.ts'

/** The folder of our own patterns: beside the source, and copied beside the build. */
export const ownPatterns: string = fileURLToPath(new URL('./patterns/', import.meta.url))

let loaded: Promise<readonly Pattern[]> | undefined

/** Our patterns, read on first use and once; a failure is tried again. */
export function loadPatterns(): Promise<readonly Pattern[]> {
  loaded ??= load().catch((cause: unknown) => {
    loaded = undefined
    throw new Error('The knowledge base cannot be read', { cause })
  })
  return loaded
}

/** The build leaves all of them in one JSON file, since reading them as YAML takes half a second. */
async function load(): Promise<readonly Pattern[]> {
  const compiled = await readFile(`${ownPatterns}index.json`, 'utf8').catch(() => undefined)
  if (compiled !== undefined) return JSON.parse(compiled) as Pattern[]
  const files = await readFolder(ownPatterns)
  const bad = files.find(({ problem }) => problem !== undefined)
  if (bad) throw new Error(`${bad.file}: ${bad.problem}`)
  return files.map(({ pattern }) => pattern as Pattern)
}
