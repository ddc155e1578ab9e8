import type { Feature } from '../define.ts'
import { Changes } from './changes.ts'
import type { ListKind } from './changes.ts'
import { readyPrompt } from './prompts.ts'
import type { PromptEntry } from './prompts.ts'
import { readyResource, readyTemplate } from './resources.ts'
import type { ResourceEntry, TemplateEntry } from './resources.ts'
import { MemoryShelf } from './shelf.ts'
import { readyTool } from './tools.ts'
import type { ToolEntry } from './tools.ts'

/** Which letters a tool's name may have. */
export type Naming = 'standard' | 'strict'

const NAMES: Readonly<Record<Naming, RegExp>> = {
  standard: /^[A-Za-z0-9_.-]{1,128}$/,
  strict: /^[A-Za-z0-9_-]{1,128}$/,
}

/** Everything a server offers, made ready, and word of its changes. */
export class Catalog {
  readonly tools: MemoryShelf<ToolEntry> = new MemoryShelf()
  readonly resources: MemoryShelf<ResourceEntry> = new MemoryShelf()
  readonly templates: MemoryShelf<TemplateEntry> = new MemoryShelf()
  readonly prompts: MemoryShelf<PromptEntry> = new MemoryShelf()
  readonly changes: Changes = new Changes()
  /** Of what there is, or was, something: what clients were told is there stays, if only as an empty list. */
  readonly kinds: Set<ListKind>
  readonly #naming: Naming

  constructor(naming: Naming, declared: readonly ListKind[]) {
    this.#naming = naming
    this.kinds = new Set(declared)
  }

  /** Put a feature on its shelf; a malformed or duplicate one throws with what to mend. */
  add(feature: Feature): void {
    switch (feature.kind) {
      case 'tool':
        checkName(feature.name, this.#naming)
        this.tools.put(readyTool(feature))
        break
      case 'resource':
        this.resources.put(readyResource(feature))
        break
      case 'template':
        this.templates.put(readyTemplate(feature))
        break
      case 'prompt':
        if (feature.name === '') throw new TypeError('A prompt needs a name')
        this.prompts.put(readyPrompt(feature))
        break
    }
    this.kinds.add(listOf(feature.kind))
    this.changes.list(listOf(feature.kind))
  }

  /** Take a feature away by its name or URI; false if there was none. */
  remove(kind: Feature['kind'], key: string): boolean {
    const shelf = { tool: this.tools, resource: this.resources, template: this.templates, prompt: this.prompts }[kind]
    const taken = shelf.take(key)
    if (taken) this.changes.list(listOf(kind))
    return taken
  }
}

const listOf = (kind: Feature['kind']): ListKind =>
  kind === 'tool' ? 'tools' : kind === 'prompt' ? 'prompts' : 'resources'

function checkName(name: string, naming: Naming): void {
  if (NAMES[naming].test(name)) return
  const letters = naming === 'strict' ? 'A-Z a-z 0-9 _ -' : 'A-Z a-z 0-9 _ . -'
  const better = name.replace(naming === 'strict' ? /[^A-Za-z0-9_-]+/g : /[^A-Za-z0-9_.-]+/g, '_').slice(0, 128)
  const hint = better === '' || better === name ? '' : ` Try '${better}'.`
  throw new TypeError(`Tool name '${name.slice(0, 200)}' is not allowed: 1 to 128 of ${letters}.${hint}`)
}
