import type { Flag } from '../../packages/cli/src/config/flags.ts'
import { configurable } from '../../packages/cli/src/config/settings.ts'

const TEXTS = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }
const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...(required.length > 0 && { required }),
})
const patterns = (description: string): object => ({ description, type: 'object', additionalProperties: TEXTS })

/** The keys that are no flags. */
const AUTH = {
  description: 'Whose access tokens are accepted, and which scopes they need; see docs/authorization.md',
  ...object({
    issuers: {
      type: 'array',
      items: object(
        {
          issuer: { description: 'URL of the authorization server, exactly as its tokens name it', type: 'string' },
          audience: { description: 'Accepted in addition to the URL of the endpoint', ...TEXTS },
          algorithms: { description: 'Accepted signature algorithms', ...TEXTS },
          introspection: object(
            { endpoint: { type: 'string' }, clientId: { type: 'string' }, clientSecret: { type: 'string' } },
            ['clientId', 'clientSecret'],
          ),
        },
        ['issuer'],
      ),
    },
    scopes: object({
      tools: patterns('Scopes by patterns of tool names'),
      resources: patterns('Scopes by patterns of URIs'),
      prompts: patterns('Scopes by patterns of prompt names'),
    }),
    implies: patterns('Scopes that a scope includes'),
  }),
}

const TEXT_LIST = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 500 } }
const BY_KIND = object({ tools: TEXT_LIST, resources: TEXT_LIST, prompts: TEXT_LIST })
const RIGHTS = {
  description: 'Who may use what: rules in their order; see docs/operating.md',
  type: 'array',
  maxItems: 1000,
  items: object(
    {
      who: {
        description: 'Names of principals, scope:NAME, issuer:URL, or * for every caller',
        ...TEXT_LIST,
        minItems: 1,
      },
      allow: { description: 'Patterns of names and URIs that these callers may use', ...BY_KIND },
      deny: { description: 'Patterns that these callers may not use, whatever allows them', ...BY_KIND },
      rate: { description: 'BURST/RATE of the calls that the rule allows, or off', type: 'string' },
      concurrency: { description: 'Calls at once that the rule allows to a client', type: 'integer', minimum: 1 },
      approve: {
        description: 'What of that which it allows a person has to approve: destructive, writes, or patterns of tools',
        anyOf: [{ enum: ['destructive', 'writes'] }, TEXT_LIST],
      },
      timeout: { description: 'Longest time of a call that the rule allows: 500ms, 30s, 2m, or off', type: 'string' },
    },
    ['who'],
  ),
}

/** The JSON Schema of a configuration file, for editors: every flag is a key. */
export function configSchema(): string {
  const keys = configurable.filter(({ name }) => name !== 'config')
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Causeway configuration',
    description: 'causeway.yaml or causeway.json: any flag of "causeway serve" as a key, servers, auth and rights.',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      ...Object.fromEntries(keys.map(flag => [flag.name, schemaOf(flag)])),
      auth: AUTH,
      rights: RIGHTS,
    },
    additionalProperties: false,
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

// In a file these can be objects, too: entries by name.
const AS_OBJECTS = ['servers', 'virtual']

function schemaOf({ name, value, choices, list, about, default: initial }: Flag): object {
  const described = { description: about, ...(initial !== undefined && { default: initial }) }
  if (value === undefined) return { ...described, type: ['boolean', 'string', 'integer'] }
  if (choices) return { ...described, enum: choices }
  const one = { type: ['string', 'number'] }
  const entries = AS_OBJECTS.includes(name) ? [{ type: 'object', additionalProperties: { type: 'object' } }] : []
  return list ? { ...described, anyOf: [one, { type: 'array', items: one }, ...entries] } : { ...described, ...one }
}
