import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { LISTS } from './downgrade.ts'
import { META } from './keys.ts'
import { asksAsResults } from './live-asks.ts'
import { model } from './revision.ts'
import type { Chained, Stamp } from './revision.ts'

const UNCACHED = { ttlMs: 0, cacheScope: 'private' } as const

/** Every result says what kind of result it is and who answers; what may be kept says for how long. */
const stamp: Stamp = {
  put(result, { descriptor }, server) {
    const _meta = isObject(result._meta)
      ? { ...result._meta, [META.serverInfo]: server }
      : { [META.serverInfo]: server }
    if (result.resultType === 'input_required') return { ...result, _meta }
    if (!descriptor.cacheable) return { resultType: 'complete', ...result, _meta }
    return { resultType: 'complete', ...UNCACHED, ...result, _meta }
  },
  takeOff({ _meta, ...result }) {
    if (result.resultType === 'complete') delete result.resultType
    if (result.ttlMs === UNCACHED.ttlMs && result.cacheScope === UNCACHED.cacheScope) {
      delete result.ttlMs
      delete result.cacheScope
    }
    return withMeta(result, _meta)
  },
}

function withMeta(result: Result, _meta: unknown): Result {
  if (!isObject(_meta)) return _meta === undefined ? result : { ...result, _meta }
  const { [META.serverInfo]: _, ...rest } = _meta
  return Object.keys(rest).length > 0 ? { ...result, _meta: rest } : result
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
  questions: ['elicitation', 'elicitation.url', 'sampling', 'sampling.tools', 'roots'],
  traits: { batch: false, nullId: false, primed: false, handshake: false, extensions: true },
  serve: asksAsResults,
  stamp,
})
