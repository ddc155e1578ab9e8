import type { Link } from './links.ts'
import { captured } from './reading.ts'
import type { Reading } from './reading.ts'

/** `use A\{B, C as D}` as one link for each name, with dots. */
export function phpUses(statements: readonly Link[]): Link[] {
  return statements.flatMap(({ to, line }) => {
    const [, kind = '', rest = ''] = /^use\s+(function\s+|const\s+)?([^;]*)/.exec(to) ?? []
    const [, before = '', group] = /^([^{]*)\{([^}]*)\}/.exec(rest) ?? []
    const names = group === undefined ? rest.split(',') : group.split(',').map(name => before + name.trim())
    return names
      .map(name => name.trim().replace(/\s+as\s+\w+$/, ''))
      .filter(name => /^[\w\\]+$/.test(name))
      .map(name => ({
        to: `use ${name.replace(/^\\/, '').replaceAll('\\', '.')}`,
        line,
        how: kind === '' ? undefined : 'path',
      }))
  })
}

/** Files that are included by a text, which may follow the directory of this one. */
export function phpIncludes({ source, matches, lines }: Reading): Link[] {
  return captured(matches, 'include').flatMap(node => {
    const written = source.slice(node.startIndex, node.endIndex)
    const [, own, up, path] =
      /^\w+\s*\(?\s*(?:(__DIR__|dirname\(\s*__FILE__\s*\))\s*\.\s*|(dirname\(\s*__DIR__\s*\))\s*\.\s*)?["']([^"'$]+)["']\s*\)?$/.exec(
        written,
      ) ?? []
    if (path === undefined) return []
    const to =
      own === undefined && up === undefined ? path : `${up === undefined ? '.' : '..'}/${path.replace(/^\//, '')}`
    return [{ to, line: lines.at(node.startIndex) }]
  })
}
