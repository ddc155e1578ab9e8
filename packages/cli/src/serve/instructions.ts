import type { Feature, Source } from '@causeway/engine'
import type { Config } from '../config/config.ts'
import { toolsets } from '../config/toolsets.ts'

const OWN: ReadonlySet<string> = new Set(toolsets.flatMap(({ tools }) => tools))
const MOST_SERVERS = 20

/** A pack speaks where tools of it are listed, and every tool that it speaks of. */
export function speaks(instructions: string, features: readonly Feature[], { listing, preset }: Config): boolean {
  if (preset.instructions === false) return false
  const { listed } = listing
  if (listed === undefined) return true
  const chosen = new Set(listed.flatMap(name => toolsets.find(set => set.name === name)?.tools ?? [name]))
  const isListed = (name: string): boolean => chosen.has(name) || !OWN.has(name)
  const names = features.flatMap(feature => (feature.kind === 'tool' ? [feature.name] : []))
  const words = new Set(instructions.match(/\w+/g))
  return names.some(isListed) && names.every(name => !words.has(name) || isListed(name))
}

/** One sentence on the tools that are not listed, and the servers behind this one: read whenever a client asks. */
export const overview = ({ listing }: Config, servers: () => readonly string[]): Source => ({
  name: 'overview',
  get instructions() {
    if (listing.search === 'off') return undefined
    const names = servers()
    const behind = names.length === 0 ? '' : ` Servers behind this one: ${shown(names)}.`
    if (listing.listed === undefined && behind === '') return undefined
    // Without a choice of tools it depends on what the servers list, which may be unknown now.
    const isCertain = listing.listed !== undefined || listing.search === 'on'
    const more = isCertain ? 'More tools than are listed' : 'If find_tools is listed, more tools than are listed'
    return `${more} can be found with find_tools, by what they do, and called with call_tool.${behind}`
  },
})

const shown = (names: readonly string[]): string =>
  `${names
    .slice(0, MOST_SERVERS)
    .map(name => name.slice(0, 64))
    .join(', ')}${names.length > MOST_SERVERS ? ', …' : ''}`
