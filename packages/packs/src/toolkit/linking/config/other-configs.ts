import { posix } from 'node:path'
import { join } from '../tree.ts'
import type { GoModule } from './config.ts'
import { own, string, strings, table } from './parse.ts'
import type { Loose } from './parse.ts'

const REPLACE = /^[ \t]*(?:replace[ \t]+)?([^\s()]+)(?:[ \t]+v\S+)?[ \t]+=>[ \t]+(\.{1,2}\/\S*|\.{1,2})/gm

/** The module of a go.mod, and those that it replaces by directories. */
export function goModules(folder: string, text: string): GoModule[] {
  const code = text.replace(/\/\/[^\n]*/g, '')
  const [, quoted = ''] = /^[ \t]*module[ \t]+(\S+)/m.exec(code) ?? []
  const module = quoted.replace(/^["`]|["`]$/g, '')
  const replaced = [...code.matchAll(REPLACE)].flatMap(([, name = '', path = '']) => {
    const place = join(folder, path)
    return place === undefined ? [] : [{ module: name, folder: place }]
  })
  return [...(module === '' ? [] : [{ module, folder }]), ...replaced]
}

/** Where packages of Python begin, as a pyproject.toml says it. */
export function pythonRoots(folder: string, toml: Loose): string[] {
  const tool = table(own(toml, 'tool'))
  const setuptools = table(own(tool, 'setuptools'))
  const poetry = own(table(own(tool, 'poetry')), 'packages')
  const places = [
    ...strings(own(table(own(table(own(setuptools, 'packages')), 'find')), 'where')),
    ...Object.values(table(own(setuptools, 'package-dir'))).flatMap(strings),
    ...(Array.isArray(poetry) ? (poetry as unknown[]).map(one => string(own(table(one), 'from'))) : []),
    ...strings(own(table(own(table(own(tool, 'pytest')), 'ini_options')), 'pythonpath')),
  ]
  return places.flatMap(place => (place === undefined ? [] : (join(folder, place) ?? [])))
}

const SEARCH = /^-(?:I|iquote|isystem|idirafter)$/
const JOINED = /^(?:-I|-iquote|-isystem|-idirafter|\/I)(.+)$/
const MOST_ENTRIES = 100_000

/** Where the files of a compile_commands.json look for includes, from the root; with the empty name, all of them. */
export function includesOf(json: unknown, root: string): Record<string, string[]> {
  const entries = (Array.isArray(json) ? (json as unknown[]) : []).slice(0, MOST_ENTRIES)
  const found = new Map<string, string[]>()
  const all = new Set<string>()
  for (const entry of entries.map(table)) {
    const directory = string(own(entry, 'directory')) ?? root
    const file = string(own(entry, 'file'))
    const words = Array.isArray(own(entry, 'arguments'))
      ? strings(own(entry, 'arguments'))
      : wordsOf(string(own(entry, 'command')) ?? '')
    const places = searched(words).flatMap(path => belowRoot(posix.resolve(directory, path), root) ?? [])
    for (const place of places) all.add(place)
    const own_ = file === undefined ? undefined : belowRoot(posix.resolve(directory, file), root)
    if (own_ !== undefined) found.set(own_, [...new Set(places)])
  }
  return Object.fromEntries([...found, ['', [...all]]])
}

function searched(words: readonly string[]): string[] {
  return words.flatMap((word, i) => {
    if (SEARCH.test(word)) return words[i + 1] ?? []
    return JOINED.exec(word)?.[1] ?? []
  })
}

const wordsOf = (command: string): string[] =>
  (command.slice(0, 100_000).match(/"(?:[^"\\]|\\.)*"|'[^']*'|(?:[^\s"'\\]|\\.)+/g) ?? []).map(word =>
    word.replace(/^["']|["']$/g, '').replace(/\\(.)/g, '$1'),
  )

function belowRoot(path: string, root: string): string | undefined {
  if (path === root) return ''
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined
}
