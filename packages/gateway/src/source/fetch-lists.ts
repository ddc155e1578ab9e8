import { createHash } from 'node:crypto'
import type { Params } from '@causeway/engine'
import type { Remote } from '@causeway/engine/client'
import { isObject, jsonSize } from '@causeway/engine/internal'
import { inSlices } from './slices.ts'

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
  /** A hash of all of it; caches of older versions have none. */
  readonly digest?: string
  /** How large what the server sent was, in characters. */
  readonly size?: number
  /** Did the server list more than is taken? */
  readonly isCut?: boolean
}

/** What all lists of a server may take together, and what is left of it. */
interface Budget {
  left: number
  isSpent: boolean
}

const MOST_PAGES = 200
const MOST_ITEMS = 20_000
const MOST_CHARACTERS = 16 * 1024 * 1024

/** Ask a server for all of its lists; one it refuses is empty. */
export async function fetchLists(remote: Remote, mostCharacters: number = MOST_CHARACTERS): Promise<Lists> {
  const { capabilities, server, instructions, version } = remote
  const budget: Budget = { left: mostCharacters, isSpent: false }
  const has = (what: string): boolean => typeof capabilities[what] === 'object' && capabilities[what] !== null
  const [tools, prompts, resources, templates] = await Promise.all([
    has('tools') ? pages(remote, budget, 'tools/list', 'tools') : [],
    has('prompts') ? pages(remote, budget, 'prompts/list', 'prompts').catch(() => []) : [],
    has('resources') ? pages(remote, budget, 'resources/list', 'resources').catch(() => []) : [],
    has('resources') ? pages(remote, budget, 'resources/templates/list', 'resourceTemplates').catch(() => []) : [],
  ])
  const lists = {
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
  const size = mostCharacters - Math.max(0, budget.left)
  return { ...lists, digest: await digestOf(lists), size, ...(budget.isSpent && { isCut: true }) }
}

/** Lists may be long: each entry is hashed by itself, and other work runs in between. */
async function digestOf({ tools, prompts, resources, templates, ...rest }: Lists): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(rest))
  for (const list of [tools, prompts, resources, templates]) {
    hash.update('\n')
    await inSlices(list, item => void hash.update(JSON.stringify(item)))
  }
  return hash.digest('base64')
}

async function pages(remote: Remote, budget: Budget, method: string, member: string): Promise<Params[]> {
  const items: Params[] = []
  const seen = new Set<unknown>()
  let cursor: unknown
  for (let page = 0; page < MOST_PAGES && items.length < MOST_ITEMS; page++) {
    const result = await remote.call({ method, params: cursor === undefined ? {} : { cursor } })
    budget.left -= jsonSize(result, budget.left)
    budget.isSpent ||= budget.left < 0
    if (budget.isSpent) break
    const list = result[member]
    // Not spread: a page may have more items than a call can have arguments.
    for (const item of Array.isArray(list) ? list : []) if (isObject(item)) items.push(item)
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
