import { createHash } from 'node:crypto'
import { canonicalJson, isObject } from '@causeway/engine/internal'

/** A definition, as a server lists it. */
export type Definition = Readonly<Record<string, unknown>>

/** Members that locks of version 1 covered. */
const FIRST_MEMBERS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const
/** Members of a schema that only explain. */
const WORDS = new Set(['title', 'description', 'examples', '$comment', 'default'])
const DATE = /^[\d:.TZ+-]{4,40}$/

/** The short hash of a value. */
export const hashOf = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('base64url').slice(0, 22)

/**
 * What the lock covers of a definition: everything but the size and the date of a resource, which change with its
 * content. Only a number and a date are left out, so that no text can hide there.
 */
export function coveredBy(definition: Definition): Definition {
  const { size, ...rest } = definition
  const { annotations } = rest
  const covered = typeof size === 'number' ? rest : definition
  if (!isObject(annotations) || typeof annotations.lastModified !== 'string') return covered
  if (!DATE.test(annotations.lastModified)) return covered
  const { lastModified, ...others } = annotations
  return { ...covered, annotations: others }
}

const prints = new WeakMap<Definition, string>()

/** The hash of a definition, made once. */
export function printOf(definition: Definition): string {
  const known = prints.get(definition)
  if (known !== undefined) return known
  const made = hashOf(coveredBy(definition))
  prints.set(definition, made)
  return made
}

/** The schemas of a tool without their explanations. */
export const shapeOf = ({ inputSchema, outputSchema }: Definition): string =>
  hashOf([wordless(inputSchema), wordless(outputSchema)])

/** The hash that a lock of version 1 has of a tool; undefined if the tool has members that such a lock does not cover. */
export function firstHash(tool: Definition): string | undefined {
  if (Object.keys(tool).some(key => !FIRST_MEMBERS.includes(key as 'name'))) return undefined
  return hashOf(Object.fromEntries(FIRST_MEMBERS.map(key => [key, tool[key]])))
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
