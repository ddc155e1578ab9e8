import { isObject } from '@causeway/engine/browser'

/** A JSON Schema, as far as a form needs it. */
export type Schema = Readonly<Record<string, unknown>>

/** What a field is made as. */
export type FieldKind =
  | 'const'
  | 'choice'
  | 'choices'
  | 'boolean'
  | 'number'
  | 'text'
  | 'array'
  | 'object'
  | 'map'
  | 'union'
  | 'any'

const MOST_REFS = 20

/** What a reference leads to within the same schema; `allOf` and nullable unions are put together. */
export function resolve(schema: unknown, root: Schema): Schema {
  let found: Schema = isObject(schema) ? schema : {}
  for (let i = 0; typeof found.$ref === 'string' && i < MOST_REFS; i++) {
    const { $ref, ...beside } = found
    found = { ...pointed($ref, root), ...beside }
  }
  if (Array.isArray(found.allOf)) found = merged(found, root)
  return withoutNull(found, root)
}

function pointed(ref: string, root: Schema): Schema {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return anchored(ref, root)
  const parts = ref
    .slice(2)
    .split('/')
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  let found: unknown = root
  for (const part of parts) found = isObject(found) || Array.isArray(found) ? (found as Schema)[part] : undefined
  return isObject(found) ? found : {}
}

function anchored(ref: string, root: Schema): Schema {
  const defs = Object.values({ ...asRecord(root.$defs), ...asRecord(root.definitions) })
  const found = defs.find(one => isObject(one) && (one.$id === ref || `#${String(one.$anchor)}` === ref))
  return isObject(found) ? found : {}
}

/** An object, or an empty one. */
export const asRecord = (value: unknown): Schema => (isObject(value) ? value : {})

function merged({ allOf, ...own }: Schema, root: Schema): Schema {
  const parts = [...(allOf as unknown[]).map(part => resolve(part, root)), own]
  const properties = Object.assign({}, ...parts.map(part => part.properties)) as Schema
  const required = parts.flatMap(part => (Array.isArray(part.required) ? part.required : []))
  return {
    ...(Object.assign({}, ...parts) as Schema),
    ...(Object.keys(properties).length > 0 && { properties, required }),
  }
}

/** `T or null` is a field for T that may be left empty. */
function withoutNull(schema: Schema, root: Schema): Schema {
  const name = Array.isArray(schema.anyOf) ? 'anyOf' : Array.isArray(schema.oneOf) ? 'oneOf' : undefined
  if (name === undefined) return schema
  const variants = schema[name] as unknown[]
  const real = variants.filter(one => asRecord(one).type !== 'null')
  if (real.length === variants.length) return schema
  const { [name]: _all, ...rest } = schema
  if (real.length === 1) return { ...resolve(real[0], root), ...rest, nullable: true }
  return { ...rest, [name]: real, nullable: true }
}

/** The types a schema allows, `null` left out. */
export function typesOf(schema: Schema): readonly string[] {
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type]
  return types.filter((type): type is string => typeof type === 'string' && type !== 'null')
}

/** The alternatives of a union. */
export function variantsOf(schema: Schema): readonly Schema[] {
  const list = schema.oneOf ?? schema.anyOf
  if (Array.isArray(list)) return list.filter(isObject)
  const types = typesOf(schema)
  return types.length > 1 ? types.map(type => Object.assign({}, schema, { type })) : []
}

/** The fixed values of a choice, be they an enum or a union of constants. */
export function choicesOf(schema: Schema): readonly { readonly value: unknown; readonly title: string }[] | undefined {
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? schema.enumNames : []
    return schema.enum
      .filter(value => value !== null)
      .map((value, i) => ({ value, title: String(names[i] ?? labelOf(value)) }))
  }
  const variants = variantsOf(schema)
  if (variants.length === 0 || !variants.every(variant => 'const' in variant)) return undefined
  return variants.map(variant => ({ value: variant.const, title: labelOf(variant.title ?? variant.const) }))
}

const labelOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Which field a resolved schema is made as. */
export function fieldKind(schema: Schema, root: Schema): FieldKind {
  if ('const' in schema) return 'const'
  if (choicesOf(schema)) return 'choice'
  if (variantsOf(schema).length > 0) return 'union'
  return plainKindOf(schema, root)
}

function plainKindOf(schema: Schema, root: Schema): FieldKind {
  const [type] = typesOf(schema)
  if (type === 'boolean') return 'boolean'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string') return 'text'
  if (type === 'array') return choicesOf(resolve(schema.items, root)) ? 'choices' : 'array'
  if (type === 'object' || isObject(schema.properties)) return isObject(schema.properties) ? 'object' : mapOr(schema)
  return 'any'
}

const mapOr = (schema: Schema): FieldKind => (isObject(schema.additionalProperties) ? 'map' : 'any')

/** What a form begins with: defaults, constants, and the first of everything that must be there. */
export function initial(schema: unknown, root: Schema, depth = 0): unknown {
  const resolved = resolve(schema, root)
  if ('default' in resolved) return resolved.default
  if ('const' in resolved) return resolved.const
  if (fieldKind(resolved, root) !== 'object' || depth > 6) return undefined
  const required = requiredOf(resolved)
  const entries = Object.entries(asRecord(resolved.properties))
    .filter(([name, one]) => required.has(name) || 'default' in resolve(one, root))
    .map(([name, one]) => [name, initial(one, root, depth + 1)] as const)
    .filter(([, value]) => value !== undefined)
  return entries.length > 0 || depth === 0 ? Object.fromEntries(entries) : undefined
}

/** The names of the properties that must be there. */
export const requiredOf = (schema: Schema): ReadonlySet<string> =>
  new Set(Array.isArray(schema.required) ? (schema.required as string[]) : [])

/** What is wrong with a value, in few words; the server checks everything again. */
export function faultOf(schema: Schema, value: unknown, isRequired: boolean): string {
  if (value === undefined || value === '') return isRequired && value === undefined ? 'Required' : ''
  if (typeof value === 'string') return textFault(schema, value)
  if (typeof value === 'number') return numberFault(schema, value)
  return Array.isArray(value) ? listFault(schema, value.length) : ''
}

function listFault({ minItems, maxItems }: Schema, length: number): string {
  if (typeof minItems === 'number' && length < minItems) return `At least ${minItems}`
  return typeof maxItems === 'number' && length > maxItems ? `At most ${maxItems}` : ''
}

function textFault({ minLength, maxLength, pattern }: Schema, value: string): string {
  if (typeof minLength === 'number' && value.length < minLength) return `At least ${minLength} characters`
  if (typeof maxLength === 'number' && value.length > maxLength) return `At most ${maxLength} characters`
  return typeof pattern === 'string' && !matches(pattern, value) ? `Must match ${pattern}` : ''
}

function matches(pattern: string, value: string): boolean {
  // A pattern from outside may take exponential time on a long text.
  if (value.length > 1000 || pattern.length > 200) return true
  try {
    return new RegExp(pattern, 'u').test(value)
  } catch {
    return true
  }
}

function numberFault({ minimum, maximum, type }: Schema, value: number): string {
  if (typeof minimum === 'number' && value < minimum) return `At least ${minimum}`
  if (typeof maximum === 'number' && value > maximum) return `At most ${maximum}`
  return type === 'integer' && !Number.isInteger(value) ? 'A whole number' : ''
}
