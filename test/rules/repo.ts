import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeOnly, lineAt } from './lexer.ts'

/** The top folder of the repository. */
export const root: string = fileURLToPath(new URL('../../', import.meta.url))

/** One source file: its path from the root, with forward slashes, and its text. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** What one `package.json` says about a package of ours. */
export interface Package {
  readonly folder: string
  readonly name: string
  /** Specifiers other packages may import it by. */
  readonly specifiers: readonly string[]
  /** Paths of its entry points, from the root: the `source` condition of each export. */
  readonly entries: readonly string[]
}

/** One import, re-export or `import()`, of values or of types. */
export interface Import {
  readonly specifier: string
  readonly line: number
}

/** The text of a file named from the root. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** Whether a file or folder named from the root exists. */
export function exists(path: string): boolean {
  return existsSync(join(root, path))
}

/** The files below a folder, as paths from the root; none if the folder is not there. */
export function filesIn(folder: string): string[] {
  if (!exists(folder)) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = posix.join(folder, entry.name)
    return entry.isDirectory() ? filesIn(path) : [path]
  })
}

/** Every file of the repository that git tracks or would track. */
export function repoFiles(): string[] {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
  return [...new Set(list.split('\0'))].filter(path => path !== '' && exists(path)).sort()
}

/** Whether a path is a test, which most rules leave alone. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}

/** Every TypeScript file in the `src` folder of a package. */
export function sources(): Source[] {
  return packages()
    .flatMap(({ folder }) => filesIn(`${folder}/src`))
    .filter(path => /\.tsx?$/.test(path))
    .map(path => ({ path, text: read(path) }))
}

/** Every source that is not a test. */
export function ownSources(): Source[] {
  return sources().filter(({ path }) => !isTest(path))
}

/** The packages of the repository. */
export function packages(): Package[] {
  return readdirSync(join(root, 'packages'))
    .map(name => `packages/${name}`)
    .filter(folder => exists(`${folder}/package.json`))
    .map(folder => {
      const manifest: Manifest = JSON.parse(read(`${folder}/package.json`))
      return toPackage(folder, manifest)
    })
}

interface Manifest {
  readonly name: string
  readonly exports?: Record<string, { readonly source?: string } | string>
}

/** Reads what the rules need from a `package.json`. */
export function toPackage(folder: string, manifest: Manifest): Package {
  const exported = Object.entries(manifest.exports ?? {})
  return {
    folder,
    name: manifest.name,
    specifiers: exported.map(([key]) => posix.join(manifest.name, key)),
    entries: exported.flatMap(([, target]) =>
      typeof target === 'object' && target.source ? [posix.join(folder, target.source)] : [],
    ),
  }
}

/** Everything a source imports, in whichever form: `import`, `import type`, `export … from`, `import()`. */
export function importsOf(text: string): Import[] {
  const code = codeOnly(text)
  return [...code.matchAll(/\b(?:from\s*|import\s*(?:\(\s*)?)(['"])/g)].map(found => {
    const start = found.index + found[0].length
    return { specifier: text.slice(start, code.indexOf(found[1] ?? '', start)), line: lineAt(text, found.index) }
  })
}

/** Where a relative import leads, as a path from the root; undefined for a package. */
export function target(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined
}
