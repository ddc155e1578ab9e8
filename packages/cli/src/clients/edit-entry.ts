import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '@causeway/engine/internal'
import type { ClientEntry } from '@causeway/engine/client-programs'
import type * as Toml from 'smol-toml'
import type * as Yaml from 'yaml'
import { editJson, isToml, isYaml, parseSettings } from '../config/files/file-formats.ts'
import { textOf } from '../config/files/replace-file.ts'
import { UsageError } from '../config/usage-error.ts'

type Path = ClientEntry['path']
type Json = Readonly<Record<string, unknown>>

const load = createRequire(import.meta.url)
const LONGEST = 8_000_000

/** What a file has at a path. */
export const valueAt = (content: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), content)

/** The entry that a settings file has at a path, if it has one. */
export const entryIn = (file: string, path: Path): unknown => valueAt(contentOf(file, textOf(file) ?? ''), path)

/** The content of a settings file; an empty one has nothing. */
export function contentOf(file: string, text: string): Json {
  if (text.length > LONGEST)
    throw new UsageError(`${file} cannot be read: it has more than ${LONGEST / 1e6} million characters.`, 4)
  let content: unknown
  try {
    content = text.trim() === '' ? {} : parseSettings(file, text)
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n\n')[0] : String(error)
    throw new UsageError(`${file} cannot be read: ${why}. Correct it first; nothing was changed.`, 4)
  }
  if (isObject(content)) return content
  if (content === null) return {}
  throw new UsageError(`${file} has no object at its top level. Correct it first; nothing was changed.`, 4)
}

/** The text of a settings file with an entry set, or removed; everything else stays as it is written. */
export function editEntry(file: string, text: string, path: Path, entry: Json | undefined): string {
  const before = contentOf(file, text)
  const wanted = withValue(before, path, entry)
  try {
    const after = edited(file, text, path, entry)
    if (isDeepStrictEqual(pruned(contentOf(file, after)), pruned(wanted))) return after
  } catch {
    // Said below, like any other text that is not what it should be.
  }
  throw new UsageError(`${file} is written in a way that cannot be edited safely. Edit '${path.join('.')}' by hand.`, 4)
}

function edited(file: string, text: string, path: Path, entry: Json | undefined): string {
  if (isToml(file)) return editToml(text, path, entry)
  return isYaml(file) ? editYaml(text, path, entry) : editAsJson(text, path, entry)
}

const editAsJson = (text: string, path: Path, entry: Json | undefined): string =>
  editJson(text.trim() === '' ? '{}\n' : text, path, entry)

function editYaml(text: string, path: Path, entry: Json | undefined): string {
  const { parseDocument, stringify, isMap } = load('yaml') as typeof Yaml
  const document = parseDocument(text)
  // Nothing there, or comments only.
  if (document.contents === null) return `${text}${stringify(withValue({}, path, entry), { lineWidth: 0 })}`
  if (entry === undefined) document.deleteIn(path)
  else {
    const parent = path.slice(0, -1)
    if (!isMap(document.getIn(parent))) document.setIn(parent, document.createNode({}))
    document.setIn(path, document.createNode(entry))
  }
  return document.toString({ lineWidth: 0 })
}

/** A table of TOML is a block of lines that ends where the next begins; it is added at the end. */
function editToml(text: string, path: Path, entry: Json | undefined): string {
  const rest = withoutTable(text, path)
  if (entry === undefined) return rest
  const { stringify } = load('smol-toml') as typeof Toml
  const block = stringify(withValue({}, path, entry))
  const gap = rest === '' || rest.endsWith('\n\n') ? '' : rest.endsWith('\n') ? '\n' : '\n\n'
  return `${rest}${gap}${block.trimEnd()}\n`
}

function withoutTable(text: string, path: Path): string {
  const isOurs = (line: string): boolean => {
    const [, name] = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line) ?? []
    const keys = name?.split('.').map(key => key.trim().replaceAll(/^["']|["']$/g, ''))
    return keys !== undefined && path.every((key, i) => keys[i] === key)
  }
  let isInside = false
  const kept = text.split(/(?<=\n)/).filter(line => {
    if (/^\s*\[/.test(line)) isInside = isOurs(line)
    return !isInside
  })
  return kept.length === text.split(/(?<=\n)/).length ? text : kept.join('').replace(/\n+$/, '\n')
}

function withValue(content: Json, [key = '', ...rest]: Path, value: unknown): Json {
  const { [key]: inner, ...others } = content
  const next = rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value)
  return next === undefined ? others : { ...others, [key]: next }
}

/** Without containers that are empty, which may be left or removed. */
function pruned(content: unknown): unknown {
  if (!isObject(content)) return content
  const members = Object.entries(content).map(([key, value]) => [key, pruned(value)] as const)
  return Object.fromEntries(members.filter(([, value]) => !isObject(value) || Object.keys(value).length > 0))
}
