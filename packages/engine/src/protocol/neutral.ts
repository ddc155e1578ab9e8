import { isObject } from '../jsonrpc/message.ts'
import type { Params, Result } from '../jsonrpc/message.ts'
import { LISTS, each, omit } from './downgrade.ts'
import { META } from './keys.ts'
import { ALL_ASKINGS } from './asks.ts'
import { asksAsResults } from './live-asks.ts'
import { connectStateless } from './remote/stateless.ts'
import { model } from './revision.ts'
import type { Chained, Stamp } from './revision.ts'

// Which tools can be tasks is for clients that ask for tasks; here the server decides.
const withoutExecution = each('tools', omit('execution'))
const UNCACHED = { ttlMs: 0, cacheScope: 'private' } as const

/** Every result says what kind of result it is and who answers; what may be kept says for how long. */
const stamp: Stamp = {
  put(result, { method, descriptor }, server) {
    const _meta = isObject(result._meta)
      ? { ...result._meta, [META.serverInfo]: server }
      : { [META.serverInfo]: server }
    if (result.resultType === 'input_required') return { ...result, _meta }
    if (!descriptor.cacheable) return { resultType: 'complete', ...result, _meta }
    const shown = method === 'tools/list' ? withoutExecution(result) : result
    return { resultType: 'complete', ...UNCACHED, ...shown, _meta }
  },
  takeOff({ _meta, resultType, ttlMs, cacheScope, ...rest }) {
    // Members are never deleted: V8 would treat the object as a dictionary from then on.
    const result: Result = rest
    if (resultType !== undefined && resultType !== 'complete') result.resultType = resultType
    if (ttlMs !== UNCACHED.ttlMs || cacheScope !== UNCACHED.cacheScope) {
      if (ttlMs !== undefined) result.ttlMs = ttlMs
      if (cacheScope !== undefined) result.cacheScope = cacheScope
    }
    const meta = isObject(_meta) ? withoutServer(_meta) : _meta
    if (meta !== undefined) result._meta = meta
    return result
  },
}

/** What `_meta` has in addition to the server's name; undefined if there is nothing. */
function withoutServer(meta: Params): Params | undefined {
  for (const key in meta) {
    if (key === META.serverInfo) continue
    const { [META.serverInfo]: _, ...rest } = meta
    return rest
  }
  return undefined
}

/**
 * The model that handlers see, which is what the newest revision says: every request describes itself, questions come
 * back as results. A newer revision is a new file that differs from this, and the one line that now follows it.
 */
export const neutral: Chained = model({
  era: 'stateless',
  methods: [
    ...Object.keys(LISTS),
    'server/discover',
    'subscriptions/listen',
    'tools/call',
    'prompts/get',
    'resources/read',
    'completion/complete',
  ],
  questions: ALL_ASKINGS,
  traits: { batch: false, nullId: false, primed: false },
  serve: asksAsResults,
  open: connectStateless,
  stamp,
})
