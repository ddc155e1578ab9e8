import type { Node } from '@vscode/tree-sitter-wasm'
import type { Definition } from '../symbols/definition.ts'
import { isCallable } from '../symbols/definition.ts'
import type { Link } from './links.ts'
import { captured } from './reading.ts'
import type { Reading } from './reading.ts'

const PATH = /(?<![\w:])((?:r#)?[a-z_]\w*|Self)((?:::(?:r#)?\w+)+)/g
const MACRO = /#\[macro_export[^\]]{0,100}\]\s{0,100}(?:#\[[^\]]{0,200}\]\s{0,100}){0,10}macro_rules!\s{0,20}(\w+)/g
const MOST_PATHS = 5000

/** The modules, uses and paths of a file of Rust. */
export function rustLinks(reading: Reading, definitions: readonly Definition[]): Link[] {
  const modules = definitions.filter(({ kind }) => kind === 'module')
  const within = (at: number): string =>
    modules
      .filter(({ from, to }) => from < at && at < to)
      .map(({ name }) => name)
      .join('::')
  const uses = captured(reading.matches, 'use')
  return [...modsIn(reading, within), ...usesIn(reading, uses, within), ...pathsIn(reading, uses, within)]
}

type Within = (at: number) => string

function modsIn({ source, matches, lines }: Reading, within: Within): Link[] {
  return matches.flatMap(({ captures }) => {
    const mod = captures.find(({ name }) => name === 'mod')?.node
    const name = captures.find(one => one.name === 'name')?.node
    if (!mod || !name) return []
    const before = source.slice(Math.max(0, mod.startIndex - 300), mod.startIndex)
    const [, path] = /#\[\s*path\s*=\s*"([^"]+)"\s*\]\s*(?:#\[[^\]]*\]\s*|\/\/[^\n]*\n\s*)*$/.exec(before) ?? []
    return [
      {
        to: path ?? '',
        as: source.slice(name.startIndex, name.endIndex).replace(/^r#/, ''),
        line: lines.at(mod.startIndex),
        how: 'declares' as const,
        within: within(mod.startIndex),
        open: /^pub\s+mod\b/.test(source.slice(mod.startIndex, mod.startIndex + 50)),
      },
    ]
  })
}

const usesIn = ({ code, lines }: Reading, uses: readonly Node[], within: Within): Link[] =>
  uses.flatMap(({ startIndex, endIndex }) => {
    const text = code.slice(startIndex, endIndex).replace(/\s+/g, ' ')
    const tree = text
      .replace(/^(?:pub ?(?:\([^)]*\))? ?)?(?:use|extern crate) |;.*$/g, '')
      .replace(/ ?(::|[{},]) ?/g, '$1')
    return branches(tree, '', 0).map(({ to, as }) => ({
      to,
      as,
      line: lines.at(startIndex),
      within: within(startIndex),
      open: /^pub (?:use|extern) /.test(text),
    }))
  })

interface Branch {
  readonly to: string
  readonly as: string
}

const DEEPEST = 40

/** `a::{b, c::{self, d as e}}` as `a::b`, `a::c` and `a::c::d` under the name `e`. */
function branches(tree: string, before: string, depth: number): Branch[] {
  const open = tree.indexOf('{')
  if (open < 0) return [leaf(before + tree)]
  if (depth > DEEPEST) return []
  const head = before + tree.slice(0, open)
  return parts(tree.slice(open + 1, tree.lastIndexOf('}'))).flatMap(part => branches(part, head, depth + 1))
}

function leaf(path: string): Branch {
  const [whole = '', alias] = path.trim().split(/ as /)
  const to = whole
    .replace(/^::/, '')
    .replace(/::self$/, '')
    .replaceAll('r#', '')
    .trim()
  return { to, as: alias?.trim() ?? to.slice(to.lastIndexOf(':') + 1) }
}

function parts(text: string): string[] {
  const found: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at] ?? ','
    if (sign === '{') depth += 1
    if (sign === '}') depth -= 1
    if (sign === ',' && depth === 0) {
      found.push(text.slice(start, at))
      start = at + 1
    }
  }
  return found.filter(part => part.trim() !== '')
}

/** Paths that stand in the code, not in a `use`. */
function pathsIn({ code, lines }: Reading, uses: readonly Node[], within: Within): Link[] {
  const seen = new Map<string, Link>()
  let use = 0
  for (const { 0: to, index } of code.matchAll(PATH)) {
    while (use < uses.length && uses[use]!.endIndex <= index) use += 1
    if (uses[use] && uses[use]!.startIndex <= index) continue
    const key = `${within(index)} ${to}`
    if (!seen.has(key))
      seen.set(key, { to: to.replaceAll('r#', ''), line: lines.at(index), how: 'path', within: within(index) })
    if (seen.size >= MOST_PATHS) break
  }
  return [...seen.values()]
}

/** What stands in the modules of a file; macros for others stand at the top of its crate, marked with `!`. */
export function rustDefines(definitions: readonly Definition[], code: string): string[] {
  const holders = new Set(definitions.filter(({ kind }) => kind !== 'module').map(({ name }) => name))
  const own = definitions
    .filter(({ kind, container }) => {
      const top = container?.split('.')[0] ?? ''
      return kind !== 'impl' && kind !== 'import' && !(top !== '' && holders.has(top) && !isModule(definitions, top))
    })
    .filter(
      ({ kind, container }) =>
        container === undefined || !isCallable(kind) || isModule(definitions, container.split('.').at(-1) ?? ''),
    )
    .map(({ name, container }) => (container === undefined ? name : `${container.replaceAll('.', '::')}::${name}`))
  return [...new Set([...own, ...[...code.matchAll(MACRO)].map(([, name = '']) => `${name}!`)])]
}

const isModule = (definitions: readonly Definition[], name: string): boolean =>
  definitions.some(one => one.kind === 'module' && one.name === name)
