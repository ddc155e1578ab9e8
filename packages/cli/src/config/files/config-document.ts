import { createRequire } from 'node:module'
import type * as Jsonc from 'jsonc-parser'
import type * as Yaml from 'yaml'
import { isYaml, jsonProblem, jsonValue } from './file-formats.ts'

/** Where something stands in a file, counted from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** The way to a value: keys of objects, indexes of arrays. */
export type ConfigPath = readonly (string | number)[]

/** A configuration file, parsed. */
export interface ConfigDocument {
  readonly value: unknown
  /** Where a key or an item stands; if it is missing, what it is missing in. */
  placeOf(path: ConfigPath): Place | undefined
}

/** A file that cannot be parsed. */
export class MalformedDocument extends Error {
  override readonly name = 'MalformedDocument'
  readonly place: Place | undefined
  constructor(message: string, place: Place | undefined) {
    super(message)
    this.place = place
  }
}

const load = createRequire(import.meta.url)
// An alias may stand for a list of aliases, and so on.
const MOST_ALIASES = 100

/** Parse a configuration file: YAML 1.2 by its name, otherwise JSON with comments. */
export function parseDocument(file: string, text: string): ConfigDocument {
  const plain = text.replace(/^\uFEFF/, '')
  return isYaml(file) ? yamlDocument(plain) : jsonDocument(plain)
}

/** `rights[0].allow` as the keys and indexes that lead there; `auth.scopes.tools["a.b"]` has a key with a dot. */
export const pathOf = (where: string): ConfigPath =>
  [...where.matchAll(/\["(.*)"\]|\[(\d+)\]|([^.[\]]+)/gs)].map(([, quoted, index, name]) =>
    index === undefined ? (quoted ?? name ?? '') : Number(index),
  )

function placeIn(text: string, offset: number): Place {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/)
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

function jsonDocument(text: string): ConfigDocument {
  const { findNodeAtLocation, parseTree } = load('jsonc-parser') as typeof Jsonc
  const errors: Jsonc.ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first || !tree) {
    const { error, offset } = first ?? { error: 4, offset: 0 }
    throw new MalformedDocument(`invalid JSON: ${jsonProblem(error)}`, placeIn(text, offset))
  }
  const twice = repeatedKey(tree)
  if (twice)
    throw new MalformedDocument(`the key '${String(twice.value)}' stands here twice`, placeIn(text, twice.offset))
  return {
    value: jsonValue(tree),
    placeOf(path) {
      for (let length = path.length; length >= 0; length--) {
        const node = findNodeAtLocation(tree, path.slice(0, length))
        const key = node?.parent?.type === 'property' ? node.parent : node
        if (key) return placeIn(text, key.offset)
      }
      return undefined
    },
  }
}

/** Which of two would count is not what the reader sees. */
function repeatedKey({ type, children = [] }: Jsonc.Node): Jsonc.Node | undefined {
  const seen = new Set<unknown>()
  for (const child of children) {
    const [key] = type === 'object' ? (child.children ?? []) : []
    if (key && seen.has(key.value)) return key
    if (key) seen.add(key.value)
    const inside = repeatedKey(child)
    if (inside) return inside
  }
  return undefined
}

function yamlDocument(text: string): ConfigDocument {
  const yaml = load('yaml') as typeof Yaml
  const options = { version: '1.2', merge: false, prettyErrors: false, logLevel: 'error' } as const
  const document = yaml.parseDocument(text, options)
  // A tag that is not known would be left out with a warning.
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) throw new MalformedDocument(yamlProblem(problem), placeIn(text, problem.pos[0]))
  if (document.directives?.yaml.explicit === true && document.directives.yaml.version !== '1.2')
    throw new MalformedDocument('only YAML 1.2 is read: leave out the line %YAML', { line: 1, column: 1 })
  return {
    // A file with nothing but comments is null.
    value: document.toJS({ maxAliasCount: MOST_ALIASES }) ?? {},
    placeOf: path => {
      const offset = yamlOffset(yaml, document.contents, path)
      return offset === undefined ? undefined : placeIn(text, offset)
    },
  }
}

function yamlProblem({ code, message }: Yaml.YAMLError): string {
  const words = `invalid YAML: ${message.slice(0, 300)}`
  return code === 'BAD_ALIAS' ? `${words}. Write a text that begins with * in quotes, such as "*"` : words
}

/** Where the key or the item begins, or what it is missing in. */
function yamlOffset(yaml: typeof Yaml, root: unknown, path: ConfigPath): number | undefined {
  let node = root
  let offset = yaml.isNode(root) ? root.range?.[0] : undefined
  for (const step of path) {
    if (yaml.isMap(node)) {
      const pair = node.items.find(({ key }) => yaml.isScalar(key) && String(key.value) === String(step))
      if (!pair || !yaml.isNode(pair.key)) break
      offset = pair.key.range?.[0]
      node = pair.value
    } else if (yaml.isSeq(node)) {
      const item: unknown = node.items[Number(step)]
      if (!yaml.isNode(item)) break
      offset = item.range?.[0]
      node = item
    } else break
  }
  return offset
}
