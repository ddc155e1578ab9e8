import type { Link, Links } from '../../analysis/links/links.ts'
import { NOWHERE, outside, to } from '../resolution.ts'
import { firstFile, folderOf, join } from '../tree.ts'
import type { Project, Resolver } from './resolver.ts'

// More namespaces than code opens that people write.
const MOST_OPENED = 1000

/** A file and what was found in it. */
export interface Linked {
  readonly file: string
  readonly links: Links
}

/** The files that define something, by its name with all namespaces. */
export interface Definitions {
  readonly byName: ReadonlyMap<string, readonly string[]>
  readonly namespaces: ReadonlySet<string>
  /** With those that only others are in. */
  readonly spaces: ReadonlySet<string>
  /** By file. */
  readonly of: ReadonlyMap<string, Links>
  /** What all files of a folder and below take, as `global using` says. */
  readonly global: readonly string[]
}

/** What some files define. */
export function definitionsOf(files: readonly Linked[]): Definitions {
  const byName = new Map<string, string[]>()
  const namespaces = new Set(files.flatMap(({ links }) => links.namespaces ?? []))
  for (const { file, links } of files) {
    for (const name of links.defines ?? []) {
      const known = byName.get(name)
      if (known) known.push(file)
      else byName.set(name, [file])
    }
  }
  const global = files.flatMap(({ links }) =>
    links.links.flatMap(({ to: text }) => /^global using (?!static\b)([\w.]+);?$/.exec(text)?.[1] ?? []),
  )
  return {
    byName,
    namespaces,
    spaces: new Set([...namespaces].flatMap(outwards)),
    of: new Map(files.map(({ file, links }) => [file, links])),
    global: [...new Set(global)],
  }
}

/** Files that a file uses without a statement that says so: what stands in its own namespaces and those it opens. */
export function usedByName(file: string, definitions: Definitions): { readonly to: string; readonly line: number }[] {
  const links = definitions.of.get(file)
  const opened = new Set(
    [...(links?.namespaces ?? []).flatMap(outwards), ...openedBy(links?.links ?? []), ...definitions.global].slice(
      0,
      MOST_OPENED,
    ),
  )
  const aliases = new Set(links?.defines?.map(name => name.slice(name.lastIndexOf('.') + 1)))
  return (links?.names ?? []).flatMap(([name, line]) => {
    if (aliases.has(name)) return []
    const found = [...opened].flatMap(space => definitions.byName.get(space === '' ? name : `${space}.${name}`) ?? [])
    return [...new Set(found)].filter(other => other !== file).map(other => ({ to: other, line }))
  })
}

/** A namespace and those it is in: `a.b` and `a`. */
const outwards = (space: string): string[] => {
  const parts = space.split('.')
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('.'))
}

/** Namespaces, and types, whose members need no more than their names. */
const openedBy = (links: readonly Link[]): string[] =>
  links.flatMap(({ to: text }) => {
    const [, space, star] =
      /^(?:(?:global )?using (?:static )?|import (?:static )?)([\w.]+?)(\.\*)?;?$/.exec(text.replace(/ ?\. ?/g, '.')) ??
      []
    return space === undefined || (text.startsWith('import') && star === undefined) ? [] : [space]
  })

/** How Java names classes: by package and name, whatever file they are in. */
export function java(definitions: Definitions): Resolver {
  return (_, { to: written }) => {
    const path = written.replace(/^import (?:static )?|\s|;$/g, '')
    if (path.endsWith('.*') && definitions.namespaces.has(path.slice(0, -2))) return { files: [], outside: '' }
    const parts = path.replace(/\.\*$/, '').split('.')
    for (let length = parts.length; length > 0; length--) {
      const files = definitions.byName.get(parts.slice(0, length).join('.'))
      if (files) return { files }
    }
    const isOurs = parts.some(
      (_part, i) => i > 0 && definitions.namespaces.has(parts.slice(0, i).join('.')) && /^\p{Lu}/u.test(parts[i] ?? ''),
    )
    return isOurs ? NOWHERE : outside(parts.slice(0, 3).join('.'))
  }
}

/** How C# names what it takes: a type by `using static` and aliases; namespaces alone lead to no file. */
export function csharp(definitions: Definitions): Resolver {
  return (_, { to: written }) => {
    const path = written
      .replace(/^(?:global )?using (?:static |unsafe )?(?:\w+ ?= ?)?|;$/g, '')
      .replace(/[\s<][^]*$/, '')
    const files = definitions.byName.get(path)
    if (files) return { files }
    if (definitions.spaces.has(path)) return { files: [], outside: '' }
    return outside(path.split('.', 2).join('.'))
  }
}

/** How PHP names classes, and files. */
export function php({ tree }: Project, definitions: Definitions): Resolver {
  return (from, { to: written, how }) => {
    const [, name] = /^use (.*)$/.exec(written) ?? []
    if (name === undefined) return to(firstFile(tree, [join(folderOf(from), written), join('', written)]))
    const files = definitions.byName.get(name)
    if (files) return { files }
    const space = name.slice(0, Math.max(0, name.lastIndexOf('.')))
    if (how !== 'path' && definitions.namespaces.has(space) && space !== '') return NOWHERE
    return outside(name.split('.', 1)[0] ?? name)
  }
}
