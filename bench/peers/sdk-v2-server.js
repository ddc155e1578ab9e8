import { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod/v4'

/** The server both transports are measured with, written as the SDK's documentation says. */
export function buildServer() {
  const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' })

  server.registerTool(
    'add_numbers',
    {
      description: 'Adds two numbers',
      inputSchema: z.object({ number1: z.number(), number2: z.number() }),
      outputSchema: z.object({ result: z.number() }),
    },
    async ({ number1, number2 }) => {
      const output = { result: number1 + number2 }
      return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output }
    },
  )

  return server
}
