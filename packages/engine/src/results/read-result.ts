import { Context } from '../define/context.ts'
import { tool } from '../define/define.ts'
import type { Tool } from '../define/define.ts'
import { text } from '../define/content.ts'
import type { TextContent } from '../define/content.ts'
import { after } from '../awaitable.ts'
import type { Handle } from '../call.ts'
import type { Result } from '../jsonrpc/message.ts'
import { isOwn, ownWords } from '../untrusted/server-text.ts'
import { READ_RESULT } from './meta-keys.ts'

/** Reads a range of a result that was shown as an excerpt. */
export const readResult = (read: Handle): Tool =>
  tool(
    {
      name: READ_RESULT,
      description: 'Read characters of a result that was cut.',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          uri: { type: 'string', description: 'From the note on the excerpt' },
          offset: { type: 'integer', minimum: 0 },
          limit: { type: 'integer', minimum: 1 },
        },
        required: ['uri'],
        additionalProperties: false,
      },
    },
    ({ uri, offset, limit }, ctx) => {
      const call = Context.callOf(ctx)
      const range = new URLSearchParams(uri.split('?')[1] ?? '')
      if (offset !== undefined) range.set('offset', String(offset))
      if (limit !== undefined) range.set('limit', String(limit))
      const wanted = `${uri.split('?')[0] ?? ''}?${range.toString()}`
      return after(read({ ...call, params: { uri: wanted } }), result => ({
        content: textsOf(result),
        ...metaOf(result),
      }))
    },
  )

const textsOf = ({ contents }: Result): TextContent[] =>
  (Array.isArray(contents) ? (contents as readonly { readonly text?: string }[]) : []).map(part =>
    (isOwn(part) ? ownWords : text)(part.text ?? ''),
  )

const metaOf = ({ _meta }: Result): { _meta?: Record<string, unknown> } =>
  typeof _meta === 'object' && _meta !== null ? { _meta: _meta as Record<string, unknown> } : {}
