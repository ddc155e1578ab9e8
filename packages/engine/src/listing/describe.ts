import { isObject } from '../jsonrpc/message.ts'
import type { Searchable } from '../search/segment.ts'

const LONGEST_SENTENCE = 160
const LONGEST_ENUM = 60
const MOST_ARGUMENTS = 12
const LONGEST_LINE = 700
// What others wrote must not look like more lines of ours.
const UNSEEN = /[\s\p{C}]+/gu

/** A tool in one line: `name(needed: type, other?: type): first sentence [reads]`. */
export function toolLine({ name, description, inputSchema, annotations }: Searchable): string {
  const said = typeof description === 'string' ? `: ${firstSentence(description)}` : ''
  const line = `${name}(${argumentsOf(inputSchema).join(', ')})${said}`.replace(UNSEEN, ' ')
  return `${line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line} [${effectOf(annotations)}]`
}

function firstSentence(text: string): string {
  const [first = ''] = text
    .slice(0, 4 * LONGEST_SENTENCE)
    .replace(UNSEEN, ' ')
    .trim()
    .split(/(?<=[.!?]) /, 1)
  return first.length > LONGEST_SENTENCE ? `${first.slice(0, LONGEST_SENTENCE - 1)}…` : first
}

function argumentsOf(schema: unknown): string[] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  const required: readonly unknown[] = isObject(schema) && Array.isArray(schema.required) ? schema.required : []
  const names = Object.keys(properties)
  const shown = names
    .slice(0, MOST_ARGUMENTS)
    .map(name => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(properties[name])}`)
  return names.length > MOST_ARGUMENTS ? [...shown, '…'] : shown
}

function typeOf(schema: unknown): string {
  if (!isObject(schema)) return 'any'
  const { type, enum: values } = schema
  if (Array.isArray(values)) {
    const listed = values.map(value => JSON.stringify(value)).join('|')
    if (listed.length <= LONGEST_ENUM) return listed
  }
  if (Array.isArray(type)) return type.join('|')
  return typeof type === 'string' ? type : 'any'
}

function effectOf(annotations: unknown): string {
  const hints = isObject(annotations) ? annotations : {}
  if (hints.readOnlyHint === true) return 'reads'
  return hints.destructiveHint === false ? 'writes' : 'may destroy'
}
