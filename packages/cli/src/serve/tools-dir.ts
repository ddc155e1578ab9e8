import { readdir } from 'node:fs/promises'
import { createRequire, register } from 'node:module'
import { extname, join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Feature, Log, Server } from '@causeway/engine'
import { UsageError } from '../config/usage-error.ts'

const MODULES = ['.js', '.mjs']
const TYPESCRIPT = ['.ts', '.mts']
const OTHER_CODE = ['.cjs', '.cts', '.tsx', '.jsx']
const KINDS: ReadonlySet<unknown> = new Set(['tool', 'resource', 'template', 'prompt'])

/** The definitions that the modules of a folder export, in the order of their names; a broken one is reported and skipped. */
export async function toolsDir(folder: string, log: Log): Promise<Feature[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new UsageError(
      `--tools-dir ${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  })
  shareEngine()
  const loaded = await Promise.all(names.sort().map(name => load(resolve(join(folder, name)), log)))
  // Promises that failed while loading are reported now, and not in the middle of something else.
  await setImmediate()
  return loaded.flat()
}

async function load(file: string, log: Log): Promise<Feature[]> {
  try {
    if (!isModule(file)) return []
    const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>
    const features = [...new Set(Object.values(exported).flat())].filter(isFeature)
    if (features.length === 0) throw new TypeError('exports no tool, resource, template or prompt')
    return features
  } catch (error) {
    log('error', `skipped ${file}`, { problem: error instanceof Error ? error.message : String(error) })
    return []
  }
}

/** Is this a file to load? One that looks like code and cannot be loaded throws with what to do. */
function isModule(file: string): boolean {
  const extension = extname(file)
  if (MODULES.includes(extension)) return true
  if (/\.d\.[cm]?ts$/.test(file)) return false
  if (OTHER_CODE.includes(extension))
    throw new TypeError(`${extension} files are not loaded; write an ES module (.js, .mjs)`)
  if (!TYPESCRIPT.includes(extension)) return false
  if ('typescript' in process.features && process.features.typescript !== false) return true
  throw new TypeError(
    `Node.js ${process.versions.node} does not run TypeScript; compile it to .js, or use Node.js 22.18 or later`,
  )
}

const RESOLVER = `
  let known
  export const initialize = data => { known = data }
  export const resolve = async (specifier, context, next) => {
    try { return await next(specifier, context) }
    catch (error) {
      if (!Object.hasOwn(known, specifier)) throw error
      return { url: known[specifier], format: 'module', shortCircuit: true }
    }
  }`

let isShared = false

/** Let modules anywhere import the engine that serves them, unless they have one installed. */
function shareEngine(): void {
  if (isShared) return
  isShared = true
  const { resolve: find } = createRequire(import.meta.url)
  const names = ['@causeway/engine', '@causeway/engine/http', '@causeway/engine/policies']
  const known = Object.fromEntries(names.map(name => [name, pathToFileURL(find(name)).href]))
  register(`data:text/javascript,${encodeURIComponent(RESOLVER)}`, { data: known })
}

const isFeature = (value: unknown): value is Feature =>
  typeof value === 'object' && value !== null && 'kind' in value && KINDS.has(value.kind)

/** Offer a definition; one that the server refuses, such as a malformed schema, is reported and skipped. */
export function addOrSkip(server: Server, feature: Feature, log: Log): void {
  try {
    server.add(feature)
  } catch (error) {
    log('warn', `skipped the ${feature.kind} ${feature.name}`, {
      problem: error instanceof Error ? error.message : String(error),
    })
  }
}
