import type { Tree } from '../tree.ts'
import { firstFile, folderOf, join, under } from '../tree.ts'
import type { Crate } from './config.ts'
import { own, string, table } from './parse.ts'
import type { Loose } from './parse.ts'

const DEPENDENCIES = ['dependencies', 'dev-dependencies', 'build-dependencies']
const PROGRAM = /^(?:src\/main\.rs|build\.rs|(?:src\/bin|tests|examples|benches)\/(?:[^/]+\.rs|[^/]+\/main\.rs))$/

/** The crate of a Cargo.toml; undefined if it is only a workspace. */
export function crateOf(folder: string, toml: Loose, tree: Tree): Crate | undefined {
  const name = string(own(table(own(toml, 'package')), 'name'))
  if (name === undefined) return undefined
  const lib = table(own(toml, 'lib'))
  const libPath = string(own(lib, 'path'))
  const written = ['bin', 'example', 'test', 'bench'].flatMap(kind => pathsOf(own(toml, kind)))
  const script = string(own(table(own(toml, 'package')), 'build'))
  const named = [...written, script].flatMap(path => (path === undefined ? [] : (join(folder, path) ?? [])))
  return {
    folder,
    name: asCode(string(own(lib, 'name')) ?? name),
    lib: firstFile(tree, [libPath === undefined ? undefined : join(folder, libPath), under(folder, 'src/lib.rs')]),
    programs: [...new Set([...named.filter(path => tree.files.has(path)), ...foundPrograms(folder, tree)])],
    dependencies: dependenciesOf(toml),
  }
}

const pathsOf = (list: unknown): (string | undefined)[] =>
  Array.isArray(list) ? (list as unknown[]).map(one => string(own(table(one), 'path'))) : []

/** Programs where Cargo looks for them. */
function foundPrograms(folder: string, { inFolder, inside }: Tree): string[] {
  const flat = ['', 'src'].map(place => under(folder, place).replace(/\/$/, ''))
  const deep = ['src/bin', 'tests', 'examples', 'benches'].map(place => under(folder, place))
  const places = [...flat, ...deep, ...deep.flatMap(place => inside.get(place) ?? [])]
  return places.flatMap(place =>
    (inFolder.get(place) ?? []).filter(file => PROGRAM.test(folder === '' ? file : file.slice(folder.length + 1))),
  )
}

function dependenciesOf(toml: Loose): Record<string, string> {
  const targets = Object.values(table(own(toml, 'target'))).map(table)
  const lists = [toml, ...targets, table(own(toml, 'workspace'))].flatMap(of =>
    DEPENDENCIES.map(key => table(own(of, key))),
  )
  return Object.fromEntries(
    lists.flatMap(list =>
      Object.entries(list).map(([name, value]) => [asCode(name), asCode(string(own(table(value), 'package')) ?? name)]),
    ),
  )
}

const asCode = (name: string): string => name.replaceAll('-', '_')

/** Sources that begin like those of a crate without a Cargo.toml are one all the same. */
export function withLoose(crates: readonly Crate[], { named }: Tree): Crate[] {
  const known = new Set(crates.flatMap(({ lib, programs }) => [...programs, ...(lib === undefined ? [] : [lib])]))
  const loose = (name: string): string[] =>
    (named.get(name) ?? []).filter(file => !known.has(file) && !crates.some(({ folder }) => isIn(file, folder)))
  const made = (file: string, crate: Pick<Crate, 'lib' | 'programs'>): Crate =>
    Object.assign({ folder: folderOf(file), name: '', dependencies: {} }, crate)
  return [
    ...crates,
    ...loose('lib.rs').map(file => made(file, { lib: file, programs: [] })),
    ...loose('main.rs').map(file => made(file, { lib: undefined, programs: [file] })),
  ]
}

const isIn = (file: string, folder: string): boolean => folder === '' || file.startsWith(`${folder}/`)
