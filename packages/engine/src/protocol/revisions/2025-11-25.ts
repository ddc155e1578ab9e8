import { isObject } from '../../jsonrpc/message.ts'
import { all, each, omit } from '../downgrade.ts'
import { liveAsks } from '../live-asks.ts'
import { connectStateful } from '../remote/stateful.ts'
import { before } from '../revision.ts'
import type { Rewrite, Chained } from '../revision.ts'
import { readBegun, readTask, writeBegun, writeTask } from '../tasks/spelling.ts'
import { v2026_07_28 as next } from './2026-07-28.ts'

const TASKS = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel']
const uncached = omit('ttlMs', 'cacheScope')

/** Stateful: a handshake, a session, live questions; structured output is always an object. */
export const v2025_11_25: Chained = before(next, {
  version: '2025-11-25',
  era: 'stateful',
  serve: liveAsks,
  open: connectStateful,
  without: ['server/discover', 'subscriptions/listen'],
  with: ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', ...TASKS],
  capabilities: ['tasks'],
  traits: { primed: true },
  codes: { 'resource-not-found': -32002, 'missing-capability': -32603 },
  resultKinds: ['missing-capability'],
  stamp: { put: result => result, takeOff: result => result },
  write: {
    results: {
      'tools/list': all(uncached, each('tools', wrapOutputSchema)),
      'prompts/list': uncached,
      'resources/list': uncached,
      'resources/templates/list': uncached,
      'resources/read': uncached,
      'skills/list': uncached,
      'skills/get': uncached,
      'tools/call': all(writeBegun, wrapStructured),
      'tasks/result': wrapStructured,
      'tasks/get': writeTask,
      'tasks/cancel': writeTask,
      'tasks/list': each('tasks', writeTask),
    },
    messages: { 'elicitation/create': nameUrlElicitation },
  },
  read: {
    results: { 'tools/call': readBegun, 'tasks/get': readTask, 'tasks/cancel': readTask },
    messages: { 'elicitation/create': omit('elicitationId') },
  },
  earlier: {
    without: ['tasks', ...TASKS],
    write: { results: { 'tools/list': each('tools', omit('execution')) } },
  },
})

/** A schema of something other than an object is wrapped like its values; one that may be either is not shown. */
function wrapOutputSchema(tool: Parameters<Rewrite>[0]): Record<string, unknown> {
  const { outputSchema } = tool
  if (!isObject(outputSchema) || outputSchema.type === 'object') return tool
  if (typeof outputSchema.type !== 'string') return omit('outputSchema')(tool)
  const { $schema, $defs, ...result } = outputSchema
  const outer = { ...($schema !== undefined && { $schema }), ...($defs !== undefined && { $defs }) }
  return { ...tool, outputSchema: { ...outer, type: 'object', properties: { result }, required: ['result'] } }
}

function wrapStructured(result: Parameters<Rewrite>[0]): Record<string, unknown> {
  const { structuredContent } = result
  if (structuredContent === undefined || isObject(structuredContent)) return result
  return { ...result, structuredContent: { result: structuredContent } }
}

function nameUrlElicitation(params: Parameters<Rewrite>[0]): Record<string, unknown> {
  return params.mode === 'url' ? { ...params, elicitationId: crypto.randomUUID() } : params
}
