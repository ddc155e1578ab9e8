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
import type { MountOptions, Source, SourceExtensions } from './source.ts'

type ShelfName = 'tools' | 'prompts' | 'resources' | 'templates' | 'skills'
const SHELVES: readonly ShelfName[] = ['tools', 'prompts', 'resources', 'templates', 'skills']
const listOf = (shelf: ShelfName): ListKind => (shelf === 'templates' || shelf === 'skills' ? 'resources' : shelf)

/** What was mounted, for the one who mounted it. */
export interface Mount {
  /** Stop offering it, and nothing else of that name. Once is enough. */
  unmount(): void
  /** Offer something else in its place, at the same position among all that is mounted. The options stay if none are given. */
  replace(mounted: Pack | Source, options?: MountOptions): void
}

interface Mounted {
  readonly source: Source
  /** Stops listening to its shelves. */
  stop(): void
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
  readonly skills: ComposedShelf<Entry>
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
    this.skills = new ComposedShelf('resources', onFailure)
  }

  /** Offer one more feature. */
  add(feature: Feature): void {
    checkFeature(feature)
    const own = this.#own ?? new MemorySource({ name: '' }, {}, this.#features)
    own.add(feature, this.#inMemory())
    if (!this.#own) this.#attach(own)
    this.#own = own
    const kind = listOf(SHELF_OF[feature.kind])
    this.kinds.add(kind)
    this.changes.list(kind)
  }

  /** Take a feature away by its name or URI; false if there was none. */
  remove(kind: Feature['kind'], key: string): boolean {
    const taken = this.#inMemory().some(source => source.remove(kind, key))
    if (taken) this.changes.list(listOf(SHELF_OF[kind]))
    return taken
  }

  /** Offer what a pack or a source has; a pack with a malformed or duplicate feature throws and leaves no trace. */
  mount(added: Pack | Source, options: MountOptions): Mount {
    let current: Mounted | undefined = this.#attach(this.#sourceOf(added, options, undefined))
    return {
      unmount: () => {
        if (current) this.#detach(current)
        current = undefined
      },
      replace: (other, otherOptions = options) => {
        if (!current) throw new Error(`'${other.name}' cannot replace what is no longer mounted`)
        current = this.#attach(this.#sourceOf(other, otherOptions, current.source), current)
      },
    }
  }

  /** What all sources want a model to know, in the order in which they were mounted. */
  get instructions(): readonly string[] {
    return this.#mounted.flatMap(({ source }) => source.instructions ?? [])
  }

  /** What sources speak beyond the protocol. */
  get extensions(): readonly SourceExtensions[] {
    return this.#mounted.flatMap(({ source }) => source.extensions ?? [])
  }

  /** Is there a source that has skills, or may have some? */
  get hasSkills(): boolean {
    return this.#mounted.some(({ source: { skills } }) => skills !== undefined && skills.isOffered !== false)
  }

  /** Does anything here propose values for its arguments? */
  get completes(): boolean {
    return this.#mounted.some(({ source }) => (source instanceof MemorySource ? source.completes : source.complete))
  }

  /** Is anything here for clients that show views? */
  get hasApps(): boolean {
    return this.#mounted.some(({ source }) => source.hasApps)
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

  /** What is mounted, under its prefix; the features of a pack may repeat those of what it replaces. */
  #sourceOf(added: Pack | Source, options: MountOptions, replaced: Source | undefined): Source {
    if (!isPack(added)) return mounted(added, options)
    const source = new MemorySource(added, options, this.#features)
    const others = this.#inMemory().filter(other => other !== replaced)
    for (const feature of added.features) source.add(feature, others)
    return source
  }

  /** Last of all, or in the place of another. */
  #attach(source: Source, replaced?: Mounted): Mounted {
    const stops = [
      ...SHELVES.map(kind => source[kind]?.listen?.(() => this.changes.list(listOf(kind)))),
      source.extensions?.listen?.(notification => this.changes.notify(notification)),
    ]
    const added = { source, stop: () => stops.forEach(stop => stop?.()) }
    const rest = this.#mounted
    this.#arrange(replaced ? rest.map(one => (one === replaced ? added : one)) : [...rest, added])
    replaced?.stop()
    const offered = SHELVES.filter(kind => offers(source, kind)).map(listOf)
    for (const kind of offered) this.kinds.add(kind)
    this.#announce([source, ...(replaced ? [replaced.source] : [])])
    return added
  }

  #detach(gone: Mounted): void {
    gone.stop()
    this.#arrange(this.#mounted.filter(one => one !== gone))
    this.#announce([gone.source])
  }

  #arrange(order: readonly Mounted[]): void {
    this.#mounted = order
    const partsOf = <K extends ShelfName>(kind: K): Part<Shelved<K>>[] =>
      order.flatMap(({ source }) => {
        const shelf = source[kind] as Shelf<Shelved<K>> | undefined
        return shelf ? [{ name: source.name, shelf }] : []
      })
    this.tools.arrange(partsOf('tools'))
    this.prompts.arrange(partsOf('prompts'))
    this.resources.arrange(partsOf('resources'))
    this.templates.arrange(partsOf('templates'))
    this.skills.arrange(partsOf('skills'))
  }

  #announce(sources: readonly Source[]): void {
    for (const kind of SHELVES) if (sources.some(source => offers(source, kind))) this.changes.list(listOf(kind))
  }
}

type Shelved<K extends ShelfName> = NonNullable<Source[K]> extends Shelf<infer E> ? E : never

/** Is there, or may there be, anything of that kind? A pack's empty shelf stays empty. */
function offers(source: Source, kind: ShelfName): boolean {
  const shelf = source[kind]
  return shelf !== undefined && !(shelf instanceof MemoryShelf && shelf.size === 0)
}
