import type { Params, Result } from '../jsonrpc/message.ts'
import { canonicalJson } from '../support/canonical-json.ts'
import { jsonSize } from '../support/json-size.ts'
import type { ServerChange } from './remote.ts'

/** Methods whose results say how long they may be kept, and the list that they are of. */
const KEPT: Readonly<Record<string, 'tools' | 'prompts' | 'resources' | undefined>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resources',
  'resources/read': 'resources',
  'skills/list': 'resources',
  'skills/get': 'resources',
}

interface Kept {
  readonly method: string
  readonly params: Params
  readonly result: Result
  readonly until: number
  readonly size: number
}

const MOST_RESULTS = 200
const MOST_CHARACTERS = 8 * 1024 * 1024
const LONGEST_MS = 24 * 60 * 60_000

/** Results that a server allows to keep, for as long as it says, and not after it says that they changed. */
export class KeptResults {
  readonly #results = new Map<string, Kept>()
  readonly #now: () => number
  #size = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  find(method: string, params: Params): Result | undefined {
    if (KEPT[method] === undefined || this.#results.size === 0) return undefined
    const key = keyOf(method, params)
    const kept = this.#results.get(key)
    if (!kept) return undefined
    if (this.#now() < kept.until) return kept.result
    this.#drop(key, kept)
    return undefined
  }

  keep(method: string, params: Params, result: Result): void {
    const { ttlMs, resultType } = result
    if (KEPT[method] === undefined || typeof ttlMs !== 'number' || !(ttlMs > 0) || resultType !== undefined) return
    const size = jsonSize(result, MOST_CHARACTERS)
    if (size > MOST_CHARACTERS / 2) return
    const key = keyOf(method, params)
    const earlier = this.#results.get(key)
    if (earlier) this.#drop(key, earlier)
    this.#results.set(key, { method, params, result, until: this.#now() + Math.min(ttlMs, LONGEST_MS), size })
    this.#size += size
    for (const [oldest, one] of this.#results) {
      if (this.#results.size <= MOST_RESULTS && this.#size <= MOST_CHARACTERS) break
      this.#drop(oldest, one)
    }
  }

  /** What the server announces is asked for again. */
  changed(change: ServerChange): void {
    for (const [key, one] of this.#results) {
      const isOld = 'uri' in change ? one.params.uri === change.uri : KEPT[one.method] === change.list
      if (isOld) this.#drop(key, one)
    }
  }

  #drop(key: string, { size }: Kept): void {
    this.#results.delete(key)
    this.#size -= size
  }
}

const keyOf = (method: string, params: Params): string => `${method}\n${canonicalJson(params)}`
