import { fault } from '../../jsonrpc/errors.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { at, contents, each, omit } from '../downgrade.ts'
import { before } from '../revision.ts'
import type { Rewrite, Chained } from '../revision.ts'
import { v2025_03_26 as next } from './2025-03-26.ts'

/** No tool annotations, no audio, no word beside a progress number. */
export const v2024_11_05: Chained = before(next, {
  version: '2024-11-05',
  write: {
    results: {
      'tools/list': each('tools', omit('annotations')),
      ...contents(audioAsResource),
      initialize: at('capabilities', omit('completions')),
    },
    messages: { 'notifications/progress': omit('message'), 'sampling/createMessage': each('messages', silent) },
  },
  read: { results: { ...contents(resourceAsAudio), initialize: at('capabilities', maybeCompletes) } },
})

/** Servers of that time could not say whether they complete arguments. */
function maybeCompletes(capabilities: Parameters<Rewrite>[0]): Record<string, unknown> {
  return capabilities.prompts || capabilities.resources ? { completions: {}, ...capabilities } : capabilities
}

const AUDIO = 'audio:content'

/** An embedded resource loses nothing: clients of that time could store any blob. */
function audioAsResource(block: Parameters<Rewrite>[0]): Record<string, unknown> {
  if (block.type !== 'audio') return block
  const { data, mimeType, type: _, ...rest } = block
  return { type: 'resource', resource: { uri: AUDIO, mimeType, blob: data }, ...rest }
}

function resourceAsAudio(block: Parameters<Rewrite>[0]): Record<string, unknown> {
  const { type, resource, ...rest } = block
  if (type !== 'resource' || !isObject(resource) || resource.uri !== AUDIO) return block
  return { type: 'audio', data: resource.blob, mimeType: resource.mimeType, ...rest }
}

/** To a model, on the other hand, sound says nothing in any other shape. */
function silent(message: Parameters<Rewrite>[0]): Record<string, unknown> {
  if (!isObject(message.content) || message.content.type !== 'audio') return message
  throw fault('missing-capability', 'This needs a client that supports audio in the messages it samples from')
}
