import { fault } from '../../jsonrpc/errors.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { at, contents, each, omit } from '../downgrade.ts'
import { before } from '../revision.ts'
import type { Change, Chained } from '../revision.ts'
import { v2025_03_26 } from './2025-03-26.ts'

/** No tool annotations, no audio, no word beside a progress number. */
export const v2024_11_05: Chained = before(v2025_03_26, {
  version: '2024-11-05',
  results: {
    'tools/list': each('tools', omit('annotations')),
    ...contents(audioAsResource),
    initialize: at('capabilities', omit('completions')),
  },
  messages: { 'notifications/progress': omit('message'), 'sampling/createMessage': each('messages', silent) },
})

/** An embedded resource loses nothing: clients of that time could store any blob. */
function audioAsResource(block: Parameters<Change>[0]): Record<string, unknown> {
  if (block.type !== 'audio') return block
  const { data, mimeType, type: _, ...rest } = block
  return { type: 'resource', resource: { uri: 'audio:content', mimeType, blob: data }, ...rest }
}

/** To a model, on the other hand, sound says nothing in any other shape. */
function silent(message: Parameters<Change>[0]): Record<string, unknown> {
  if (!isObject(message.content) || message.content.type !== 'audio') return message
  throw fault('missing-capability', 'This needs a client that supports audio in the messages it samples from')
}
