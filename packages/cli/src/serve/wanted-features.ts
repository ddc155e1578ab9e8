import { FOR_META, didYouMean } from '@causeway/engine'
import type { Feature } from '@causeway/engine'
import { fitsPattern } from '@causeway/engine/internal'
import { READ_RESULT } from '@causeway/engine/policies'
import type { Config } from '../config/config.ts'
import { UsageError, sentence } from '../config/usage-error.ts'
import type { Explain } from './explain-missing.ts'
import { knownTools } from './find-tool.ts'

/** What is excluded stays out, whatever is included. A tool that works for another one goes where that one goes. */
export function isWanted(feature: Feature, { tools, excludeTools, given }: Config): boolean {
  if (feature.kind !== 'tool') return true
  const served = feature._meta?.[FOR_META]
  const names = [feature.name, ...(typeof served === 'string' ? [served] : [])]
  const isIn = (patterns: readonly string[]): boolean =>
    names.some(name => patterns.some(pattern => fitsPattern(name, pattern)))
  return !isIn(excludeTools) && (!given.has('tools') || isIn(tools))
}

/** Packs leave out what writes by themselves; of others we know only what they say. */
export const mayStay = (feature: Feature, config: Config): boolean =>
  isWanted(feature, config) && (!config.readOnly || feature.kind !== 'tool' || feature.readOnly === true)

/** Systems as they are documented have no views. */
export function withoutViews(feature: Feature): readonly Feature[] {
  if (feature.kind === 'resource') return feature.forApps ? [] : [feature]
  if (feature.kind !== 'tool') return [feature]
  const { view: _, visibility, ...rest } = feature
  return visibility?.includes('model') === false ? [] : [rest]
}

/** What --tools, --pin and --exclude-tools name must exist, so that a misspelt name leaves no tool served by mistake. */
export async function checkTools(
  config: Config,
  features: readonly Feature[],
  explain: Explain,
  others: readonly string[] = [],
): Promise<void> {
  const known = [...features.flatMap(f => (f.kind === 'tool' ? [f.name] : [])), ...others]
  const { tools, excludeTools, listing } = config
  const { pinned = [], toolsets = {} } = listing
  // What a preset pins need not be there.
  const pins = pinned.filter(
    name => !(name in toolsets) && name !== READ_RESULT && !config.preset.pinned?.includes(name),
  )
  const unknown = [...tools, ...pins, ...excludeTools].find(pattern => !known.some(name => fitsPattern(name, pattern)))
  // Leaving out what is not there anyway does no harm.
  // What other servers have is not known yet.
  if (
    unknown === undefined ||
    config.servers.length > 0 ||
    (!tools.includes(unknown) && (await explain(unknown)) !== undefined)
  )
    return
  const hint = (await explain(unknown)) ?? sentence(didYouMean(unknown, known), knownTools(known))
  throw new UsageError(`Unknown tool '${unknown}'. ${hint}`)
}
