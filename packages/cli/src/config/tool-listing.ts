import type { ListingOptions } from '@causeway/engine'
import type { Preset } from '../presets/preset.ts'
import type { FlagName, FlagValues } from './flags.ts'
import { toolsets } from './toolsets.ts'
import { READ_RESULT } from '@causeway/engine/policies'

type Chosen = Pick<FlagValues, 'resultBudget' | 'search' | 'searchThreshold' | 'searchPromote' | 'toolset' | 'pin'>

const OWN: ReadonlySet<string> = new Set(toolsets.flatMap(({ tools }) => tools))

/** The server behind us that a tool's name begins with. */
const serverIn = (tool: string): string | undefined => (OWN.has(tool) ? undefined : /^(.+?)__/.exec(tool)?.[1])

/** Which tools are listed, and how the others are found: a preset that lists everything has nothing to search for. */
export function listingOf(values: Chosen, preset: Preset, given: ReadonlySet<FlagName>): ListingOptions {
  // If packs or tools were named, they are what is wanted.
  const isAll = given.has('pack') || given.has('tools') || values.toolset.includes('all')
  const listed = isAll ? undefined : preset.listed && [...preset.listed, ...values.toolset]
  return {
    toolsets: Object.fromEntries(toolsets.map(({ name, tools }) => [name, tools])),
    ...(listed && { listed }),
    pinned: [
      ...(given.has('pin') ? values.pin : (preset.pinned ?? [])),
      ...(values.resultBudget === undefined ? [] : [READ_RESULT]),
    ],
    serverOf: serverIn,
    search: given.has('search') ? values.search : preset.listed ? 'auto' : 'off',
    outputSchemas: preset.listed === undefined,
    threshold: values.searchThreshold,
    promote: values.searchPromote,
  }
}
