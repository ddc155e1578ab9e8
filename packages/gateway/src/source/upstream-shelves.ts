import type { Caller, Entry, TemplateEntry, ToolEntry } from '@causeway/engine'
import { entriesOf, resourceEntry } from './entries.ts'
import type { EntryOwner, Named } from './entries.ts'
import type { Lists } from './fetch-lists.ts'
import { LiveShelf } from './live-shelf.ts'
import { quotedInstructions } from './server-instructions.ts'

/** What shelves need of the upstream whose features they hold. */
export interface ShelfOwner extends EntryOwner {
  /** Why nothing is known of the server, where that is so. */
  unknown(): Error | undefined
}

/** How lists that are not known are loaded, and URIs found that are not listed. */
export interface ShelfRules {
  load(caller?: Caller): Promise<void> | undefined
  /** Load lists of an earlier run again. */
  wake(): Promise<void> | undefined
  ownsUnlisted(uri: string): boolean
  /** Who sees the resources that were listed; undefined if everyone does. */
  onlyFor(): ((caller: Caller) => boolean) | undefined
}

/** A server's features under the names the gateway gives them; invisible characters in definitions are made visible. */
export class UpstreamShelves {
  readonly tools: LiveShelf<ToolEntry>
  readonly prompts: LiveShelf<Entry>
  readonly resources: LiveShelf<Entry>
  readonly templates: LiveShelf<TemplateEntry>
  readonly #owner: ShelfOwner
  #shown = ''
  #instructions: string | undefined
  #hasApps = false

  constructor(owner: ShelfOwner, { load, wake, ownsUnlisted, onlyFor }: ShelfRules) {
    this.#owner = owner
    const { prefix } = owner.config
    const isNamed = (key: string): boolean => prefix !== false && key.startsWith(`${prefix}__`)
    // A name without a prefix may be any server's.
    const mayHave = (key: string): boolean => prefix === false || isNamed(key)
    const missing = (key: string): Error | undefined => (isNamed(key) ? owner.unknown() : undefined)
    const unlisted = (uri: string): Entry | undefined => owner.skills.file(uri) ?? unlistedResource(uri)
    const unlistedResource = (uri: string): Entry | undefined =>
      ownsUnlisted(uri) && !owner.skills.isElsewhere(uri) ? resourceEntry(uri, { uri, name: uri }, owner) : undefined
    this.tools = new LiveShelf({ load, wake, mayHave, missing })
    this.prompts = new LiveShelf({ load, wake, mayHave, missing })
    this.resources = new LiveShelf({ load, mayHave: () => true, unlisted, onlyFor })
    this.templates = new LiveShelf({ load, mayHave: () => true })
  }

  /** Is anything there for clients that show views? */
  get hasApps(): boolean {
    return this.#hasApps
  }

  /** What the server says of itself, in so many characters; undefined if it says nothing, or nothing is wanted. */
  instructions(room: number): string | undefined {
    const { config } = this.#owner
    const text = this.#instructions
    if (text === undefined || text.trim() === '' || room === 0 || config.instructions === false) return undefined
    const names = new Map(this.tools.entries.map(entry => [(entry as ToolEntry & Named).original, entry.key]))
    return quotedInstructions({ config, text, names, room })
  }

  /** Offer what the server lists. */
  show(lists: Lists): void {
    const { tools, prompts, resources, templates } = entriesOf(lists, this.#owner)
    const held = [...tools, ...prompts, ...resources].map(entry => entry.held?.message ?? entry.key)
    this.#hasApps = [...tools, ...resources, ...templates].some(({ withoutApps }) => withoutApps !== undefined)
    const offered = templates.map(({ key }) => key)
    const shown = JSON.stringify([lists.digest, offered, held])
    const isSame = lists.digest !== undefined && shown === this.#shown
    this.#shown = shown
    const isWithheld = this.#owner.heldBack('instructions', 'instructions') !== undefined
    this.#instructions = isWithheld ? undefined : lists.instructions
    split(this.tools, tools, isSame)
    split(this.prompts, prompts, isSame)
    split(this.resources, resources, isSame)
    this.templates.replace(templates, [], isSame)
  }
}

/** Held entries can be found, and are not listed. */
function split<E extends Entry>(shelf: LiveShelf<E>, entries: readonly (E & Named)[], isSame: boolean): void {
  const held = entries.filter(entry => entry.held !== undefined)
  const offered = held.length === 0 ? entries : entries.filter(entry => entry.held === undefined)
  shelf.replace(offered, held, isSame)
}
