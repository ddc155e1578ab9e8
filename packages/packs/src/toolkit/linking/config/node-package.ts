import type { NodePackage } from './config.ts'
import { own, string, strings, table } from './parse.ts'
import type { Loose } from './parse.ts'

const MAINS = ['source', 'types', 'typings', 'module', 'svelte', 'browser', 'main', 'bin']
const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
// The best first: sources before what is made of them.
const CONDITIONS = [
  'source',
  'types',
  'svelte',
  'import',
  'module',
  'node',
  'browser',
  'development',
  'default',
  'require',
]
const DEEPEST = 10
const MOST = 2000
const A_FILE = /^[\w@./-]+\.(?:[cm]?[jt]sx?|vue|svelte)$/

/** A package.json, in the parts that say where things are. */
export function nodePackage(folder: string, json: Loose): NodePackage {
  const given = own(json, 'exports')
  const scripts = Object.values(table(own(json, 'scripts'))).flatMap(strings)
  return {
    folder,
    name: string(own(json, 'name')),
    mains: MAINS.flatMap(key => leaves(own(json, key))),
    exports: given === undefined ? undefined : byPath(given),
    imports: byPath(own(json, 'imports')),
    dependencies: DEPENDENCIES.flatMap(key => Object.keys(table(own(json, key)))),
    named: [...new Set(scripts.flatMap(filesIn))].slice(0, MOST),
  }
}

const filesIn = (script: string): string[] => script.split(/[\s"'=,;:()]/).filter(word => A_FILE.test(word))

/** `exports` and `imports`: by subpath, what may stand there. */
function byPath(given: unknown): Record<string, string[]> {
  const entries = Object.entries(table(given))
  const isByPath = entries.some(([key]) => /^[.#]/.test(key))
  const paths = isByPath ? entries.slice(0, MOST) : [['.', given] as const]
  return Object.fromEntries(paths.map(([path, target]) => [path, leaves(target)]))
}

function leaves(target: unknown, depth = 0): string[] {
  if (typeof target === 'string') return [target]
  if (depth > DEEPEST) return []
  if (Array.isArray(target)) return (target as unknown[]).slice(0, MOST).flatMap(one => leaves(one, depth + 1))
  const entries = Object.entries(table(target))
  const rank = (key: string): number => (CONDITIONS.indexOf(key) + CONDITIONS.length + 1) % (CONDITIONS.length + 1)
  return entries
    .toSorted(([a], [b]) => rank(a) - rank(b))
    .slice(0, MOST)
    .flatMap(([, one]) => leaves(one, depth + 1))
}
