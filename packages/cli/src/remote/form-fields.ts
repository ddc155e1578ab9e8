import { isObject, showInvisible } from '@causeway/engine/internal'

/** One field of a form that a server shows. */
export interface FormField {
  readonly name: string
  readonly title: string
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  readonly isRequired: boolean
  readonly choices: readonly string[]
  readonly initial: unknown
  readonly schema: Readonly<Record<string, unknown>>
}

type Json = Readonly<Record<string, unknown>>

// What a person can be expected to fill in.
const MOST_FIELDS = 50
const LONGEST_TITLE = 500
const LONGEST_CHOICES = 1000

const TYPES = ['string', 'number', 'integer', 'boolean', 'array'] as const

/** The fields that a requested schema has, in its order. */
export function fieldsOf({ properties, required }: Json): readonly FormField[] {
  if (!isObject(properties)) return []
  return Object.entries(properties)
    .slice(0, MOST_FIELDS)
    .map(([name, given]) => {
      const schema = isObject(given) ? given : {}
      return {
        name,
        title: [schema.title ?? name, schema.description]
          .filter(part => typeof part === 'string')
          .join(': ')
          .slice(0, LONGEST_TITLE),
        type: TYPES.find(type => type === schema.type) ?? 'string',
        isRequired: Array.isArray(required) && required.includes(name),
        choices: choicesOf(schema.type === 'array' && isObject(schema.items) ? schema.items : schema),
        initial: schema.default,
        schema,
      }
    })
}

/** Values to choose from: a list, or a list of values with titles. */
function choicesOf(schema: Json): readonly string[] {
  if (Array.isArray(schema.enum)) return schema.enum.map(String)
  const titled = schema.oneOf ?? schema.anyOf
  return Array.isArray(titled) ? titled.filter(isObject).map(choice => String(choice.const)) : []
}

/** The line that asks for a field. */
export function promptFor({ title, type, choices, isRequired, initial }: FormField): string {
  const kinds = choices.length > 0 ? cut(choices.join(' | ')) : type === 'boolean' ? 'y | n' : type
  const several = type === 'array' ? ', separated by commas' : ''
  const need = initial !== undefined ? `, default ${cut(JSON.stringify(initial))}` : isRequired ? '' : ', optional'
  // The words are those of a server: nothing in them moves the cursor.
  return `${showInvisible(`${title} (${kinds}${several}${need})`).replaceAll(/\s+/g, ' ')}: `
}

const cut = (text: string): string => (text.length > LONGEST_CHOICES ? `${text.slice(0, LONGEST_CHOICES)} …` : text)

/** What a person typed, as the field wants it; nothing typed is the default, or no value. */
export function readField(field: FormField, typed: string): { value: unknown } | { problem: string } {
  if (typed === '') {
    if (field.initial !== undefined) return { value: field.initial }
    return field.isRequired ? { problem: 'An answer is required.' } : { value: undefined }
  }
  if (field.type === 'array') return readList(field, typed)
  return READ[field.type](field, typed)
}

type Reader = (field: FormField, typed: string) => { value: unknown } | { problem: string }

const READ: Readonly<Record<Exclude<FormField['type'], 'array'>, Reader>> = {
  boolean: (_, typed) => {
    if (/^(?:y|yes|true|1|on)$/i.test(typed)) return { value: true }
    return /^(?:n|no|false|0|off)$/i.test(typed) ? { value: false } : { problem: 'Answer y or n.' }
  },
  number: readNumber,
  integer: (field, typed) =>
    /^[+-]?\d+$/.test(typed) ? readNumber(field, typed) : { problem: 'Type a whole number.' },
  string: ({ choices, schema }, typed) => {
    if (choices.length > 0 && !choices.includes(typed)) return { problem: `Choose one of: ${cut(choices.join(', '))}.` }
    const { minLength, maxLength } = schema
    if (typeof minLength === 'number' && typed.length < minLength)
      return { problem: `Type at least ${minLength} characters.` }
    if (typeof maxLength === 'number' && typed.length > maxLength)
      return { problem: `Type at most ${maxLength} characters.` }
    return { value: typed }
  },
}

function readNumber(
  { schema: { minimum, maximum } }: FormField,
  typed: string,
): { value: unknown } | { problem: string } {
  const value = Number(typed)
  if (!Number.isFinite(value)) return { problem: 'Type a number.' }
  if (typeof minimum === 'number' && value < minimum) return { problem: `Type a number of at least ${minimum}.` }
  if (typeof maximum === 'number' && value > maximum) return { problem: `Type a number of at most ${maximum}.` }
  return { value }
}

function readList({ choices }: FormField, typed: string): { value: unknown } | { problem: string } {
  const values = typed.split(',').map(part => part.trim())
  const wrong = choices.length > 0 ? values.find(value => !choices.includes(value)) : undefined
  return wrong === undefined ? { value: values } : { problem: `Choose from: ${cut(choices.join(', '))}.` }
}
