import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { compilePatterns } from './knowledge/files.ts'
import type { Pattern } from './knowledge/pattern.ts'

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

/** The build leaves all of them in one JSON file, since reading them as YAML takes a second. */
async function load(): Promise<readonly Pattern[]> {
  const compiled = await readFile(`${ownPatterns}index.json`, 'utf8').catch(() => undefined)
  return compiled === undefined ? compilePatterns(ownPatterns) : (JSON.parse(compiled) as Pattern[])
}
