// The tool of the benchmarks on tmcp, written as its documentation says.
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'
import { tool } from 'tmcp/utils'
import { z } from 'zod'

const server = new McpServer(
  { name: 'tmcp', version: '1.0.0', description: 'A server on tmcp' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
)
server.tool(
  {
    name: 'add_numbers',
    description: 'Adds two numbers',
    schema: z.object({ number1: z.number(), number2: z.number() }),
    outputSchema: z.object({ result: z.number() }),
  },
  ({ number1, number2 }) => tool.structured({ result: number1 + number2 }),
)
new StdioTransport(server).listen()
