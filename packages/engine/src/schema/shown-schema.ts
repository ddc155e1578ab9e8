import { isObject } from '../support/is-object.ts'

const OWN = 'x-audit'

/** A schema as clients see it: without what is only for our audit. The same object if there is nothing of that. */
export const shownSchema = <T extends object>(schema: T): T =>
  JSON.stringify(schema).includes(`"${OWN}":`) ? (without(schema) as T) : schema

function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without)
  if (!isObject(value)) return value
  // What has a schema for its value is a property of that name.
  const kept = Object.entries(value).filter(([key, inner]) => key !== OWN || typeof inner !== 'string')
  return Object.fromEntries(kept.map(([key, inner]) => [key, without(inner)]))
}
