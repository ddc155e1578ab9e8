import { isObject } from '../support/is-object.ts'
import { DocumentProblem } from './document.ts'
import type { Json } from './document.ts'
import type { References } from './references.ts'
import { shortText } from './short-text.ts'

const TYPES: readonly unknown[] = ['object', 'string', 'number', 'integer', 'boolean', 'array', 'null']
// Less of a schema is shown where more would cost a model too much.
const DEPTHS = [8, 5, 4, 3, 2, 1]
const MOST_SCHEMAS = 250
const MOST_VALUES = 100
const MOST_CHARACTERS = 6000

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value)
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0
const isText = (value: unknown): boolean => typeof value === 'string'

/** Keywords that are taken as they are, if they are well formed. */
const PLAIN: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: value => TYPES.includes(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
  const: () => true,
  default: () => true,
  format: isText,
  pattern: isPattern,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: value => isNumber(value) && Number(value) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  uniqueItems: value => typeof value === 'boolean',
  minProperties: isCount,
  maxProperties: isCount,
}

function isType(value: unknown): boolean {
  return TYPES.includes(value)
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 500) return false
  try {
    return new RegExp(value, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** A schema of a document for itself: references replaced by what they lead to, as deep as there is room for, and nothing malformed. */
export function plainSchema(schema: unknown, references: References): Json {
  for (const deepest of DEPTHS) {
    const state: State = { references, deepest, count: 0, open: [] }
    const plain = convert(schema, 0, state)
    if (plain === true || !plain) return {}
    if (state.count <= MOST_SCHEMAS && JSON.stringify(plain).length <= MOST_CHARACTERS) return plain
  }
  return {}
}

interface State {
  readonly references: References
  readonly deepest: number
  /** References that are being followed. */
  readonly open: unknown[]
  count: number
}

/** Undefined where the place takes nothing of the client's. */
function convert(given: unknown, depth: number, state: State): Json | true | undefined {
  if (!isObject(given)) return true
  state.count += 1
  if (state.count > MOST_SCHEMAS) return true
  const isReference = typeof given.$ref === 'string'
  const schema = isReference ? { ...state.references.resolve(given), ...described(given) } : given
  if (schema.readOnly === true && depth > 0) return undefined
  if (depth >= state.deepest || (isReference && state.open.includes(given.$ref))) return outline(schema)
  if (isReference) state.open.push(given.$ref)
  try {
    return merged({ ...plainKeywords(schema), ...parts(schema, depth + 1, state) })
  } finally {
    if (isReference) state.open.pop()
  }
}

const described = ({ description }: Json): Json => (typeof description === 'string' ? { description } : {})

/** What is said of a schema that is not shown. */
function outline({ type, description }: Json): Json {
  return {
    ...(PLAIN.type?.(type) && { type }),
    ...(typeof description === 'string' && { description: shortText(description, 100) }),
  }
}

function plainKeywords(schema: Json): Record<string, unknown> {
  const kept = Object.entries(schema).filter(([key, value]) => Object.hasOwn(PLAIN, key) && PLAIN[key]?.(value))
  const { description, enum: values } = schema
  const isList = [schema.type].flat().includes('array')
  const isBytes = schema.format === 'binary' || schema.format === 'byte' || schema.contentMediaType !== undefined
  const isEnum = Array.isArray(values) && values.length > 0
  return {
    ...Object.fromEntries(kept.filter(([key]) => !(isBytes && key === 'format') && (isList || key !== 'uniqueItems'))),
    ...(isBytes && { contentEncoding: 'base64' }),
    ...(isEnum && values.length <= MOST_VALUES && { enum: [...new Set(values)] }),
    ...(typeof description === 'string' && description !== '' && { description: shortText(description, 160) }),
  }
}

function parts(schema: Json, depth: number, state: State): Record<string, unknown> {
  const { items, additionalProperties, allOf, anyOf, oneOf } = schema
  const found: Record<string, unknown> = propertiesOf(schema, depth, state)
  if (isObject(items)) found.items = convert(items, depth, state) ?? true
  if (isObject(additionalProperties)) found.additionalProperties = convert(additionalProperties, depth, state) ?? true
  else if (additionalProperties === false) found.additionalProperties = false
  for (const [key, list] of Object.entries({ allOf, anyOf, oneOf })) {
    if (!Array.isArray(list) || list.length === 0) continue
    // What some documents call one of several is often more than one of them.
    found[key === 'oneOf' ? 'anyOf' : key] = list.map(one => convert(one, depth, state) ?? true)
  }
  return found
}

function propertiesOf({ properties, required }: Json, depth: number, state: State): Record<string, unknown> {
  if (!isObject(properties)) return {}
  const own = Object.entries(properties).flatMap(([name, one]) => {
    const plain = name === '__proto__' ? undefined : convert(one, depth, state)
    return plain === undefined ? [] : [[name, plain] as const]
  })
  const known = new Set(own.map(([name]) => name))
  const needed = Array.isArray(required) ? required.filter(name => known.has(String(name))) : []
  return { properties: Object.fromEntries(own), ...(needed.length > 0 && { required: [...new Set(needed)] }) }
}

/** Objects that are put together from objects become one. */
function merged(schema: Record<string, unknown>): Json {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf)) return schema
  const all = [rest, ...allOf]
  if (!all.every(isMergeable)) return schema
  const properties: [string, unknown][] = all.flatMap(one => Object.entries((one.properties ?? {}) as Json))
  const required = all.flatMap(one => (one.required ?? []) as string[])
  return {
    ...Object.assign({}, ...allOf, rest),
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  }
}

const MERGEABLE = new Set(['type', 'properties', 'required', 'description'])
const isMergeable = (schema: unknown): schema is Json =>
  isObject(schema) &&
  [undefined, 'object'].includes(schema.type as string) &&
  Object.keys(schema).every(key => MERGEABLE.has(key))

/** Refuse a schema that cannot be followed before anything is made of it. */
export function orSkip<T>(what: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (error instanceof RangeError) throw new DocumentProblem(`${what} is nested too deeply`)
    throw error
  }
}
