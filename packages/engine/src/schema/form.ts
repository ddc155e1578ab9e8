import { isObject } from '../support/is-object.ts'
import type { Json } from './parts.ts'

const WORDS = ['title', 'description', 'default']
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  string: [...WORDS, 'minLength', 'maxLength'],
  number: [...WORDS, 'minimum', 'maximum'],
  integer: [...WORDS, 'minimum', 'maximum'],
  boolean: WORDS,
}
const LIST = [...WORDS, 'minItems', 'maxItems']
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time']

/** A schema as a form that a client can show: a rule forms have no word for is left to the check of the answer. */
export function toForm({ properties = {}, required }: Json): Json {
  const fields = Object.entries(properties as Json).map(([name, schema]) => {
    const field = isObject(schema) ? toField(schema) : undefined
    if (field) return [name, field] as const
    throw new TypeError(
      `A form cannot ask for '${name}': its fields are strings, numbers, booleans, choices of strings ("enum", or "oneOf" with "const" and "title") and lists of such choices`,
    )
  })
  return { type: 'object', properties: Object.fromEntries(fields), ...(Array.isArray(required) && { required }) }
}

function toField(schema: Json): Json | undefined {
  const { type, format, items } = schema
  const choices = choicesOf(schema)
  if (choices) return { type: 'string', ...pick(schema, WORDS), ...choices }
  if ('enum' in schema || typeof type !== 'string') return undefined
  if (type === 'array') {
    const among = isObject(items) ? choicesOf(items) : undefined
    return among && { type, ...pick(schema, LIST), items: toItems(among) }
  }
  const shown = SHOWN[type]
  return shown && { type, ...pick(schema, shown), ...(FORMATS.includes(format) && { format }) }
}

interface Choice {
  readonly const: string
  readonly title: string
}
interface Choices {
  readonly enum?: readonly string[]
  readonly enumNames?: unknown
  readonly oneOf?: readonly Choice[]
}

/** What a field lets one choose from, in whichever way that is written. */
function choicesOf({ enum: names, enumNames, const: only, oneOf, anyOf = oneOf }: Json): Choices | undefined {
  if (isNames(names)) return { enum: names, ...(isNames(enumNames) && { enumNames }) }
  if (typeof only === 'string') return { enum: [only] }
  if (!Array.isArray(anyOf) || !anyOf.every(isChoice)) return undefined
  const values = anyOf.map(choice => choice.const)
  if (!anyOf.some(({ title }) => title)) return { enum: values }
  return { oneOf: anyOf.map(choice => ({ const: choice.const, title: choice.title ?? choice.const })) }
}

const toItems = ({ enum: names, oneOf }: Choices): Json => (oneOf ? { anyOf: oneOf } : { type: 'string', enum: names })

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every(name => typeof name === 'string')
const isChoice = (value: unknown): value is { const: string; title?: string } =>
  isObject(value) && typeof value.const === 'string' && (value.title === undefined || typeof value.title === 'string')
const pick = (schema: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.filter(name => schema[name] !== undefined).map(name => [name, schema[name]]))
