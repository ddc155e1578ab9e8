import { posix } from 'node:path'
import { languageOf } from '../analysis/parse/grammar.ts'
import type { Language } from '../analysis/parse/grammar.ts'

/** The files of a project, by their paths without `.//`. */
export interface Known {
  readonly files: ReadonlySet<string>
  /** By the last part of their paths. */
  readonly named: ReadonlyMap<string, readonly string[]>
  /** What a Go module calls itself, if there is one. */
  readonly goModule: string | undefined
}

/** Put the files of a project together for looking them up. */
export function knownFiles(paths: readonly string[], goModule?: string): Known {
  const named = new Map<string, string[]>()
  for (const path of paths) {
    const name = posix.basename(path)
    named.set(name, [...(named.get(name) ?? []), path])
  }
  return { files: new Set(paths), named, goModule }
}

const SCRIPT_ENDINGS = ['', '.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.d.ts']
const SOURCE_FOLDERS = ['', 'src/', 'lib/', 'app/']

type Resolver = (from: string, written: string, known: Known) => string[]

/** The files of the project that an import means; none if it means something else. */
export function resolveImport(from: string, written: string, known: Known): string[] {
  const language = languageOf(from)
  return (language && RESOLVERS[language])?.(from, written, known) ?? []
}

const beside = (from: string, path: string): string => posix.join(posix.dirname(from), path)

function firstOf(candidates: readonly string[], { files }: Known): string[] {
  const found = candidates.find(path => files.has(path))
  return found === undefined ? [] : [found]
}

function script(from: string, written: string, known: Known): string[] {
  const isRelative = /^\.{1,2}(?:\/|$)/.test(written)
  const isAlias = /^[@~]\//.test(written)
  if (!isRelative && !isAlias) return []
  const bases = isRelative ? [beside(from, written)] : SOURCE_FOLDERS.map(folder => folder + written.slice(2))
  const candidates = bases.flatMap(base => {
    // Code that is compiled names what it is compiled to.
    const source = base.replace(/\.([cm]?)js(x?)$/, '.$1ts$2')
    const whole = [base, source].flatMap(path => SCRIPT_ENDINGS.map(ending => path + ending))
    return whole.concat(SCRIPT_ENDINGS.slice(1).map(ending => posix.join(base, `index${ending}`)))
  })
  return firstOf(candidates, known)
}

function python(from: string, written: string, known: Known): string[] {
  const [, module, names = ''] = /^from\s+(\S+)\s+import\s+([^]*)$/.exec(written) ?? []
  if (module === undefined) {
    const modules = written.replace(/^import\s+/, '').split(',')
    return modules.flatMap(name => pythonModule(from, name.trim().split(/\s/, 1)[0] ?? '', known))
  }
  const imported = names
    .replace(/[()\\]/g, ' ')
    .split(',')
    .filter(name => name.trim() !== '')
  const parts = imported.flatMap(name => {
    const part = name.trim().split(/\s/, 1)[0] ?? ''
    return pythonModule(from, module.endsWith('.') ? module + part : `${module}.${part}`, known)
  })
  return parts.length > 0 ? [...new Set(parts)] : pythonModule(from, module, known)
}

function pythonModule(from: string, module: string, known: Known): string[] {
  const [, dots = '', name = ''] = /^(\.*)(.*)$/.exec(module) ?? []
  const path = name.replaceAll('.', '/')
  const up = '../'.repeat(Math.max(0, dots.length - 1))
  const bases = dots === '' ? SOURCE_FOLDERS.map(folder => folder + path) : [beside(from, up + path)]
  return firstOf(
    bases.flatMap(base => [`${base}.py`, posix.join(base, '__init__.py')]),
    known,
  )
}

function rust(from: string, written: string, known: Known): string[] {
  const isRoot = /(?:^|\/)(?:lib|main|mod)\.rs$/.test(from)
  const own = isRoot ? posix.dirname(from) : from.replace(/\.rs$/, '')
  if (/^\w+$/.test(written))
    return firstOf([`${own}/${written}.rs`, `${own}/${written}/mod.rs`].map(posix.normalize), known)
  const [head = '', ...parts] = written
    .replace(/::[{*][^]*$/, '')
    .replace(/\s+as\s+\w+$/, '')
    .split('::')
  const [, root = ''] = /^(.*?(?:^|\/)src)\//.exec(from) ?? []
  const base = { crate: root, self: own, super: posix.dirname(own) }[head]
  if (base === undefined) return []
  for (let length = parts.length; length > 0; length--) {
    const path = posix.join(base, ...parts.slice(0, length))
    const found = firstOf([`${path}.rs`, `${path}/mod.rs`], known)
    if (found.length > 0) return found
  }
  return []
}

/** A package is a folder, so all its files are meant. */
function go(written: string, { files, goModule }: Known): string[] {
  if (goModule === undefined || !(written === goModule || written.startsWith(`${goModule}/`))) return []
  const folder = written.slice(goModule.length + 1)
  return [...files].filter(file => {
    const directory = posix.dirname(file)
    return (directory === '.' ? '' : directory) === folder && !file.endsWith('_test.go')
  })
}

function java(written: string, { named }: Known): string[] {
  const path = written.replace(/^import\s+(?:static\s+)?|\s*;\s*$/g, '').replaceAll('.', '/')
  const candidates = [`${path}.java`, `${posix.dirname(path)}.java`]
  return candidates.flatMap(candidate =>
    (named.get(posix.basename(candidate)) ?? []).filter(file => file === candidate || file.endsWith(`/${candidate}`)),
  )
}

function include(from: string, written: string, known: Known): string[] {
  const direct = firstOf([beside(from, written), written, `include/${written}`, `src/${written}`], known)
  if (direct.length > 0) return direct
  const others = (known.named.get(posix.basename(written)) ?? []).filter(file => file.endsWith(`/${written}`))
  return others.length === 1 ? others : []
}

const RESOLVERS: Readonly<Partial<Record<Language, Resolver>>> = {
  javascript: script,
  typescript: script,
  tsx: script,
  python,
  rust,
  go: (_, written, known) => go(written, known),
  java: (_, written, known) => java(written, known),
  cpp: include,
  php: (from, written, known) => firstOf([beside(from, written)], known),
  ruby: (from, written, known) => firstOf([beside(from, `${written}.rb`), beside(from, written)], known),
}
