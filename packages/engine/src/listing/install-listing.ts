import type { Policy } from '../call.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { callThrough } from './call-through.ts'
import type { ListingOptions } from './options.ts'
import { searchTools } from './search-tools.ts'
import { ToolListing } from './tool-listing.ts'
import type { OnTakeOver } from './tool-listing.ts'

/** Where the listing of a server and its tools to search with are put. */
export interface ListingPlace {
  readonly catalog: Catalog
  readonly policies: Policy[]
  /** Do clients hear of changes? Otherwise nothing is promoted. */
  readonly listChanged: boolean
  /** Are arguments repaired? Those of the tool that calls others are, too. */
  readonly repair: boolean
  readonly onTakeOver: OnTakeOver
}

/** The listing of a server; search stands outside of every policy, so that they see the tools that are called through it. */
export function installListing(
  options: ListingOptions = { search: 'off' },
  { catalog, policies, listChanged, repair, onTakeOver }: ListingPlace,
): ToolListing {
  const listing = new ToolListing({ ...options, promote: options.promote === true && listChanged }, onTakeOver)
  if (options.search === 'off') return listing
  catalog.mount(searchTools({ tools: catalog.tools, promotions: listing.promotions }), {})
  policies.push(callThrough({ repair }))
  return listing
}
