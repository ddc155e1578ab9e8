import { createRequire } from 'node:module'
import type * as Jsonc from 'jsonc-parser'
import type { Node, ParseError } from 'jsonc-parser'
import type * as Toml from 'smol-toml'
import type * as Yaml from 'yaml'
import { eolOf, unitOf, withMember } from './insert-member.ts'

const load = createRequire(import.meta.url)
// Loaded on first use, since most starts need none of them.
const jsonc = (): typeof Jsonc => load('jsonc-parser') as typeof Jsonc
const toml = (): typeof Toml => load('smol-toml') as typeof Toml
const yaml = (): typeof Yaml => load('yaml') as typeof Yaml

/** Is a file TOML, by its name? */
export const isToml = (file: string): boolean => /\.toml$/i.test(file)
/** Is a file YAML, by its name? */
export const isYaml = (file: string): boolean => /\.ya?ml$/i.test(file)

/** Parse JSON as people write it: with a byte order mark, comments and trailing commas. */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = []
  const tree = jsonc().parseTree(withoutMark(text), errors, { allowTrailingComma: true })
  const [first] = errors
  if (first || !tree) throw new SyntaxError(located(first ?? { error: 4, offset: 0, length: 0 }, withoutMark(text)))
  return jsonValue(tree)
}

/** What a tree stands for: by definition and not by assignment, so that a key `__proto__` is one like any other. */
export function jsonValue({ type, value, children = [] }: Node): unknown {
  if (type === 'array') return children.map(jsonValue)
  if (type !== 'object') return value
  const members = children.map(({ children: [key, member] = [] }) => [key?.value, member && jsonValue(member)] as const)
  return Object.fromEntries(members)
}

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '')

/** `invalid JSON: property name expected at line 3, column 5` */
function located({ error, offset }: ParseError, text: string): string {
  const before = text.slice(0, offset).split('\n')
  return `invalid JSON: ${jsonProblem(error)} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

/** `PropertyNameExpected` as `property name expected`. */
export const jsonProblem = (error: number): string =>
  jsonc()
    .printParseErrorCode(error)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()

/** Parse a file of settings, which is TOML, YAML or JSON by its name. */
export function parseSettings(file: string, text: string): unknown {
  if (isToml(file)) return toml().parse(withoutMark(text))
  return isYaml(file) ? yaml().parse(withoutMark(text)) : parseJsonc(text)
}

const LONGEST_LAID_OUT = 100_000

/** A member of a JSON text set to a value, or removed if the value is undefined; all else stays as it is written. */
export function editJson(text: string, path: readonly string[], value: unknown): string {
  const { applyEdits, findNodeAtLocation, modify, parseTree } = jsonc()
  const tree = parseTree(text, [], { allowTrailingComma: true })
  if (value === undefined) return applyEdits(text, modify(text, [...path], value, {}))
  const known = tree && path.findLastIndex((_, i) => findNodeAtLocation(tree, path.slice(0, i + 1)))
  const isThere = known === path.length - 1
  // A text of one line has no layout to keep; laying out a long one would take minutes.
  const isPlain = text.length < LONGEST_LAID_OUT && !text.trim().includes('\n')
  if (!tree || isThere || known === undefined || isPlain)
    return applyEdits(text, modify(text, [...path], value, { formattingOptions: formatOf(text) }))
  const parent = findNodeAtLocation(tree, path.slice(0, known + 1))
  const [name = '', ...rest] = path.slice(known + 1)
  const nested = rest.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
  return parent?.type === 'object' ? withMember(text, parent, [name, nested]) : text
}

function formatOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const unit = unitOf(text)
  const isTab = unit.startsWith('\t')
  return { insertSpaces: !isTab, tabSize: isTab ? 1 : unit.length, eol: eolOf(text) }
}
