// A server on tmcp, written as its documentation says: a tool with a schema, a resource, a template, a prompt, a question.
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'
import { prompt, resource, tool } from 'tmcp/utils'
import { z } from 'zod'

const server = new McpServer(
  { name: 'tmcp', version: '1.0.0', description: 'A server on tmcp' },
  {
    adapter: new ZodJsonSchemaAdapter(),
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
    },
  },
)
server.tool(
  { name: 'add', description: 'Adds two numbers', schema: z.object({ a: z.number(), b: z.number() }) },
  ({ a, b }) => tool.text(String(a + b)),
)
server.tool({ name: 'ask', description: 'Asks for a name', replayable: true }, async () => {
  const answer = await server.elicitation('Who is there?', z.object({ value: z.string() }))
  return tool.text(JSON.stringify(answer))
})
server.resource({ name: 'note', description: 'A note', uri: 'tmcp://note' }, uri => resource.text(uri, 'a note'))
server.template({ name: 'page', description: 'A page', uri: 'tmcp://pages/{id}' }, (uri, { id }) =>
  resource.text(uri, `page ${String(id)}`),
)
server.prompt({ name: 'greet', description: 'Greets', schema: z.object({ who: z.string() }) }, ({ who }) =>
  prompt.message(`Hello ${who}`),
)
new StdioTransport(server).listen()
