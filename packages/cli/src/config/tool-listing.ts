import type { ListingOptions, SearchMode } from '@causeway/engine'
import type { Preset } from '../presets/preset.ts'
import { toolsets } from './toolsets.ts'
import { choice } from './values.ts'

/** What was said about the list of tools. */
export interface ListingChoices {
  readonly preset: Preset
  /** Undefined leaves it to the preset. */
  readonly search: SearchMode | undefined
  readonly threshold: number
  readonly promote: boolean
  readonly toolset: readonly string[]
  readonly pin: readonly string[] | undefined
  /** Packs or tools were named, so that they are what is wanted. */
  readonly isChosen: boolean
}

const ALL = 'all'

/** Which tools are listed, and how the others are found: a preset that lists everything has nothing to search for. */
export function listingOf(choices: ListingChoices): ListingOptions {
  const { preset, search, threshold, promote, isChosen } = choices
  const named = choices.toolset.map(name => choice(name, 'toolset', [...toolsets.map(t => t.name), ALL]))
  const listed = isChosen || named.includes(ALL) ? undefined : preset.listed && [...preset.listed, ...named]
  return {
    toolsets: Object.fromEntries(toolsets.map(({ name, tools }) => [name, tools])),
    ...(listed && { listed }),
    pinned: choices.pin ?? preset.pinned ?? [],
    search: search ?? (preset.listed ? 'auto' : 'off'),
    outputSchemas: preset.listed === undefined,
    threshold,
    promote,
  }
}
