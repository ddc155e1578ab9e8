import type { Feature, Pack } from '../define/define.ts'
import { checkName } from './names.ts'
import type { Naming } from './names.ts'
import { readyPrompt } from '../methods/prompts.ts'
import { readyResource, readyTemplate } from '../methods/resources.ts'
import { MemoryShelf, duplicate, keysOf } from './shelf.ts'
import type { Entry, TemplateEntry, ToolEntry } from './shelf.ts'
import { policiesAround } from './source.ts'
import type { WrapHandle, MountOptions, Source } from './source.ts'
import { readyTool } from '../methods/tools.ts'
import type { ToolOptions } from '../methods/tools.ts'

/** Which shelf each kind of feature stands on. */
export const SHELF_OF = { tool: 'tools', prompt: 'prompts', resource: 'resources', template: 'templates' } as const

/** What holds for all features of a server. */
export interface FeatureOptions extends ToolOptions {
  readonly naming: Naming
}

interface Placing extends FeatureOptions {
  readonly prefix: string
  readonly around: WrapHandle | undefined
}

/** Features that are defined in code: those of a pack, or those added one by one. */
export class MemorySource implements Source {
  readonly name: string
  readonly instructions: string | undefined
  readonly tools: MemoryShelf<ToolEntry> = new MemoryShelf()
  readonly prompts: MemoryShelf<Entry> = new MemoryShelf()
  readonly resources: MemoryShelf<Entry> = new MemoryShelf()
  readonly templates: MemoryShelf<TemplateEntry> = new MemoryShelf()
  readonly #placing: Placing
  readonly #proposing = new Set<string>()
  #hasApps = false

  constructor(
    { name, instructions, use = [] }: Omit<Pack, 'features'>,
    options: MountOptions,
    features: FeatureOptions,
  ) {
    const { prefix = '', use: outer = [] } = options
    this.name = name
    this.instructions = instructions
    this.#placing = { ...features, prefix, around: policiesAround(use, outer, prefix) }
  }

  /** Does anything here propose values for its arguments? */
  get completes(): boolean {
    return this.#proposing.size > 0
  }

  /** Is anything here for clients that show views? */
  get hasApps(): boolean {
    return this.#hasApps
  }

  /** Put a feature on its shelf; a malformed or duplicate one throws an error that says how to fix it. */
  add(feature: Feature, others: readonly MemorySource[]): void {
    const named = prefixed(feature, this.#placing.prefix)
    switch (named.kind) {
      case 'tool':
        checkName(named.name, this.#placing.naming)
        this.#put('tools', readyTool(named, this.#placing), others)
        break
      case 'resource':
        this.#put('resources', readyResource(named), others)
        break
      case 'template':
        this.#put('templates', readyTemplate(named), others)
        if (named.complete) this.#proposing.add(`template ${named.uriTemplate}`)
        break
      case 'prompt':
        this.#put('prompts', readyPrompt(named), others)
        if (named.arguments?.some(arg => arg.complete)) this.#proposing.add(`prompt ${named.name}`)
        break
    }
  }

  /** Take a feature away; false if there was none. */
  remove(kind: Feature['kind'], key: string): boolean {
    this.#proposing.delete(`${kind} ${key}`)
    return this[SHELF_OF[kind]].take(key)
  }

  /** With a prefix, a URI that another one offers already is left to it; without, it is a mistake like any other name twice. */
  #put<K extends 'tools' | 'prompts' | 'resources' | 'templates'>(
    kind: K,
    entry: Parameters<this[K]['put']>[0],
    others: readonly MemorySource[],
  ): void {
    const isNamed = kind === 'tools' || kind === 'prompts'
    if (isNamed || this.#placing.prefix === '') {
      const taken = keysOf(entry).find(key => others.some(other => other !== this && other[kind].has(key)))
      if (taken !== undefined) throw duplicate(taken)
    }
    const { around } = this.#placing
    const { run, complete } = entry
    this.#hasApps ||= entry.withoutApps !== undefined
    const shelf: MemoryShelf<Entry> = this[kind]
    shelf.put(around ? { ...entry, run: around(run), ...(complete && { complete: around(complete) }) } : entry)
  }
}

function prefixed(feature: Feature, prefix: string): Feature {
  if (prefix === '') return feature
  if (feature.kind === 'prompt') return { ...feature, name: prefix + feature.name }
  if (feature.kind !== 'tool') return feature
  const aliases = feature.aliases?.map(alias => prefix + alias)
  return { ...feature, name: prefix + feature.name, ...(aliases && { aliases }) }
}
