import { readdir } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Feature, Log, Server } from '@causeway/engine'
import { UsageError } from './usage.ts'

const MODULES = ['.js', '.mjs']
const KINDS: ReadonlySet<unknown> = new Set(['tool', 'resource', 'template', 'prompt'])

/** The definitions that the modules of a folder export, in the order of their names; a broken one is reported and skipped. */
export async function toolsDir(folder: string, log: Log): Promise<Feature[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new UsageError(
      `--tools-dir ${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  })
  const files = names.filter(name => MODULES.includes(extname(name))).sort()
  const loaded = await Promise.all(files.map(name => load(resolve(join(folder, name)), log)))
  return loaded.flat()
}

async function load(file: string, log: Log): Promise<Feature[]> {
  try {
    const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>
    const features = [...new Set(Object.values(exported).flat())].filter(isFeature)
    if (features.length === 0) throw new TypeError('exports no tool, resource, template or prompt')
    return features
  } catch (error) {
    log('error', `skipped ${file}`, { problem: error instanceof Error ? error.message : String(error) })
    return []
  }
}

const isFeature = (value: unknown): value is Feature =>
  typeof value === 'object' && value !== null && 'kind' in value && KINDS.has(value.kind)

/** Offer a definition; one that the server refuses, such as a malformed schema, is reported and skipped. */
export function addOrSkip(server: Server, feature: Feature, log: Log): void {
  try {
    server.add(feature)
  } catch (error) {
    log('error', `skipped the ${feature.kind} ${feature.name}`, {
      problem: error instanceof Error ? error.message : String(error),
    })
  }
}
