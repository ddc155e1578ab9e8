import type { Awaitable, Caller, Handle, StreamDirection } from '../call.ts'
import type { CacheOptions } from '../define/define.ts'
import type { ParamHeader } from '../protocol/headers.ts'

/** What a list shows of a feature, in protocol terms; members we do not know pass through. */
export type Info = Readonly<Record<string, unknown>>

/** How long a client may keep something, and whether it may share it with others. */
export interface CacheHint {
  readonly ttlMs: number
  readonly scope: 'public' | 'private'
}

/** The hint of a definition, as an entry has it. */
export const hintOf = (cache: CacheOptions | undefined): { cache?: CacheHint } =>
  cache ? { cache: { ttlMs: cache.ttlMs, scope: cache.scope ?? 'private' } } : {}

/** A feature that runs itself, wherever it comes from. */
export interface Entry {
  /** The name of a tool or prompt, the URI of a resource, the URI template of a family of them. */
  readonly key: string
  readonly info: Info
  /** Other keys it is found by, which are not listed. */
  readonly aliases?: readonly string[]
  /** Serves `tools/call`, `prompts/get` or `resources/read`; the result goes to the client as it is. */
  readonly run: Handle
  /** Serves `completion/complete` for one of its arguments. */
  readonly complete?: Handle
  /** How long its place in a list may be kept. Default: what the server says of all lists. */
  readonly cache?: CacheHint
  /** What clients that show no views see in place of `info`: another definition, or nothing at all, which is null. */
  readonly withoutApps?: Info | null
  /** It streams bytes, so it is listed only where the connection can carry them. */
  readonly stream?: StreamDirection
}

/** A tool. */
export interface ToolEntry extends Entry {
  /** Its input schema with what is for the server alone, where that is more than `info` shows. */
  readonly schema?: Info
  /** Words that it is found by, which are not listed. */
  readonly keywords?: string
  /** Arguments that HTTP clients repeat in headers. */
  readonly headers?: readonly ParamHeader[]
}

/** A family of resources; its `run` fails with the kind `resource-not-found` for a URI it does not have after all. */
export interface TemplateEntry extends Entry {
  /** May the URI be one of the family? */
  matches(uri: string): boolean
}

/** Lists and finds the features of one kind, for a caller; at once, or by a promise. */
export interface Shelf<E extends Entry> {
  list(caller: Caller): Awaitable<readonly E[]>
  /** By key or alias. */
  find(key: string, caller: Caller): Awaitable<E | undefined>
  /** Be told when the list is not what it was, until the returned function is called. */
  listen?(changed: () => void): () => void
  /** Every caller gets the same list, and the same array until it changes. Default: false. */
  readonly shared?: boolean
  /** False while there cannot be anything on it, so that nothing is declared for it. Default: true. */
  readonly isOffered?: boolean
}

/** A shelf in memory, in the order in which things were put on it. */
export class MemoryShelf<E extends Entry> implements Shelf<E> {
  readonly shared = true
  readonly #entries = new Map<string, E>()
  readonly #aliases = new Map<string, E>()
  #listed: readonly E[] | undefined
  #withoutStreams: readonly E[] | undefined

  get size(): number {
    return this.#entries.size
  }

  /** The same array until something changes. */
  list(caller?: Caller): readonly E[] {
    const all = (this.#listed ??= [...this.#entries.values()])
    if (caller?.streams) return all
    return (this.#withoutStreams ??= all.some(({ stream }) => stream) ? all.filter(({ stream }) => !stream) : all)
  }

  find(key: string): E | undefined {
    return this.#entries.get(key) ?? this.#aliases.get(key)
  }

  /** Every name something here answers to. */
  has(key: string): boolean {
    return this.find(key) !== undefined
  }

  put(entry: E): void {
    for (const key of keysOf(entry)) if (this.has(key)) throw duplicate(key)
    this.#entries.set(entry.key, entry)
    for (const alias of entry.aliases ?? []) this.#aliases.set(alias, entry)
    this.#changed()
  }

  /** True if there was one to take away. */
  take(key: string): boolean {
    for (const alias of this.#entries.get(key)?.aliases ?? []) this.#aliases.delete(alias)
    this.#changed()
    return this.#entries.delete(key)
  }

  #changed(): void {
    this.#listed = undefined
    this.#withoutStreams = undefined
  }
}

/** Everything an entry is found by. */
export const keysOf = ({ key, aliases = [] }: Entry): readonly string[] => [key, ...aliases]

/** The refusal of a name that is taken. */
export const duplicate = (key: string): Error =>
  new TypeError(`Duplicate name '${key}': remove the first one, or mount with a prefix`)
