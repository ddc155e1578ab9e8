import { createHash } from 'node:crypto'
import { canonicalJson, isObject } from '@causeway/engine/internal'

/** A tool's definition, as a server lists it. */
export type Definition = Readonly<Record<string, unknown>>

/** What the lock knows of a tool: all of it, its schemas without words, and its promises, each as short text. */
export interface Fingerprint {
  readonly hash: string
  readonly shape: string
  readonly hints: string
}

/** Members whose change a person should see. */
const MEMBERS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const
/** Members of a schema that only explain. */
const WORDS = new Set(['title', 'description', 'examples', '$comment', 'default'])
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

/** The short hash of a value. */
export const hashOf = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('base64url').slice(0, 22)

/** What a definition is known by. */
export function fingerprint(definition: Definition): Fingerprint {
  const seen = Object.fromEntries(MEMBERS.map(key => [key, definition[key]]))
  const { inputSchema, outputSchema, annotations } = definition
  return {
    hash: hashOf(seen),
    shape: hashOf([wordless(inputSchema), wordless(outputSchema)]),
    hints: hintsOf(annotations),
  }
}

/** `r`, `d`, `i`, `o` for what is promised, `-` for what is denied, `?` for what is left open. */
function hintsOf(annotations: unknown): string {
  const given = isObject(annotations) ? annotations : {}
  return HINTS.map((key, at) => (given[key] === true ? 'rdio'[at] : given[key] === false ? '-' : '?')).join('')
}

/** A schema without its explanations; a property may be called `title`, so names of properties stay. */
function wordless(schema: unknown, isNames = false): unknown {
  if (Array.isArray(schema)) return schema.map(item => wordless(item))
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => isNames || !WORDS.has(key))
      .map(([key, value]) => [key, wordless(value, !isNames && (key === 'properties' || key === '$defs'))]),
  )
}
