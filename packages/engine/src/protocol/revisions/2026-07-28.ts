import type { Call, Implementation } from '../../call.ts'
import { isObject } from '../../jsonrpc/message.ts'
import type { Result } from '../../jsonrpc/message.ts'
import { META } from '../keys.ts'
import { newest } from '../revision.ts'
import type { Chained } from '../revision.ts'

const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const
const CACHEABLE: ReadonlySet<string> = new Set([...LISTS, 'server/discover', 'resources/read'])

/** Stateless: every request describes itself, questions come back as results. */
export const v2026_07_28: Chained = newest({
  version: '2026-07-28',
  methods: [
    ...LISTS,
    'server/discover',
    'subscriptions/listen',
    'tools/call',
    'prompts/get',
    'resources/read',
    'completion/complete',
  ],
  questions: ['elicitation', 'elicitation.url', 'sampling', 'sampling.tools', 'roots'],
  traits: { batch: false, nullId: false, primed: false },
  serve: (call, run) => run(call),
  stamp,
})

function stamp(result: Result, call: Call, server: Implementation): Result {
  const _meta = isObject(result._meta) ? { ...result._meta, [META.serverInfo]: server } : { [META.serverInfo]: server }
  if (result.resultType === 'input_required') return { ...result, _meta }
  if (!CACHEABLE.has(call.method)) return { resultType: 'complete', ...result, _meta }
  return { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result, _meta }
}
