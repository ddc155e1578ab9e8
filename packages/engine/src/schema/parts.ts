import { isObject } from '../support/is-object.ts'

/** A JSON object. */
export type Json = Record<string, unknown>

/** Keywords that hold a list of schemas. */
export const MANY: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
/** Keywords that map names to schemas. */
export const NAMED: readonly string[] = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const ONE: readonly string[] = [
  'items',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
]

/** The schemas that stand right inside one, each with the way to it. */
export function parts(schema: Json): (readonly [way: string, part: unknown])[] {
  return Object.entries(schema).flatMap(([key, value]) => {
    if (ONE.includes(key)) return [[key, value] as const]
    if (MANY.includes(key) && Array.isArray(value)) return value.map((part, i) => [`${key}/${i}`, part] as const)
    if (!NAMED.includes(key) || !isObject(value)) return []
    return Object.entries(value).map(([name, part]) => [`${key}/${escaped(name)}`, part] as const)
  })
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
