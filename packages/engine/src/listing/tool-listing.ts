import type { Call } from '../call.ts'
import { isForApps } from '../catalog/plain-lists.ts'
import type { Info, ToolEntry } from '../catalog/shelf.ts'
import { estimateTokens } from '../results/estimate-tokens.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut, isObject } from '../jsonrpc/message.ts'
import { TOOLSET_META } from '../protocol/keys.ts'
import { didYouMean } from '../schema/nearest.ts'
import { SEARCH_THRESHOLD } from './options.ts'
import type { ListingOptions, SearchMode } from './options.ts'
import { Promotions } from './promotions.ts'
import { CALL_TOOL, FIND_TOOLS, SEARCH_TOOLS } from './search-names.ts'

const ALL = 'all'
const MOST_NAMES = 1000
// Of what a list may cost, for tools of the user's servers where search takes over.
const SHARE_OF_SERVERS = 0.25
const MOST_SERVERS = 30

/** Is told that search took over, and what the list would have cost. */
export type OnTakeOver = (tools: number, threshold: number) => void

/** Decides which tools `tools/list` shows: once per state of the catalog, so that pages are made once. */
export class ToolListing {
  readonly promotions: Promotions | undefined
  readonly #search: SearchMode
  readonly #threshold: number
  readonly #outputSchemas: boolean
  readonly #toolsets: ReadonlyMap<string, readonly string[]>
  readonly #listed: (name: string) => boolean
  readonly #pinned: ReadonlySet<string>
  readonly #serverOf: NonNullable<ListingOptions['serverOf']>
  readonly #onTakeOver: OnTakeOver
  readonly #views = new WeakMap<readonly ToolEntry[], readonly ToolEntry[]>()
  readonly #brief = new WeakMap<ToolEntry, ToolEntry>()
  readonly #tokens = new WeakMap<Info, number>()

  constructor(options: ListingOptions, onTakeOver: OnTakeOver) {
    const { toolsets = {}, listed, pinned = [], promote = false } = options
    this.#search = options.search ?? 'auto'
    this.#threshold = options.threshold ?? SEARCH_THRESHOLD
    this.#outputSchemas = options.outputSchemas ?? true
    this.#serverOf = options.serverOf ?? (() => undefined)
    this.#toolsets = new Map(Object.entries(toolsets))
    this.#pinned = new Set(this.#expanded(pinned))
    const grouped = new Set(Object.values(toolsets).flat())
    const chosen = new Set([...this.#pinned, ...this.#expanded(listed ?? [])])
    this.#listed = listed === undefined ? () => true : name => chosen.has(name) || !grouped.has(name)
    this.#onTakeOver = onTakeOver
    this.promotions = promote ? new Promotions() : undefined
  }

  /** What of all that is served to the caller is listed in answer to a call. */
  readonly choose = (served: readonly ToolEntry[], call: Call): readonly ToolEntry[] => {
    const wanted = call.meta[TOOLSET_META]
    if (wanted !== undefined) return this.#asked(served, wanted)
    let view = this.#views.get(served)
    if (!view) this.#views.set(served, (view = this.#withApps(served, call.caller.view !== undefined)))
    return this.promotions ? this.promotions.shown(call, view, served) : view
  }

  /** What is there for views costs a model nothing, and hosts have to know of it: it is listed in any case. */
  #withApps(served: readonly ToolEntry[], isSelection: boolean): readonly ToolEntry[] {
    if (!served.some(isForApps)) return this.#viewOf(served, isSelection)
    const forModels = served.filter(entry => !isForApps(entry))
    return [...this.#viewOf(forModels, isSelection), ...served.filter(isForApps)]
  }

  /** A view of the server is a selection already; where it has no tools to search with, nothing is left to search. */
  #viewOf(served: readonly ToolEntry[], isSelection: boolean): readonly ToolEntry[] {
    const search = served.some(({ key }) => SEARCH_TOOLS.has(key)) ? this.#search : 'off'
    const rest = search === 'off' ? served : served.filter(({ key }) => !SEARCH_TOOLS.has(key))
    const listed = isSelection ? rest : rest.filter(({ key }) => this.#listed(key))
    const shaped = this.#outputSchemas ? listed : listed.map(entry => this.#withoutOutput(entry))
    const isTooMuch = search === 'auto' && this.#costsTooMuch(shaped)
    if (isTooMuch) this.#onTakeOver(listed.length, this.#threshold)
    const shown = search === 'on' || isTooMuch ? this.#kept(shaped) : shaped
    if (search === 'off' || (search === 'auto' && shown.length === rest.length)) return shown
    return [...shown, ...naming(searchToolsIn(served, rest), this.#servers(rest))]
  }

  /** What stays listed where search takes over: the user's own servers that are small, then what is pinned. */
  #kept(entries: readonly ToolEntry[]): readonly ToolEntry[] {
    const costs = [...this.#servers(entries).values()].map(tools => ({ tools, cost: this.#costOf(tools) }))
    const own: ToolEntry[] = []
    let left = this.#threshold * SHARE_OF_SERVERS
    for (const { tools, cost } of costs.toSorted((a, b) => a.cost - b.cost)) {
      if (cost > left) break
      left -= cost
      own.push(...tools)
    }
    return [...own, ...entries.filter(entry => this.#pinned.has(entry.key) && !own.includes(entry))]
  }

  /** The tools of each server of the user's. */
  #servers(entries: readonly ToolEntry[]): ReadonlyMap<string, readonly ToolEntry[]> {
    const servers = new Map<string, ToolEntry[]>()
    for (const entry of entries) {
      const name = this.#serverOf(entry.key)
      if (name === undefined) continue
      const tools = servers.get(name) ?? []
      tools.push(entry)
      servers.set(name, tools)
    }
    return servers
  }

  #withoutOutput(entry: ToolEntry): ToolEntry {
    if (entry.info.outputSchema === undefined) return entry
    const known = this.#brief.get(entry)
    if (known) return known
    const { outputSchema: _, ...info } = entry.info
    const brief = { ...entry, info }
    this.#brief.set(entry, brief)
    return brief
  }

  #costsTooMuch(entries: readonly ToolEntry[]): boolean {
    return this.#costOf(entries) > this.#threshold
  }

  /** The tokens of some definitions, counted until they are more than a list may cost. */
  #costOf(entries: readonly ToolEntry[]): number {
    let sum = 0
    for (const { info } of entries) {
      const tokens = this.#tokens.get(info) ?? estimateTokens(JSON.stringify(info))
      this.#tokens.set(info, tokens)
      sum += tokens
      if (sum > this.#threshold) return sum
    }
    return sum
  }

  /** What a client named in `_meta`, with whole definitions. */
  #asked(served: readonly ToolEntry[], wanted: unknown): readonly ToolEntry[] {
    if (wanted === ALL) return served
    const names: unknown[] = typeof wanted === 'string' ? [wanted] : Array.isArray(wanted) ? wanted : []
    if (names.length === 0 || names.length > MOST_NAMES || !names.every(name => typeof name === 'string')) {
      throw wrongToolset(`must be "${ALL}" or an array of 1 to ${MOST_NAMES} names of toolsets or tools`)
    }
    const known = new Set([ALL, ...this.#toolsets.keys(), ...served.map(({ key }) => key)])
    const unknown = names.find(name => !known.has(name))
    if (unknown !== undefined) {
      const hint = didYouMean(unknown, known) ?? `Toolsets: ${[ALL, ...this.#toolsets.keys()].join(', ')}.`
      throw wrongToolset(`names '${cut(unknown, 100)}', which is neither a toolset nor a tool. ${hint}`)
    }
    if (names.includes(ALL)) return served
    const chosen = new Set(this.#expanded(names))
    return served.filter(({ key }) => chosen.has(key))
  }

  /** Toolsets as the tools in them. */
  #expanded(names: readonly string[]): readonly string[] {
    return names.flatMap(name => this.#toolsets.get(name) ?? [name])
  }
}

/** The tools to search with; where nothing that they lead to writes, the one that calls says so. */
function searchToolsIn(served: readonly ToolEntry[], rest: readonly ToolEntry[]): readonly ToolEntry[] {
  const own = served.filter(({ key }) => SEARCH_TOOLS.has(key))
  if (!rest.every(({ info }) => isReadOnly(info))) return own
  return own.map(entry => (entry.key === CALL_TOOL ? readingOnly(entry) : entry))
}

/** The tool that finds others names the servers they belong to. */
function naming(
  search: readonly ToolEntry[],
  servers: ReadonlyMap<string, readonly ToolEntry[]>,
): readonly ToolEntry[] {
  if (servers.size === 0) return search
  const named = [...servers].slice(0, MOST_SERVERS).map(([name, { length }]) => `${cut(name, 64)} (${length})`)
  const words = `Servers: ${named.join(', ')}${servers.size > MOST_SERVERS ? ', …' : ''}.`
  const withServers = ({ info, ...entry }: ToolEntry): ToolEntry => ({
    ...entry,
    info: { ...info, description: `${String(info.description)} ${words}` },
  })
  return search.map(entry => (entry.key === FIND_TOOLS ? withServers(entry) : entry))
}

const readingOnly = (entry: ToolEntry): ToolEntry => ({
  ...entry,
  info: { ...entry.info, annotations: { readOnlyHint: true } },
})

const isReadOnly = ({ annotations }: Info): boolean => isObject(annotations) && annotations.readOnlyHint === true

const wrongToolset = (what: string): Error =>
  fault('invalid-params', `Invalid params: params._meta["${TOOLSET_META}"] ${what}`)
