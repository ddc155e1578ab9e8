import { isObject } from '../support/is-object.ts'
import { MANY, NAMED, parts } from './parts.ts'
import { lostRefs } from './refs.ts'

type Rule = (value: unknown) => string | undefined

const TYPES = ['object', 'string', 'number', 'integer', 'boolean', 'array', 'null']
const isType = (value: unknown): boolean => typeof value === 'string' && TYPES.includes(value)

const count: Rule = v => (Number.isInteger(v) && Number(v) >= 0 ? undefined : 'must be a whole number, 0 or more')
const number: Rule = v => (typeof v === 'number' ? undefined : 'must be a number')
const text: Rule = v => (typeof v === 'string' ? undefined : 'must be a string')
const names: Rule = v =>
  Array.isArray(v) && v.every(n => typeof n === 'string') ? undefined : 'must be an array of property names'
const values: Rule = v => (Array.isArray(v) && v.length > 0 ? undefined : 'must be a non-empty array of values')
const type: Rule = v =>
  isType(v) || (Array.isArray(v) && v.length > 0 && v.every(isType))
    ? undefined
    : `must be one of ${TYPES.join(', ')}, or an array of them`
const reference: Rule = v =>
  typeof v === 'string' && v !== '' ? undefined : 'must be a reference, such as "#/$defs/name"'
const schemas: Rule = v => (Array.isArray(v) ? undefined : 'must be an array of schemas')
const named: Rule = v => (isObject(v) ? undefined : 'must be an object that maps names to schemas')
const pattern: Rule = v => {
  if (typeof v !== 'string') return 'must be a string'
  try {
    return void new RegExp(v, 'u')
  } catch (e) {
    return `is not a valid regular expression under the u flag: ${e instanceof Error ? e.message : String(e)}`
  }
}

const RULES: Readonly<Record<string, Rule>> = {
  type,
  pattern,
  required: names,
  enum: values,
  title: text,
  description: text,
  format: text,
  $ref: reference,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: v => (typeof v === 'number' && v > 0 ? undefined : 'must be a number above 0'),
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
  ...Object.fromEntries(MANY.map(key => [key, schemas])),
  ...Object.fromEntries(NAMED.map(key => [key, named])),
}
const DEEPEST = 64

/** What is malformed in a JSON Schema, or cannot be followed, each with its place; empty when nothing is. */
export function lint(schema: unknown): string[] {
  const faults = inspect(schema, '#', 0)
  return faults.length > 0 ? faults : lostRefs(schema)
}

function inspect(schema: unknown, path: string, depth: number): string[] {
  if (typeof schema === 'boolean') return []
  if (!isObject(schema)) return [`${path} must be a schema object, not ${JSON.stringify(schema)?.slice(0, 60)}`]
  if (depth > DEEPEST) return [`${path} is nested more than ${DEEPEST} schemas deep`]
  const own = Object.entries(schema).flatMap(([key, value]) => {
    const wrong = Object.hasOwn(RULES, key) ? RULES[key]?.(value) : undefined
    return wrong === undefined ? [] : [`${path}/${key} ${wrong}`]
  })
  return [...own, ...parts(schema).flatMap(([way, part]) => inspect(part, `${path}/${way}`, depth + 1))]
}
