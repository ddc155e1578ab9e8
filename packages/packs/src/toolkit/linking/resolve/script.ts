import { isBuiltin } from 'node:module'
import type { NodePackage, ScriptConfig } from '../config/config.ts'
import { NOWHERE, outside, to } from '../resolution.ts'
import type { Resolution } from '../resolution.ts'
import { firstFile, folderOf, join, under, upwards } from '../tree.ts'
import type { Tree } from '../tree.ts'
import type { Project, Resolver } from './resolver.ts'
import { matching, placesOf } from './script-names.ts'

const ENDINGS = ['', '.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.vue', '.svelte', '.json']
const SOURCES = ['src/', '', 'app/', 'lib/']
const BUILT = /^(?:\.\/)?(?:dist|lib|build|out|output|es|esm|cjs|umd|types|typings|dist-types|\.output)\//

/** How JavaScript and TypeScript name files: relatively, by paths of a tsconfig, by packages of the project, by `imports`. */
export function scripts({ tree, config }: Project): Resolver {
  const byFolder = new Map(config.packages.map(one => [one.folder, one]))
  const byName = new Map(config.packages.flatMap(one => (one.name === undefined ? [] : [[one.name, one] as const])))
  const listed = new Set(config.packages.flatMap(({ dependencies }) => dependencies))
  const nearest = (from: string): NodePackage | undefined =>
    upwards(folderOf(from)).reduce<NodePackage | undefined>((found, folder) => found ?? byFolder.get(folder), undefined)
  const known = { tree, byFolder, byName, listed, nearest, scriptsOf: byPlace(config.scripts) }
  return (from, link) => {
    // What loaders take besides is none of the name.
    const written = link.to.replace(/^.*!/, '').replace(/(?<=[^#])[?].*$/, '')
    if (/^\.{0,2}\/|^\.{1,2}$/.test(written)) return relative(known, from, written)
    if (written.startsWith('#')) return internal(known, from, written)
    return named(known, from, written)
  }
}

function byPlace(scripts: readonly ScriptConfig[]): (folder: string) => readonly ScriptConfig[] {
  const known = new Map<string, readonly ScriptConfig[]>()
  return folder => {
    const above = new Set(upwards(folder))
    const found = known.get(folder) ?? scripts.filter(one => above.has(one.folder))
    known.set(folder, found)
    return found
  }
}

interface Known {
  readonly tree: Tree
  readonly byFolder: ReadonlyMap<string, NodePackage>
  readonly byName: ReadonlyMap<string, NodePackage>
  readonly listed: ReadonlySet<string>
  readonly nearest: (from: string) => NodePackage | undefined
  /** What holds in a directory, the nearest first. */
  readonly scriptsOf: (folder: string) => readonly ScriptConfig[]
}

function relative(known: Known, from: string, written: string): Resolution {
  if (!written.startsWith('/')) return to(fileAt(known, join(folderOf(from), written)))
  const folders = [known.nearest(from)?.folder ?? '', '']
  const places = folders.flatMap(folder => ['', 'public/', 'src/'].map(below => join(folder, below + written.slice(1))))
  return to(places.map(place => fileAt(known, place)).find(Boolean))
}

/** The file at a path without its ending, or that of the directory there. */
function fileAt(known: Known, path: string | undefined, depth = 0): string | undefined {
  if (path === undefined) return undefined
  // Code that is compiled names what it is compiled to.
  const source = path.replace(/(\.d)?\.([cm]?)js(x?)$/, '.$2ts$3')
  const plain = ENDINGS.map(ending => path + ending)
  const found = firstFile(known.tree, [
    ...plain,
    source,
    source.replace(/\.ts$/, '.tsx'),
    source.replace(/\.([cm]?)ts$/, '.d.$1ts'),
  ])
  if (found !== undefined) return found
  const owner = depth === 0 ? known.byFolder.get(path) : undefined
  const main = owner && entryOf(known, owner, owner.mains)
  return (
    main ??
    firstFile(
      known.tree,
      ENDINGS.slice(1).map(ending => under(path, `index${ending}`)),
    )
  )
}

/** `#name`, by the `imports` of the nearest package. */
function internal(known: Known, from: string, written: string): Resolution {
  const owner = known.nearest(from)
  if (!owner) return NOWHERE
  const targets = matching(owner.imports, written)
  const [first] = targets
  if (first !== undefined && !first.startsWith('.')) return named(known, from, first)
  return to(entryOf(known, owner, targets))
}

function named(known: Known, from: string, written: string): Resolution {
  for (const config of known.scriptsOf(folderOf(from))) {
    const found = placesOf(config, written)
      .map(place => fileAt(known, place))
      .find(Boolean)
    if (found !== undefined) return to(found)
  }
  if (isBuiltin(written)) return outside(written.replace(/^node:/, '').replace(/\/.*$/, ''))
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(written)?.[0] ?? written
  const own = known.byName.get(name)
  if (own) return to(ofPackage(known, own, written.slice(name.length)))
  if (known.listed.has(name) || known.listed.has(`@types/${name.replace(/^@([^/]+)\//, '$1__')}`)) return outside(name)
  return to(byCustom(known, from, written))
}

/** `@/x` and `~/x` are what bundlers are told to call the sources. */
function byCustom(known: Known, from: string, written: string): string | undefined {
  const [, rest] = /^[@~]{1,2}\/?(?<=\/)(.*)$/.exec(written) ?? []
  if (rest === undefined) return undefined
  const folders = [...new Set([known.nearest(from)?.folder ?? '', ''])]
  const places = folders.flatMap(folder => SOURCES.map(source => under(folder, source + rest)))
  return places.map(place => fileAt(known, place)).find(Boolean)
}

/** What others get of a package under a path below its name. */
function ofPackage(known: Known, owner: NodePackage, below: string): string | undefined {
  const { exports } = owner
  const asked = `.${below}`
  const targets = exports ? matching(exports, asked) : below === '' ? owner.mains : []
  const found = entryOf(known, owner, below === '' ? [...targets, ...owner.mains] : targets)
  if (found !== undefined) return found
  if (below !== '') return fileAt(known, under(owner.folder, below.slice(1))) ?? entryOf(known, owner, [asked])
  return SOURCES.map(source => fileAt(known, under(owner.folder, `${source}index`))).find(Boolean)
}

/** A file that a package names: as it is, or the source that it is made of. */
function entryOf(known: Known, { folder }: NodePackage, targets: readonly string[]): string | undefined {
  const places = (path: string): (string | undefined)[] => [
    fileAt(known, join(folder, path), 1),
    ...SOURCES.map(source => fileAt(known, join(folder, path.replace(BUILT, source)), 1)),
    ...SOURCES.map(source => fileAt(known, join(folder, path.replace(BUILT, source).replace(/(?:\.[\w-]+)+$/, '')), 1)),
  ]
  for (const target of targets) {
    const found = BUILT.test(target) || !target.includes('*') ? places(target).find(Boolean) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** The files of the project that its packages offer to others. */
export function offeredBy({ tree, config }: Project): Set<string> {
  const byFolder = new Map(config.packages.map(one => [one.folder, one]))
  const known: Known = {
    tree,
    byFolder,
    byName: new Map(),
    listed: new Set(),
    nearest: () => undefined,
    scriptsOf: () => [],
  }
  let patterns = 0
  const offered = config.packages.flatMap(owner => {
    const listed = [...owner.mains, ...owner.named, ...Object.values(owner.exports ?? {}).flat()]
    return listed.flatMap(
      target =>
        entryOf(known, owner, [target]) ??
        (target.includes('*') && (patterns += 1) <= MOST_PATTERNS ? starred(known, owner, target) : []),
    )
  })
  return new Set(offered)
}

const MOST_STARRED = 10_000
const MOST_PATTERNS = 200

/** `./lib/*.js` offers every file there. */
function starred({ tree }: Known, { folder }: NodePackage, target: string): string[] {
  const star = target.indexOf('*')
  const begin = star < 0 ? undefined : join(folder, target.slice(0, star))
  if (begin === undefined) return []
  const begins = [begin, ...SOURCES.map(source => join(folder, target.slice(0, star).replace(BUILT, source)))]
  return [...tree.files]
    .filter(file => begins.some(start => start !== undefined && start !== folder && file.startsWith(start)))
    .slice(0, MOST_STARRED)
}
