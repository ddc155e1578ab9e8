import { fault } from '../../jsonrpc/errors.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { all, at, contents, each, listed, omit } from '../downgrade.ts'
import { before } from '../revision.ts'
import type { Rewrite, Chained } from '../revision.ts'
import { v2025_11_25 as next } from './2025-11-25.ts'

/** No icons, a shorter self-description, forms without defaults, titles or lists, one block a message, no pages to visit. */
export const v2025_06_18: Chained = before(next, {
  version: '2025-06-18',
  without: ['elicitation.url', 'sampling.tools'],
  traits: { nullId: true, primed: false },
  write: {
    results: {
      initialize: at('serverInfo', omit('description', 'websiteUrl', 'icons')),
      ...listed(omit('icons')),
      ...contents(omit('icons')),
    },
    messages: {
      'elicitation/create': plainForm,
      'sampling/createMessage': all(oneBlockEach, each('messages', omit('_meta'))),
    },
    requests: { initialize: at('clientInfo', omit('description', 'websiteUrl', 'icons')) },
    answers: { 'sampling/createMessage': oneBlock },
  },
  read: { messages: { 'elicitation/create': namedForm } },
})

function plainForm({ mode: _, ...params }: Parameters<Rewrite>[0]): Record<string, unknown> {
  return at('requestedSchema', at('properties', eachField))(params)
}

const eachField: Rewrite = fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, isObject(field) ? plainField(field, name) : field]),
  )

/** Titled choices become `enum` with `enumNames`; only booleans had defaults; lists there were none. */
function plainField(field: Record<string, unknown>, name: string): Record<string, unknown> {
  if (field.type === 'array') {
    throw fault('missing-capability', `This needs a client that supports lists in forms, for the field '${name}'`)
  }
  const { default: value, oneOf, ...rest } = field
  const kept = field.type === 'boolean' && value !== undefined ? { ...rest, default: value } : rest
  if (!Array.isArray(oneOf)) return kept
  const choices = oneOf.filter(isObject)
  return { ...kept, enum: choices.map(c => c.const), enumNames: choices.map(c => c.title ?? c.const) }
}

/** What was said in several blocks is said in as many messages. */
function oneBlockEach(params: Parameters<Rewrite>[0]): Record<string, unknown> {
  const { messages } = params
  const isMany = (message: unknown): boolean => isObject(message) && Array.isArray(message.content)
  if (!Array.isArray(messages) || !messages.some(isMany)) return params
  return { ...params, messages: messages.flatMap(split) }
}

function split(message: Record<string, unknown>): unknown {
  const { content } = message
  const withBlock = (block: unknown): unknown => ({ ...message, content: block })
  return Array.isArray(content) ? content.map(withBlock) : message
}

/** What a model said in several blocks of text is one block; anything else in several blocks had no shape then. */
function oneBlock(answer: Parameters<Rewrite>[0]): Record<string, unknown> {
  const { content } = answer
  if (!Array.isArray(content)) return answer
  const [first, ...rest] = content.filter(isObject)
  if (first && rest.length === 0) return { ...answer, content: first }
  const texts = content.map((block: unknown) => (isObject(block) && block.type === 'text' ? block.text : undefined))
  if (texts.every(text => typeof text === 'string'))
    return { ...answer, content: { type: 'text', text: texts.join('\n') } }
  throw fault('missing-capability', 'This needs a server that takes several blocks in a sampled message')
}

/** The other way round: a form is named as such, and named choices are titled. */
function namedForm(params: Parameters<Rewrite>[0]): Record<string, unknown> {
  const form = 'mode' in params ? params : { mode: 'form', ...params }
  return at('requestedSchema', at('properties', eachTitled))(form)
}

const eachTitled: Rewrite = fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, isObject(field) ? titledField(field) : field]),
  )

function titledField(field: Record<string, unknown>): Record<string, unknown> {
  const { enum: values, enumNames: titles, ...rest } = field
  if (!Array.isArray(values) || !Array.isArray(titles)) return field
  return { ...rest, oneOf: values.map((value: unknown, i) => ({ const: value, title: titles[i] ?? value })) }
}
