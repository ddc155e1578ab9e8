/**
 * The client under test in the official suite's client scenarios: uses everything the server has, once.
 *
 *   MCP_CONFORMANCE_PROTOCOL_VERSION=V node conformance/client/main.js URL
 */
import { RemoteServer, httpTransport } from '@causeway/engine/client'
import { authorizerFor } from './authorization.js'
import { useSkills } from './skills.js'

const url = process.argv.at(-1) ?? ''
const version = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')

/** A value that fits a schema, as far as these scenarios need one. */
function sample(schema) {
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (schema.type === 'object') return samples(schema)
  return { string: 'x', number: 3, integer: 3, boolean: true, array: [] }[schema.type] ?? null
}

const samples = ({ properties = {} }) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sample(schema)]))

function answer({ method, params }) {
  if (method === 'roots/list') return { roots: [{ uri: 'file:///tmp' }] }
  if (method === 'elicitation/create')
    return { action: 'accept', ...(params.requestedSchema && { content: samples(params.requestedSchema) }) }
  return { role: 'assistant', model: 'none', content: { type: 'text', text: 'Hello' }, stopReason: 'endTurn' }
}

/** A refusal is part of some scenarios; what matters is what the suite saw. */
const tried = promise => promise.catch(error => console.error(`refused: ${error.message}`))

const authorizer = authorizerFor(url, context)
const server = await RemoteServer.connect(
  { open: () => httpTransport({ url, authorizer }) },
  { client: { name: 'causeway-client', version: '0.1.0' }, answer, ...(version && { version }), timeoutMs: 20_000 },
)
const { capabilities } = server
const tools = (await tried(server.list('tools/list'))) ?? []
const calls = context.toolCalls ?? tools.map(({ name, inputSchema }) => ({ name, arguments: samples(inputSchema) }))
const [focal, echo] = ['json_schema_2020_12_tool', 'json_schema_echo'].map(name =>
  tools.find(tool => tool.name === name),
)
if (focal && echo) await tried(server.callTool(echo.name, { schema: focal.inputSchema }))
else for (const call of calls) await tried(server.callTool(call.name, call.arguments))
if (capabilities.prompts) {
  for (const { name, arguments: args = [] } of (await tried(server.list('prompts/list'))) ?? [])
    await tried(
      server.request('prompts/get', { name, arguments: Object.fromEntries(args.map(arg => [arg.name, 'x'])) }),
    )
}
if (capabilities.resources) {
  for (const { uri } of (await tried(server.list('resources/list'))) ?? [])
    await tried(server.request('resources/read', { uri }))
}
if (capabilities.extensions?.['io.modelcontextprotocol/skills']) await tried(useSkills(server))
await server.close()
