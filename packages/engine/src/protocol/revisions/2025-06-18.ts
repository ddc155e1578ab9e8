import { isObject } from '../../jsonrpc/message.ts'
import { at, contents, listed, omit } from '../downgrade.ts'
import { before } from '../revision.ts'
import type { Change, Chained } from '../revision.ts'
import { v2025_11_25 } from './2025-11-25.ts'

/** No icons, a shorter self-description, forms without defaults or titled choices, no pages to visit. */
export const v2025_06_18: Chained = before(v2025_11_25, {
  version: '2025-06-18',
  without: ['elicitation.url', 'sampling.tools'],
  traits: { nullId: true, primed: false },
  results: {
    initialize: at('serverInfo', omit('description', 'websiteUrl', 'icons')),
    ...listed(omit('icons')),
    ...contents(omit('icons')),
  },
  messages: { 'elicitation/create': plainForm },
})

function plainForm({ mode: _, ...params }: Parameters<Change>[0]): Record<string, unknown> {
  return at('requestedSchema', at('properties', eachField))(params)
}

const eachField: Change = fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, isObject(field) ? plainField(field) : field]))

/** Titled choices become `enum` with `enumNames`; only booleans had defaults. */
function plainField(field: Record<string, unknown>): Record<string, unknown> {
  const { default: value, oneOf, ...rest } = field
  const kept = field.type === 'boolean' && value !== undefined ? { ...rest, default: value } : rest
  if (!Array.isArray(oneOf)) return kept
  const choices = oneOf.filter(isObject)
  return { ...kept, enum: choices.map(c => c.const), enumNames: choices.map(c => c.title ?? c.const) }
}
