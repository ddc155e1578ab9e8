import type { Flag } from '../../packages/cli/src/config/flags.ts'
import { configurable } from '../../packages/cli/src/config/settings.ts'

/** The JSON Schema of a configuration file, for editors: every flag is a key. */
export function configSchema(): string {
  const keys = configurable.filter(({ name }) => name !== 'config')
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Causeway configuration',
    description: 'The file named with --config: any flag of "causeway serve" as a key.',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(keys.map(flag => [flag.name, schemaOf(flag)])) },
    additionalProperties: false,
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

function schemaOf({ value, choices, list, about, default: initial }: Flag): object {
  const described = { description: about, ...(initial !== undefined && { default: initial }) }
  if (value === undefined) return { ...described, type: ['boolean', 'string', 'integer'] }
  if (choices) return { ...described, enum: choices }
  const one = { type: ['string', 'number'] }
  return list ? { ...described, anyOf: [one, { type: 'array', items: one }] } : { ...described, ...one }
}
