import { text, tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'

/** Answers `Pong`, with the time and the version. */
export const systemPing = (version: string): Tool =>
  tool(
    {
      name: 'system_ping',
      title: 'Ping',
      description: 'Simple ping tool that returns pong with timestamp',
      readOnly: true,
      openWorld: false,
      input: { type: 'object', properties: {} },
      output: {
        type: 'object',
        properties: {
          message: { type: 'string' },
          utcTimestamp: { type: 'string' },
          assemblyVersion: { type: 'string' },
        },
        required: ['message', 'utcTimestamp', 'assemblyVersion'],
      },
    },
    () => ({ message: 'Pong', utcTimestamp: new Date().toISOString(), assemblyVersion: version }),
  )

/** Gives back what it was given. */
export const systemEcho: Tool = tool(
  {
    name: 'system_echo',
    title: 'Echo',
    description: 'Echoes its arguments back unchanged',
    readOnly: true,
    idempotent: true,
    openWorld: false,
    input: { type: 'object', properties: { message: { description: 'Anything; other arguments are echoed too' } } },
  },
  // Spelled out, since what is echoed may itself look like an answer.
  given => ({ content: [text(JSON.stringify(given))], structuredContent: given }),
)
