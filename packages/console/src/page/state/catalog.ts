import { computed, signal } from '@preact/signals'
import { TOOLSET_META, estimateTokens, isObject } from '@causeway/engine/browser'
import type { Params, RemoteServer } from '@causeway/engine/browser'
import { hello } from './feed.ts'
import { client, reasonOf } from './connection.ts'

/** Something that is served: a tool, a prompt, a resource or a family of them. */
export interface Listed {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'template'
  /** What it is found by: its name, or its URI. */
  readonly key: string
  readonly title: string
  readonly description: string
  readonly definition: Params
  /** What its definition costs an assistant, about. */
  readonly tokens: number
  /** Is it in the list that assistants get? The others are found by searching, and called as well. */
  readonly isOffered: boolean
  /** What is searched, in lower case. */
  readonly text: string
}

/** A list as it is loaded. */
export interface Loading {
  readonly state: 'loading' | 'ready' | 'failed'
  readonly items: readonly Listed[]
  readonly problem: string
}

const EMPTY: Loading = { state: 'loading', items: [], problem: '' }
const METHODS = {
  tool: 'tools/list',
  prompt: 'prompts/list',
  resource: 'resources/list',
  template: 'resources/templates/list',
} as const
const CAPABILITY = { tool: 'tools', prompt: 'prompts', resource: 'resources', template: 'resources' } as const

/** Everything that is served, by kind. */
export const lists: Readonly<Record<Listed['kind'], ReturnType<typeof signal<Loading>>>> = {
  tool: signal<Loading>(EMPTY),
  prompt: signal<Loading>(EMPTY),
  resource: signal<Loading>(EMPTY),
  template: signal<Loading>(EMPTY),
}

/** How often each resource has changed since the page was opened. */
export const updates = signal<ReadonlyMap<string, number>>(new Map())

/** Load every list. */
export async function loadAll(): Promise<void> {
  await Promise.all((Object.keys(METHODS) as Listed['kind'][]).map(load))
}

/** A list changed at the server. */
export async function listChanged(list: 'tools' | 'prompts' | 'resources'): Promise<void> {
  if (list === 'tools') await load('tool')
  else if (list === 'prompts') await load('prompt')
  else await Promise.all([load('resource'), load('template')])
}

/** A resource changed at the server. */
export function resourceUpdated(uri: string): void {
  updates.value = new Map(updates.value).set(uri, (updates.value.get(uri) ?? 0) + 1)
}

async function load(kind: Listed['kind']): Promise<void> {
  const list = lists[kind]
  try {
    const remote = await client()
    const has = isObject(remote.capabilities[CAPABILITY[kind]])
    const offered = has ? await remote.list(METHODS[kind]) : []
    const names = new Set(offered.map(({ name }) => name))
    const items = has && kind === 'tool' ? await everyTool(remote, offered) : offered
    const isOffered = ({ name }: Params): boolean => kind !== 'tool' || names.has(name)
    list.value = { state: 'ready', items: items.map(item => listed(kind, item, isOffered(item))), problem: '' }
  } catch (error) {
    const problem = reasonOf(error)
    list.value = { state: 'failed', items: list.value?.items ?? [], problem }
  }
}

/** The usual list may be a short one; a server of ours also shows what it leaves out. */
const everyTool = (remote: RemoteServer, offered: readonly Params[]): Promise<readonly Params[]> =>
  remote.list('tools/list', { meta: { [TOOLSET_META]: 'all' } }).catch(() => offered)

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function listed(kind: Listed['kind'], definition: Params, isOffered: boolean): Listed {
  const key = text(definition.uri) || text(definition.uriTemplate) || text(definition.name)
  const title = text(definition.title) || text(definition.name) || key
  const description = text(definition.description)
  const tokens = estimateTokens(JSON.stringify(definition))
  return {
    kind,
    key,
    title,
    description,
    definition,
    tokens,
    isOffered,
    text: `${key} ${title} ${description}`.toLowerCase(),
  }
}

/** The group that something belongs to: a pack, or another server. */
export const groupOf = computed<(kind: Listed['kind'], key: string) => string>(() => {
  const names = new Map<string, string>()
  for (const { name, tools, prompts, resources } of hello.value?.groups ?? []) {
    for (const key of tools) names.set(`tool ${key}`, name)
    for (const key of prompts) names.set(`prompt ${key}`, name)
    for (const key of resources) names.set(`resource ${key}`, name).set(`template ${key}`, name)
  }
  return (kind, key) => names.get(`${kind} ${key}`) ?? ''
})

/** What matches a search: every word must occur; those whose name begins with it come first. */
export function matching(items: readonly Listed[], search: string): readonly Listed[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const [first] = words
  if (first === undefined) return items
  const found = items.filter(({ text }) => words.every(word => text.includes(word)))
  const rank = ({ key }: Listed): number => {
    const at = key.toLowerCase().indexOf(first)
    return at === 0 ? 0 : at > 0 ? 1 : 2
  }
  return found
    .map(item => ({ item, rank: rank(item) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}

/** The one of that key. */
export const find = (kind: Listed['kind'], key: string | undefined): Listed | undefined =>
  lists[kind].value?.items.find(item => item.key === key)
