import type { Params } from '@causeway/engine'
import type { Remote } from '@causeway/engine/client'
import { isObject } from '@causeway/engine/internal'

/** Everything a server lists, as it was listed. */
export interface Lists {
  readonly server: { readonly name: string; readonly version: string } | undefined
  readonly speaks: string
  readonly instructions: string | undefined
  /** Does it propose values for arguments? */
  readonly completes: boolean
  /** The extensions it speaks, by id; caches of older versions have none. */
  readonly extensions?: Readonly<Record<string, Params>>
  readonly tools: readonly Params[]
  readonly prompts: readonly Params[]
  readonly resources: readonly Params[]
  readonly templates: readonly Params[]
}

const MOST_PAGES = 200
const MOST_ITEMS = 20_000

/** Ask a server for all of its lists; one it refuses is empty. */
export async function fetchLists(remote: Remote): Promise<Lists> {
  const { capabilities, server, instructions, version } = remote
  const has = (what: string): boolean => typeof capabilities[what] === 'object' && capabilities[what] !== null
  const [tools, prompts, resources, templates] = await Promise.all([
    has('tools') ? pages(remote, 'tools/list', 'tools') : [],
    has('prompts') ? pages(remote, 'prompts/list', 'prompts').catch(() => []) : [],
    has('resources') ? pages(remote, 'resources/list', 'resources').catch(() => []) : [],
    has('resources') ? pages(remote, 'resources/templates/list', 'resourceTemplates').catch(() => []) : [],
  ])
  return {
    server: server && { name: server.name, version: server.version },
    speaks: version,
    instructions,
    completes: has('completions'),
    ...(isObject(capabilities.extensions) && { extensions: capabilities.extensions as Record<string, Params> }),
    tools: unique(tools, 'name'),
    prompts: unique(prompts, 'name'),
    resources: unique(resources, 'uri'),
    templates: unique(templates, 'uriTemplate'),
  }
}

async function pages(remote: Remote, method: string, member: string): Promise<Params[]> {
  const items: Params[] = []
  const seen = new Set<unknown>()
  let cursor: unknown
  for (let page = 0; page < MOST_PAGES && items.length < MOST_ITEMS; page++) {
    const result = await remote.call({ method, params: cursor === undefined ? {} : { cursor } })
    const list = result[member]
    if (Array.isArray(list)) items.push(...list.filter(isObject))
    cursor = result.nextCursor
    if (typeof cursor !== 'string' || seen.has(cursor)) break
    seen.add(cursor)
  }
  return items
}

/** What has no name, or the name of another, cannot be used. */
function unique(items: readonly Params[], key: string): Params[] {
  const byKey = new Map<string, Params>()
  for (const item of items) {
    const name = item[key]
    if (typeof name === 'string' && name !== '' && !byKey.has(name)) byKey.set(name, item)
  }
  return [...byKey.values()]
}
