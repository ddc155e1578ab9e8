import { isObject } from '../support/is-object.ts'

/** A JSON Schema, as it was listed. */
export type Schema = Readonly<Record<string, unknown>>

const DEEPEST = 16
const MOST = 2000
const NESTED = ['items', 'additionalProperties', 'not', 'contains']
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const MAPS = ['properties', '$defs', 'definitions', 'patternProperties']

/** The schemas inside a schema, with where they are: parameters, their items, and so on. The top is not among them. */
export function fieldsIn(schema: Schema): readonly (readonly [string, Schema])[] {
  const found: (readonly [string, Schema])[] = []
  const walk = (at: Schema, where: string, depth: number): void => {
    for (const [place, inner] of childrenOf(at)) {
      if (found.length === MOST || depth === DEEPEST) return
      const path = where === '' ? place : `${where}.${place}`
      found.push([path, inner])
      walk(inner, path, depth + 1)
    }
  }
  walk(schema, '', 0)
  return found
}

function childrenOf(schema: Schema): [string, Schema][] {
  const maps = MAPS.flatMap(key => (isObject(schema[key]) ? Object.entries(schema[key]) : []))
  const nested = NESTED.map(key => [key, schema[key]] as const)
  const lists = LISTS.flatMap(key => {
    const list = schema[key]
    return Array.isArray(list) ? list.map((one, i) => [`${key}[${i}]`, one] as const) : []
  })
  return [...maps, ...nested, ...lists].filter((pair): pair is [string, Schema] => isObject(pair[1]))
}
