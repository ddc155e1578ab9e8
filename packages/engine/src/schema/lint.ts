type Rule = (value: unknown) => string | undefined

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
const pattern: Rule = v => {
  if (typeof v !== 'string') return 'must be a string'
  try {
    return void new RegExp(v, 'u')
  } catch (e) {
    return `is not a valid regular expression under the u flag: ${e instanceof Error ? e.message : String(e)}`
  }
}

const SIMPLE: Readonly<Record<string, Rule>> = {
  type,
  pattern,
  required: names,
  enum: values,
  title: text,
  description: text,
  format: text,
  $ref: text,
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
}
const ONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames']
const MANY = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const DEEPEST = 64

/** What is malformed in a JSON Schema, each with its place; empty when nothing is. */
export function lint(schema: unknown): string[] {
  return [...inspect(schema, '#', 0), ...dangling(schema)]
}

function inspect(schema: unknown, path: string, depth: number): string[] {
  if (typeof schema === 'boolean') return []
  if (!isMap(schema)) return [`${path} must be a schema object, not ${JSON.stringify(schema)?.slice(0, 60)}`]
  if (depth > DEEPEST) return [`${path} is nested more than ${DEEPEST} schemas deep`]
  return Object.entries(schema).flatMap(([key, value]) => inspectKeyword(key, value, `${path}/${key}`, depth + 1))
}

function inspectKeyword(key: string, value: unknown, path: string, depth: number): string[] {
  const wrong = Object.hasOwn(SIMPLE, key) ? SIMPLE[key]?.(value) : undefined
  if (wrong !== undefined) return [`${path} ${wrong}`]
  if (ONE.includes(key)) return inspect(value, path, depth)
  if (MANY.includes(key)) {
    if (!Array.isArray(value)) return [`${path} must be an array of schemas`]
    return value.flatMap((inner, i) => inspect(inner, `${path}/${i}`, depth))
  }
  if (!NAMED.includes(key)) return []
  if (!isMap(value)) return [`${path} must be an object that maps names to schemas`]
  return Object.entries(value).flatMap(([name, inner]) => inspect(inner, `${path}/${name}`, depth))
}

/** References inside the document that lead nowhere; others would have to be fetched, which we never do. */
function dangling(schema: unknown): string[] {
  const refs = new Set<string>()
  JSON.stringify(schema, (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') refs.add(value)
    return value
  })
  return [...refs]
    .filter(ref => ref.startsWith('#/') && !resolves(schema, ref))
    .map(ref => `$ref ${ref} points to nothing in this schema`)
}

function resolves(root: unknown, ref: string): boolean {
  let value: unknown = root
  for (const part of ref.slice(2).split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
    value = (value as Record<string, unknown>)[key]
  }
  return true
}
