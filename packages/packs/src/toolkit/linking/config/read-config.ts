import { readBoundedSync } from '../../../support/files/file.ts'
import { openBelow } from '../../../support/files/directory.ts'
import type { Tree } from '../tree.ts'
import { folderOf, join } from '../tree.ts'
import { crateOf, withLoose } from './cargo.ts'
import type { Config, NodePackage } from './config.ts'
import { nodePackage } from './node-package.ts'
import { goModules, includesOf, pythonRoots } from './other-configs.ts'
import { own, parseJson, parseToml, string, strings, table } from './parse.ts'
import type { Loose } from './parse.ts'
import { scriptConfig } from './script-config.ts'

const LARGEST = 1024 * 1024
const LARGEST_COMMANDS = 64 * 1024 * 1024
// Of each kind; more are packages of others.
const MOST_FILES = 2000
const SCRIPT_CONFIG = /^(?:tsconfig|jsconfig)[^/]*\.json$/
// Builds are often ignored, so these are looked for where they use to be.
const COMMANDS = ['compile_commands.json', 'build/compile_commands.json', 'out/compile_commands.json']

/** Read what the files of a root say about names. What cannot be read says nothing. */
export function readConfig(root: string, tree: Tree): Config {
  const named = (name: string): string[] => (tree.named.get(name) ?? []).slice(0, MOST_FILES)
  const read = (path: string): string => readText(root, path, LARGEST)
  const packages = named('package.json').map(path => nodePackage(folderOf(path), parseJson(read(path))))
  const toml = (name: string): [string, Loose][] => named(name).map(path => [folderOf(path), parseToml(read(path))])
  return {
    packages,
    scripts: scriptConfigs(root, tree, packages),
    crates: withLoose(
      toml('Cargo.toml').flatMap(([folder, content]) => crateOf(folder, content, tree) ?? []),
      tree,
    ),
    goModules: named('go.mod').flatMap(path => goModules(folderOf(path), read(path))),
    pythonRoots: toml('pyproject.toml').flatMap(([folder, content]) => pythonRoots(folder, content)),
    libraries: libraries(tree, read),
    includes: includes(root),
  }
}

// What says that a project of C# is published as a package.
const PACKED = /<(?:PackageId|PackageTags|PackageIcon|PackageProjectUrl|GeneratePackageOnBuild>\s*true)\b/i

/** The sources of libraries of PHP and C#, whose public classes are for others. */
function libraries({ named, files }: Tree, read: (path: string) => string): string[] {
  const php = (named.get('composer.json') ?? []).slice(0, MOST_FILES).flatMap(path => {
    const json = parseJson(read(path))
    if (string(own(json, 'type')) === 'project' || own(json, 'name') === undefined) return []
    const loaded = Object.values(table(own(table(own(json, 'autoload')), 'psr-4'))).flatMap(strings)
    return loaded.flatMap(folder => join(folderOf(path), folder) ?? [])
  })
  const projects = [...files].filter(path => path.endsWith('.csproj')).slice(0, MOST_FILES)
  return [...php, ...projects.filter(path => PACKED.test(read(path))).map(folderOf)]
}

function scriptConfigs(root: string, { named }: Tree, packages: readonly NodePackage[]): Config['scripts'] {
  const known = new Map<string, Loose | undefined>()
  const read = (path: string): Loose | undefined => {
    if (!known.has(path)) {
      const text = readText(root, path, LARGEST)
      known.set(path, text === '' ? undefined : parseJson(text))
    }
    return known.get(path)
  }
  const files = [...named].flatMap(([name, paths]) => (SCRIPT_CONFIG.test(name) ? paths : []))
  return (
    files
      .slice(0, MOST_FILES)
      .map(file => scriptConfig(file, read, packages))
      .filter(({ baseUrl, paths }) => baseUrl !== undefined || Object.keys(paths).length > 0)
      // The plain name before its variants.
      .sort((a, b) => b.folder.length - a.folder.length || a.file.length - b.file.length)
  )
}

function includes(root: string): Config['includes'] {
  for (const path of COMMANDS) {
    const text = readText(root, path, LARGEST_COMMANDS)
    if (text === '') continue
    try {
      return includesOf(JSON.parse(text), root)
    } catch {
      // Cut off, or something else.
    }
  }
  return {}
}

/** A file below the root, no link on the way; empty if it cannot be read. */
function readText(root: string, path: string, largest: number): string {
  try {
    const directory = openBelow(root, folderOf(path))
    try {
      return readBoundedSync(directory.at(path.slice(path.lastIndexOf('/') + 1)), largest).toString()
    } finally {
      directory.close()
    }
  } catch {
    return ''
  }
}
