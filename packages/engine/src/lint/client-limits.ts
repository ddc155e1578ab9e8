import { isObject } from '../support/is-object.ts'
import { fieldsIn } from './schema-walk.ts'
import type { Schema } from './schema-walk.ts'

/** What one client cannot read, and where that was reported. */
export interface ClientLimit {
  readonly client: string
  readonly rule: 'name-refused' | 'schema-refused' | 'description-refused'
  readonly what: string
  readonly source: string
  /** Does a tool run into it? A place in the schema, or true. */
  hits(tool: Tool): string | boolean
}

/** A tool as it was listed. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Schema
  readonly outputSchema: Schema | undefined
}

const ISSUES = 'https://github.com'
// Clients put the name of the server before that of the tool; ours is this long.
const PREFIX = 'causeway'.length

const atRoot =
  (...keywords: string[]) =>
  (tool: Tool): boolean =>
    keywords.some(keyword => Array.isArray(tool.inputSchema[keyword]))

const within =
  (isWrong: (schema: Schema) => boolean) =>
  (tool: Tool): string | boolean =>
    fieldsIn(tool.inputSchema).find(([, schema]) => isWrong(schema))?.[0] ?? false

const isType = (schema: Schema, type: string): boolean =>
  schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type))

const COMPOSED = ['anyOf', 'oneOf', 'allOf', '$ref', 'enum', 'const', 'not']

/** Users ran into each of these limits: the source is their report. */
export const CLIENT_LIMITS: readonly ClientLimit[] = [
  {
    client: 'Claude Code',
    rule: 'name-refused',
    what: 'names with other characters than letters, digits, _ and -, or longer than 128',
    source: `${ISSUES}/modelcontextprotocol/modelcontextprotocol/issues/1345`,
    hits: ({ name }) => !/^[\w-]{1,128}$/.test(name),
  },
  {
    client: 'Claude Desktop',
    rule: 'name-refused',
    what: 'names longer than 64',
    source: `${ISSUES}/jamiepine/voicebox/issues/590`,
    hits: ({ name }) => name.length > 64,
  },
  {
    client: 'Claude Code',
    rule: 'schema-refused',
    what: 'oneOf, anyOf or allOf at the top of the input schema',
    source: `${ISSUES}/anthropics/claude-code/issues/95504`,
    hits: atRoot('oneOf', 'anyOf', 'allOf'),
  },
  {
    client: 'Clients on the first TypeScript SDK',
    rule: 'schema-refused',
    what: 'an output schema whose type is not object; they lose the whole list',
    source: `${ISSUES}/opentokenz/mcpx/issues/28`,
    hits: ({ outputSchema }) => outputSchema !== undefined && outputSchema.type !== 'object',
  },
  {
    client: 'VS Code',
    rule: 'schema-refused',
    what: 'arrays without items',
    source: `${ISSUES}/microsoft/vscode/issues/246119`,
    hits: within(schema => isType(schema, 'array') && schema.items === undefined && schema.prefixItems === undefined),
  },
  {
    client: 'Codex',
    rule: 'name-refused',
    what: 'names with dots',
    source: `${ISSUES}/openai/codex/issues/8174`,
    hits: ({ name }) => name.includes('.'),
  },
  {
    client: 'Clients that use models of OpenAI',
    rule: 'schema-refused',
    what: 'an input schema of type object without properties',
    source: `${ISSUES}/github/github-mcp-server/issues/1548`,
    hits: ({ inputSchema }) => isType(inputSchema, 'object') && !isObject(inputSchema.properties),
  },
  {
    client: 'Clients that use models of OpenAI',
    rule: 'description-refused',
    what: 'descriptions longer than 1024 characters',
    source: `${ISSUES}/getsentry/sentry-mcp/issues/106`,
    hits: ({ description }) => description.length > 1024,
  },
  {
    client: 'Cursor',
    rule: 'name-refused',
    what: 'names that are longer than 60 with the name of the server',
    source: `${ISSUES}/ComposioHQ/composio/issues/2788`,
    hits: ({ name }) => name.length + PREFIX >= 60,
  },
  {
    client: 'Gemini CLI',
    rule: 'name-refused',
    what: 'names that do not begin with a letter or _',
    source: `${ISSUES}/wonderwhy-er/DesktopCommanderMCP/issues/79`,
    hits: ({ name }) => !/^[a-z_]/i.test(name),
  },
  {
    client: 'Gemini CLI',
    rule: 'schema-refused',
    what: 'parameters without a type',
    source: `${ISSUES}/google-gemini/gemini-cli/issues/2282`,
    hits: within(schema => schema.type === undefined && !COMPOSED.some(keyword => schema[keyword] !== undefined)),
  },
  {
    client: 'Gemini CLI',
    rule: 'schema-refused',
    what: 'schemas that refer to themselves',
    source: `${ISSUES}/google-gemini/gemini-cli/issues/11393`,
    hits: within(schema => schema.$ref === '#'),
  },
  {
    client: 'Cline with models of Google',
    rule: 'schema-refused',
    what: 'required parameters that are not among the properties',
    source: `${ISSUES}/cline/cline/issues/11162`,
    hits: ({ inputSchema: { required, properties } }) =>
      (Array.isArray(required) ? required : [])
        .map(String)
        .find(name => !isObject(properties) || !Object.hasOwn(properties, name)) ?? false,
  },
]

/** How many tools a client takes, of all its servers together. */
export const TOOL_LIMITS: readonly { client: string; most: number; source: string }[] = [
  { client: 'Cursor', most: 40, source: `${ISSUES}/getsentry/sentry-mcp-stdio/issues/3` },
  { client: 'Windsurf', most: 100, source: `${ISSUES}/DaxianLee/cocos-mcp-server/issues/11` },
  { client: 'VS Code', most: 128, source: `${ISSUES}/microsoft/vscode-copilot-release/issues/11653` },
]
