import { isObject } from '../support/is-object.ts'
import type { Json } from './document.ts'
import { isJsonType } from './operations.ts'
import type { Body, Operation, Parameter } from './operations.ts'
import { plainSchema } from './plain-schema.ts'
import type { References } from './references.ts'
import { shortText } from './short-text.ts'

/** Where the value of an argument goes: a parameter, a property of the body, or the whole body. */
export type Slot =
  | { readonly kind: 'parameter'; readonly parameter: Parameter }
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'body' }

/** The arguments of an operation: their schema, and where each goes. */
export interface Input {
  readonly schema: Json
  readonly slots: ReadonlyMap<string, Slot>
  /** The schema of the whole body, if there is one. */
  readonly body?: Json
}

const BODY = 'body'
const FORMS = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i

/** Is it the type of a form? */
export const isForm = (type: string): boolean => FORMS.test(type)

/** One schema for the parameters and the body of an operation. */
export function inputOf(operation: Operation, references: References): Input {
  const { parameters, body } = operation
  const input = new ArgumentsOf()
  for (const parameter of parameters) {
    const schema = described(plainSchema(parameter.schema, references), parameter.description)
    input.add(parameter.name, {
      schema,
      required: parameter.required,
      slot: { kind: 'parameter', parameter },
      otherwise: parameter.in,
    })
  }
  if (!body) return input.done()
  const schema = plainSchema(body.schema, references)
  addBody(input, body, schema)
  return { ...input.done(), body: schema }
}

function addBody(input: ArgumentsOf, body: Body, schema: Json): void {
  const properties = propertiesOf(schema, body.type)
  if (isEmpty(schema)) return
  if (!properties) {
    const isText = !isJsonType(body.type) && !isForm(body.type)
    const plain = isText ? bytesOrText(body.type, schema) : schema
    return input.add(BODY, {
      schema: described(plain, body.description ?? (isText ? `The body, ${body.type}` : undefined)),
      required: body.required,
      slot: { kind: 'body' },
      otherwise: 'whole',
    })
  }
  const required = Array.isArray(schema.required) ? schema.required : []
  for (const [name, property] of Object.entries(properties)) {
    input.add(name, {
      schema: isObject(property) ? property : {},
      required: body.required && required.includes(name),
      slot: { kind: 'property', name },
      otherwise: BODY,
    })
  }
}

/** Nothing can be in it. */
const isEmpty = ({ properties, additionalProperties }: Json): boolean =>
  isObject(properties) && Object.keys(properties).length === 0 && additionalProperties === false

/** A body whose properties can stand beside the parameters. */
function propertiesOf(schema: Json, type: string): Json | undefined {
  if (!isJsonType(type) && !isForm(type)) return undefined
  const { properties, additionalProperties, anyOf, allOf } = schema
  const isOpen = isObject(additionalProperties) || anyOf !== undefined || allOf !== undefined
  return isObject(properties) && Object.keys(properties).length > 0 && !isOpen ? properties : undefined
}

/** Is a body of that type text? Any other is sent as base64. */
export const isTextType = (type: string): boolean => /^text\/|[/+](?:json|xml|yaml)\b|javascript/i.test(type)

const bytesOrText = (type: string, { contentEncoding }: Json): Json =>
  isTextType(type) && contentEncoding === undefined ? { type: 'string' } : { type: 'string', contentEncoding: 'base64' }

function described(schema: Json, description: string | undefined): Json {
  return description === undefined ? schema : { ...schema, description: shortText(description, 160) }
}

interface Argument {
  readonly schema: Json
  readonly required: boolean
  readonly slot: Slot
  /** What stands before its name where that is taken. */
  readonly otherwise: string
}

class ArgumentsOf {
  readonly #properties: [string, Json][] = []
  readonly #required: string[] = []
  readonly #slots = new Map<string, Slot>()

  add(wanted: string, { schema, required, slot, otherwise }: Argument): void {
    let name = wanted
    while (this.#slots.has(name) || name === '__proto__') name = `${otherwise}_${name}`
    this.#properties.push([name, schema])
    this.#slots.set(name, slot)
    if (required) this.#required.push(name)
  }

  done(): Input {
    const schema = {
      type: 'object',
      properties: Object.fromEntries(this.#properties),
      ...(this.#required.length > 0 && { required: this.#required }),
      additionalProperties: false,
    }
    return { schema, slots: this.#slots }
  }
}
