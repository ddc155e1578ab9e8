import type { NodePackage, ScriptConfig } from './config.ts'
import { own, string, strings, table } from './parse.ts'
import type { Loose } from './parse.ts'
import { folderOf, join } from '../tree.ts'

/** Gives what a file of configuration holds, if there is one. */
export type ReadJson = (path: string) => Loose | undefined

interface Names {
  readonly baseUrl?: string | undefined
  readonly paths?: Readonly<Record<string, readonly string[]>>
}

const MOST_EXTENDED = 20

/** What a tsconfig says of names, with what it extends. */
export function scriptConfig(file: string, read: ReadJson, packages: readonly NodePackage[]): ScriptConfig {
  const { baseUrl, paths = {} } = namesIn(file, { read, packages, at: folderOf(file), seen: new Set() })
  return { file, folder: folderOf(file), baseUrl, paths }
}

interface Extending {
  readonly read: ReadJson
  readonly packages: readonly NodePackage[]
  /** What `${configDir}` means. */
  readonly at: string
  readonly seen: Set<string>
}

function namesIn(file: string, extending: Extending): Names {
  const json = extending.read(file)
  if (!json || extending.seen.has(file) || extending.seen.size > MOST_EXTENDED) return {}
  extending.seen.add(file)
  const folder = folderOf(file)
  const above = strings(own(json, 'extends')).flatMap(name => extended(name, folder, extending) ?? [])
  const inherited = above.reduce<Names>((names, path) => Object.assign({}, names, namesIn(path, extending)), {})
  const options = table(own(json, 'compilerOptions'))
  const place = (path: string, from: string): string | undefined =>
    path.startsWith('${configDir}') ? join(extending.at, path.slice(12)) : join(from, path)
  const written = string(own(options, 'baseUrl'))
  const baseUrl = written === undefined ? inherited.baseUrl : place(written, folder)
  const given = own(options, 'paths')
  if (given === undefined) return { ...inherited, ...(baseUrl !== undefined && { baseUrl }) }
  const paths = Object.entries(table(given)).map(
    ([pattern, targets]) =>
      [pattern, strings(targets).flatMap(target => place(target, baseUrl ?? folder) ?? [])] as const,
  )
  return { baseUrl, paths: Object.fromEntries(paths) }
}

/** The file that another one extends: beside it, or in a package of the project or of others. */
function extended(name: string, folder: string, { read, packages }: Extending): string | undefined {
  const endings = name.endsWith('.json') ? [''] : ['.json', '/tsconfig.json', '']
  const exists = (path: string | undefined): path is string => path !== undefined && read(path) !== undefined
  if (/^\.{0,2}\//.test(name)) return endings.map(ending => join(folder, name + ending)).find(exists)
  const owner = packages.find(one => one.name !== undefined && (name === one.name || name.startsWith(`${one.name}/`)))
  const inside = owner && name.slice((owner.name ?? '').length)
  const here = owner && endings.map(ending => join(owner.folder, `.${inside}${ending}`)).find(exists)
  return here ?? endings.map(ending => join('node_modules', name + ending)).find(exists)
}
