import { createServer, tool } from '@causeway/engine'
import type { ListingOptions, Server, ServerOptions } from '@causeway/engine'

const PATH = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const
const SIZE = { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] } as const
const REGION = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } as const
const SURE = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] } as const

/** Two groups of tools: some are listed, some are to be found. */
export const TOOLSETS: Readonly<Record<string, readonly string[]>> = {
  files: ['read_file', 'file_size'],
  rest: ['delete_file', 'tell_region', 'slow_walk'],
}

/** A server with a handful of tools, and the listing that a test is about. */
export function someTools(listing?: ListingOptions, options: Partial<ServerOptions> = {}): Server {
  return createServer({ name: 's', version: '1', log: false, ...options, ...(listing && { listing }) }).add(
    tool(
      { name: 'read_file', description: 'Reads a file.', readOnly: true, input: PATH },
      ({ path }) => `read ${path}`,
    ),
    tool(
      { name: 'file_size', description: 'How many bytes a file has.', readOnly: true, input: PATH, output: SIZE },
      ({ path }) => ({ bytes: path.length }),
    ),
    tool(
      { name: 'delete_file', description: 'Removes a file for good. It asks first.', input: PATH, destructive: true },
      async ({ path }, ctx) => {
        const sure = await ctx.elicit('sure', { message: `Delete ${path}?`, schema: SURE })
        return sure.action === 'accept' && sure.content.yes ? `deleted ${path}` : `kept ${path}`
      },
    ),
    tool(
      { name: 'tell_region', description: 'Says which region it is.', input: REGION },
      ({ region = 'none' }) => region,
    ),
    tool({ name: 'slow_walk', description: 'Walks step by step.', aliases: ['stroll'] }, (_, ctx) => {
      ctx.progress(1, 'one step')
      ctx.progress(2, 'two steps')
      return 'walked'
    }),
  )
}

/** The names of the tools in a list. */
export const namesIn = (result: Readonly<Record<string, unknown>>): unknown[] =>
  (result.tools as { name: unknown }[]).map(({ name }) => name)
