import type { ListingOptions } from '@causeway/engine'
import type { Preset } from '../presets/preset.ts'
import type { FlagName, FlagValues } from './flags.ts'
import { toolsets } from './toolsets.ts'

type Chosen = Pick<FlagValues, 'search' | 'searchThreshold' | 'searchPromote' | 'toolset' | 'pin'>

/** Which tools are listed, and how the others are found: a preset that lists everything has nothing to search for. */
export function listingOf(values: Chosen, preset: Preset, given: ReadonlySet<FlagName>): ListingOptions {
  // If packs or tools were named, they are what is wanted.
  const isAll = given.has('pack') || given.has('tools') || values.toolset.includes('all')
  const listed = isAll ? undefined : preset.listed && [...preset.listed, ...values.toolset]
  return {
    toolsets: Object.fromEntries(toolsets.map(({ name, tools }) => [name, tools])),
    ...(listed && { listed }),
    pinned: given.has('pin') ? values.pin : (preset.pinned ?? []),
    search: given.has('search') ? values.search : preset.listed ? 'auto' : 'off',
    outputSchemas: preset.listed === undefined,
    threshold: values.searchThreshold,
    promote: values.searchPromote,
  }
}
