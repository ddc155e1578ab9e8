import type { Caller } from '../call.ts'
import type { Feature, Pack } from '../define/define.ts'
import { checkFeature } from '../define/definition.ts'
import { Changes } from './changes.ts'
import type { ListKind } from './changes.ts'
import { ComposedShelf } from './composed-shelf.ts'
import type { OnFailure, Part } from './composed-shelf.ts'
import { MemorySource, SHELF_OF } from './memory-source.ts'
import type { FeatureOptions } from './memory-source.ts'
import { MemoryShelf } from './shelf.ts'
import type { Entry, Info, Shelf, TemplateEntry, ToolEntry } from './shelf.ts'
import { isPack, mounted } from './source.ts'
import type { MountOptions, Source } from './source.ts'

type ShelfName = 'tools' | 'prompts' | 'resources' | 'templates'
const SHELVES: readonly ShelfName[] = ['tools', 'prompts', 'resources', 'templates']
const listOf = (shelf: ShelfName): ListKind => (shelf === 'templates' ? 'resources' : shelf)

interface Mounted {
  readonly prefix: string
  readonly source: Source
  unmount(): void
}

/** How a catalog is set up. */
export interface CatalogOptions extends FeatureOptions {
  /** Kinds to declare although there is nothing of them yet. */
  readonly declared: readonly ListKind[]
  /** Is told of a source that could not be listed. */
  readonly onFailure: OnFailure
}

/** Everything a server offers, of whatever sources, and word of its changes. */
export class Catalog {
  readonly tools: ComposedShelf<ToolEntry>
  readonly prompts: ComposedShelf<Entry>
  readonly resources: ComposedShelf<Entry>
  readonly templates: ComposedShelf<TemplateEntry>
  readonly changes: Changes = new Changes()
  /** Of what there is, or was, something: what clients were told is there stays, if only as an empty list. */
  readonly kinds: Set<ListKind>
  readonly #features: FeatureOptions
  #mounted: readonly Mounted[] = []
  #own: MemorySource | undefined

  constructor({ naming, repair, declared, onFailure }: CatalogOptions) {
    this.#features = { naming, repair }
    this.kinds = new Set(declared)
    this.tools = new ComposedShelf('tools', onFailure)
    this.prompts = new ComposedShelf('prompts', onFailure)
    this.resources = new ComposedShelf('resources', onFailure)
    this.templates = new ComposedShelf('templates', onFailure)
  }

  /** Offer one more feature. */
  add(feature: Feature): void {
    checkFeature(feature)
    const own = this.#own ?? new MemorySource({ name: '' }, {}, this.#features)
    own.add(feature, this.#inMemory())
    if (!this.#own) this.#attach(own, '')
    this.#own = own
    this.#changed(listOf(SHELF_OF[feature.kind]))
  }

  /** Take a feature away by its name or URI; false if there was none. */
  remove(kind: Feature['kind'], key: string): boolean {
    const taken = this.#inMemory().some(source => source.remove(kind, key))
    if (taken) this.changes.list(listOf(SHELF_OF[kind]))
    return taken
  }

  /** Offer what a pack or a source has; a pack with a malformed or duplicate feature throws and leaves no trace. */
  mount(added: Pack | Source, options: MountOptions): void {
    const { prefix = '' } = options
    if (!isPack(added)) {
      this.#attach(mounted(added, options), prefix)
      for (const shelf of SHELVES) if (added[shelf]) this.#changed(listOf(shelf))
      return
    }
    const source = new MemorySource(added, options, this.#features)
    for (const feature of added.features) source.add(feature, this.#inMemory())
    this.#attach(source, prefix)
    for (const kind of new Set(added.features.map(({ kind }) => listOf(SHELF_OF[kind])))) this.#changed(kind)
  }

  /** Stop offering what was mounted under that name, and that prefix if one is given; false if there was nothing. */
  unmount(name: string, prefix: string | undefined): boolean {
    const gone = this.#mounted.filter(
      one => one.source !== this.#own && one.source.name === name && (prefix ?? one.prefix) === one.prefix,
    )
    for (const one of gone) one.unmount()
    this.#mounted = this.#mounted.filter(one => !gone.includes(one))
    return gone.length > 0
  }

  /** What all sources want a model to know, in the order in which they were mounted. */
  get instructions(): readonly string[] {
    return this.#mounted.flatMap(({ source }) => source.instructions ?? [])
  }

  /** Does anything here propose values for its arguments? */
  get completes(): boolean {
    return this.#mounted.some(({ source }) => (source instanceof MemorySource ? source.completes : source.complete))
  }

  /** The features of one kind, as lists show them. */
  async listed(kind: Feature['kind'], caller: Caller): Promise<readonly Info[]> {
    const entries = await this[SHELF_OF[kind]].list(caller)
    return entries.map(({ info }) => info)
  }

  /** Everything the lists of one kind show. */
  async contentOf(kind: ListKind, caller: Caller): Promise<readonly Info[]> {
    const shelves = SHELVES.filter(shelf => listOf(shelf) === kind)
    const entries = await Promise.all(shelves.map(async shelf => this[shelf].list(caller)))
    return entries.flat().map(({ info }) => info)
  }

  /** A tool that was added or came with a pack, by any of its names. */
  ownTool(name: string): ToolEntry | undefined {
    for (const { source } of this.#mounted) {
      const found = source instanceof MemorySource ? source.tools.find(name) : undefined
      if (found) return found
    }
    return undefined
  }

  #inMemory(): readonly MemorySource[] {
    return this.#mounted.map(({ source }) => source).filter(source => source instanceof MemorySource)
  }

  #changed(kind: ListKind): void {
    this.kinds.add(kind)
    this.changes.list(kind)
  }

  #attach(source: Source, prefix: string): void {
    const undo = SHELVES.flatMap(name => this.#attachShelf(name, source))
    this.#mounted = [...this.#mounted, { prefix, source, unmount: () => undo.forEach(step => step()) }]
  }

  #attachShelf(kind: ShelfName, source: Source): (() => void)[] {
    const shelf = source[kind]
    if (!shelf) return []
    const part = { name: source.name, shelf } as Part<ToolEntry & TemplateEntry>
    const composed = this[kind] as ComposedShelf<ToolEntry & TemplateEntry>
    composed.add(part)
    const changed = (): void => this.changes.list(listOf(kind))
    const stop = (shelf as Shelf<Entry>).listen?.(changed)
    const leave = (): void => {
      stop?.()
      composed.remove(part)
      if (!(shelf instanceof MemoryShelf) || shelf.size > 0) changed()
    }
    return [leave]
  }
}
