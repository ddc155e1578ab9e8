import { createHash } from 'node:crypto'
import { SKILLS } from '@causeway/engine'
import type { CacheHint, Params } from '@causeway/engine'
import type { Remote } from '@causeway/engine/client'
import { isObject, jsonSize, skillProblem } from '@causeway/engine/internal'
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
  /** The entries of its skills, if it has some. */
  readonly skills?: readonly Params[]
  /** Why skills that it lists cannot be used. */
  readonly skillProblems?: readonly string[]
  /** How long each list may be kept, as the server says. */
  readonly cache?: ListHints
  /** A hash of all of it; caches of older versions have none. */
  readonly digest?: string
  /** How large what the server sent was, in characters. */
  readonly size?: number
  /** Did the server list more than is taken? */
  readonly isCut?: boolean
}

/** By the member that a list has in results. */
export type ListHints = Readonly<Partial<Record<string, CacheHint>>>

/** How long a client may keep what a server lists; what a server says nothing of is asked for each time. */
export const hintFor = ({ cache }: Pick<Lists, 'cache'>, member: string): CacheHint => cache?.[member] ?? UNCACHED

const UNCACHED: CacheHint = { ttlMs: 0, scope: 'private' }

/** What all lists of a server may take together, and what is left of it. */
interface Budget {
  left: number
  isSpent: boolean
  /** The shortest of what the pages of each list say. */
  readonly hints: Record<string, CacheHint>
}

const MOST_PROBLEMS = 10
const MOST_PAGES = 200
const MOST_ITEMS = 20_000
const MOST_CHARACTERS = 16 * 1024 * 1024

/** Ask a server for all of its lists; one it refuses is empty. */
export async function fetchLists(remote: Remote, mostCharacters: number = MOST_CHARACTERS): Promise<Lists> {
  const { capabilities, server, instructions, version } = remote
  const budget: Budget = { left: mostCharacters, isSpent: false, hints: {} }
  const has = (what: string): boolean => typeof capabilities[what] === 'object' && capabilities[what] !== null
  const extensions = extensionsIn(capabilities)
  const [tools, prompts, resources, templates, skills] = await Promise.all([
    has('tools') ? pages(remote, budget, 'tools/list', 'tools') : [],
    has('prompts') ? pages(remote, budget, 'prompts/list', 'prompts').catch(() => []) : [],
    has('resources') ? pages(remote, budget, 'resources/list', 'resources').catch(() => []) : [],
    has('resources') ? pages(remote, budget, 'resources/templates/list', 'resourceTemplates').catch(() => []) : [],
    extensions?.[SKILLS] ? pages(remote, budget, 'skills/list', 'skills').catch(() => []) : [],
  ])
  const lists = {
    server: server && { name: server.name, version: server.version },
    speaks: version,
    instructions,
    completes: has('completions'),
    ...(extensions && { extensions }),
    ...(Object.keys(budget.hints).length > 0 && { cache: budget.hints }),
    tools: unique(tools, 'name'),
    prompts: unique(prompts, 'name'),
    resources: unique(resources, 'uri'),
    templates: unique(templates, 'uriTemplate'),
    ...usableSkills(unique(skills, 'uri')),
  }
  const size = mostCharacters - Math.max(0, budget.left)
  return { ...lists, digest: await digestOf(lists), size, ...(budget.isSpent && { isCut: true }) }
}

const extensionsIn = ({ extensions }: Params): Record<string, Params> | undefined =>
  isObject(extensions) ? (extensions as Record<string, Params>) : undefined

/** Lists may be long: each entry is hashed by itself, and other work runs in between. */
async function digestOf({ tools, prompts, resources, templates, skills = [], ...rest }: Lists): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(rest))
  for (const list of [tools, prompts, resources, templates, skills]) {
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
    budget.hints[member] = shortest(budget.hints[member], result)
    // Not spread: a page may have more items than a call can have arguments.
    for (const item of itemsIn(result, member)) items.push(item)
    cursor = result.nextCursor
    if (typeof cursor !== 'string' || seen.has(cursor)) break
    seen.add(cursor)
  }
  return items
}

const itemsIn = (page: Params, member: string): readonly Params[] => {
  const list = page[member]
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** What a page says of how long it may be kept, and what earlier ones said. */
function shortest(known: CacheHint | undefined, { ttlMs, cacheScope }: Params): CacheHint {
  const own = typeof ttlMs === 'number' && ttlMs >= 0 ? ttlMs : 0
  const isPublic = cacheScope === 'public' && known?.scope !== 'private'
  return { ttlMs: Math.min(own, known?.ttlMs ?? own), scope: isPublic ? 'public' : 'private' }
}

/** Skills that clients could not use are left out, and named. */
function usableSkills(listed: readonly Params[]): Pick<Lists, 'skills' | 'skillProblems'> {
  if (listed.length === 0) return {}
  const problems = listed.flatMap(skill => {
    const why = skillProblem(skill)
    return why === undefined ? [] : [{ skill, why }]
  })
  const unusable = new Set(problems.map(({ skill }) => skill))
  const words = problems.slice(0, MOST_PROBLEMS).map(({ skill, why }) => `${String(skill.uri).slice(0, 200)}: ${why}`)
  return {
    skills: listed.filter(skill => !unusable.has(skill)),
    ...(words.length > 0 && { skillProblems: words }),
  }
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
