import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'

const FORMATS = ['guid', 'hex', 'base64'] as const
const BYTES = 16

const make: Readonly<Record<(typeof FORMATS)[number], () => string>> = {
  guid: () => crypto.randomUUID(),
  hex: () => random().toString('hex'),
  base64: () => random().toString('base64'),
}

const random = (): Buffer => Buffer.from(crypto.getRandomValues(new Uint8Array(BYTES)))

/** Makes a random secret. */
export const generateSecret: Tool = tool(
  {
    name: 'generate_secret',
    title: 'Generate Secret',
    description: 'Generates a random secret: a guid, 32 hex digits, or 16 random bytes as base64',
    readOnly: true,
    openWorld: false,
    input: {
      type: 'object',
      properties: { format: { type: 'string', enum: FORMATS, default: 'guid', description: 'Form of the secret' } },
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        secret: { type: 'string' },
        timestamp: { type: 'string' },
        type: { type: 'string', enum: FORMATS },
      },
      required: ['secret', 'timestamp', 'type'],
    },
  },
  ({ format }) => ({ secret: make[format](), timestamp: new Date().toISOString(), type: format }),
)
