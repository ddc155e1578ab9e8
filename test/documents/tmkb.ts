import { expect } from 'vitest'
import { BINARY } from '../support/spawned.ts'
import { answered } from './row.ts'

/** The document's `initialize`. */
export const hello = (id: number, protocolVersion: unknown = '2025-11-25'): object => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: {
    protocolVersion,
    capabilities: { roots: { listChanged: true }, sampling: {} },
    clientInfo: { name: 'Claude Desktop', version: '1.0.0' },
  },
})

/** Its second half. */
export const ready: object = { jsonrpc: '2.0', method: 'notifications/initialized' }

/** The document's `tools/list`. */
export const list: object = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

/** The document's `tools/call`. */
export const call = (args: unknown, name: unknown = 'tmkb_query', id = 3): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

/** A result of the tool. */
export const toolResult = (text: unknown, isError: boolean, id = 3): object =>
  answered(id, { content: [{ type: 'text', text }], isError })

/** The answer to `initialize`. */
export const WELCOME: object = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: { listChanged: false } },
  serverInfo: {
    name: 'tmkb',
    version: '0.1.0',
    description: 'Threat Model Knowledge Base - Query authorization security threats',
  },
}

/** The answer to `tools/list`. */
export const TOOLS: object = {
  tools: [
    {
      name: 'tmkb_query',
      description:
        'Query the Threat Model Knowledge Base for authorization security threats relevant to your implementation. Returns concise, actionable security context optimized for code generation.',
      inputSchema: {
        type: 'object',
        properties: {
          context: {
            type: 'string',
            description: "What you're implementing (e.g., 'multi-tenant API endpoint', 'background job processing')",
            minLength: 1,
          },
          language: { type: 'string', enum: ['python'], description: 'Programming language (MVP: Python only)' },
          framework: { type: 'string', enum: ['flask', 'any'], description: 'Framework context (MVP: Flask or any)' },
          verbosity: {
            type: 'string',
            enum: ['agent', 'human'],
            default: 'agent',
            description: "Output format: 'agent' for concise, 'human' for detailed",
          },
        },
        required: ['context'],
        additionalProperties: false,
      },
    },
  ],
}

/** What the document's call asks for. */
export const JOBS: object = { context: 'background job processing', language: 'python', framework: 'flask' }

/** What it finds. */
export const FOUND: unknown = expect.stringMatching(
  /^\{"pattern_count":1,"patterns_included":1,.*"patterns":\[\{"id":"TMKB-AUTHZ-001"/,
)

/** Loaded before anything else, makes the patterns unreadable, in words that nobody is to see. */
const SPOILER = `
  import fs from 'node:fs/promises'
  import { syncBuiltinESMExports } from 'node:module'
  const { readFile } = fs
  fs.readFile = async (path, ...rest) => (String(path).endsWith('index.json') ? '{"secret":' : readFile(path, ...rest))
  syncBuiltinESMExports()`

/** The arguments of `node` that serve it. */
export const command = (isBroken: boolean): readonly string[] => [
  ...(isBroken ? [`--import=data:text/javascript,${encodeURIComponent(SPOILER)}`] : []),
  BINARY,
  'serve',
  '--preset',
  'threats',
]
