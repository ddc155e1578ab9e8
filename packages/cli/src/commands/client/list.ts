import { HELPER_TOOLS, SEARCH_TOOLS, estimateTokens } from '@causeway/engine'
import { actionNamed, isGiven } from '../../config/args.ts'
import type { Args } from '../../config/args.ts'
import { UsageError } from '../../config/usage-error.ts'
import { isNamed, withServer } from '../../remote/open-server.ts'
import type { OpenServer } from '../../remote/open-server.ts'
import { counted, print, printJson, table } from '../../terminal/print.ts'
import type { ListedTool } from '../../serve/find-tool.ts'

type Listing = (server: OpenServer, args: Args) => Promise<number>

const KINDS: Readonly<Record<string, Listing>> = {
  tools: listTools,
  prompts: others('prompts/list', 'name'),
  resources: others('resources/list', 'uri'),
  templates: others('resources/templates/list', 'uriTemplate'),
}

/** Show what a server has: its tools, or another kind of thing. */
export async function list(args: Args): Promise<number> {
  const [kind = 'tools', ...rest] = args.positionals
  const listing = actionNamed(KINDS, kind)
  if (rest.length > 0) throw new UsageError(`Name one kind. Usage: ${args.command.usage}`)
  if (kind !== 'tools' && isGiven(args, 'tokens')) throw new UsageError('--tokens is for tools.')
  return withServer(args, server => listing(server, args))
}

/** Show the tools, as a table or as `tools/list` has them; or what each of them costs. */
async function listTools(server: OpenServer, args: Args): Promise<number> {
  const seen = (await server.client.list('tools/list')).filter(isNamed) as unknown as readonly ListedTool[]
  const listed = new Map(seen.map(tool => [tool.name, tool]))
  const tools = served(await server.tools(), listed)
  const isJson = isGiven(args, 'json')
  if (isGiven(args, 'tokens')) await (isJson ? printJson(costs(tools, listed)) : print(inTokens(tools, listed)))
  else if (isJson) await printJson(tools)
  else await print(table(tools.map(({ name, description = '' }) => [name, description])))
  return 0
}

function others(method: 'prompts/list' | 'resources/list' | 'resources/templates/list', key: string): Listing {
  return async ({ client }, args) => {
    const items = await client.list(method)
    const rows = items.map(item => [String(item[key]), aboutOf(item, key)] as const)
    await (isGiven(args, 'json') ? printJson(items) : print(rows.length === 0 ? 'None.' : table(rows)))
    return 0
  }
}

/** What an item says of itself; the name of a prompt is in the first column already. */
function aboutOf({ description, title, name }: Readonly<Record<string, unknown>>, key: string): string {
  const texts = [description, title, key === 'name' ? undefined : name]
  return texts.find(text => typeof text === 'string') ?? ''
}

/** The tools to search with come last, where there is something to search for. */
function served(tools: readonly ListedTool[], listed: ReadonlyMap<string, ListedTool>): readonly ListedTool[] {
  const own = tools.filter(({ name }) => !SEARCH_TOOLS.has(name))
  return [...own, ...tools.filter(({ name }) => SEARCH_TOOLS.has(name) && listed.has(name))]
}

interface Cost {
  readonly name: string
  readonly tokens: number
  readonly listed: boolean
}

interface Costs {
  readonly tools: readonly Cost[]
  readonly served: Sum
  readonly listed: Sum
}

interface Sum {
  readonly tools: number
  readonly tokens: number
}

/** A tool that is listed costs what its entry in the list does, any other what its definition would. */
function costs(tools: readonly ListedTool[], listed: ReadonlyMap<string, ListedTool>): Costs {
  const each = tools.map(tool => ({
    name: tool.name,
    tokens: estimateTokens(JSON.stringify(listed.get(tool.name) ?? tool)),
    listed: listed.has(tool.name),
  }))
  return { tools: each, served: sumOf(each), listed: sumOf(each.filter(cost => cost.listed)) }
}

/** Helpers cost tokens, but are not counted as tools. */
const sumOf = (each: readonly Cost[]): Sum => ({
  tools: each.filter(({ name }) => !HELPER_TOOLS.has(name)).length,
  tokens: each.reduce((sum, { tokens }) => sum + tokens, 0),
})

function inTokens(tools: readonly ListedTool[], shown: ReadonlyMap<string, ListedTool>): string {
  const { tools: each, served: all, listed } = costs(tools, shown)
  const rows = each.map(
    cost => [cost.name, `${String(cost.tokens).padStart(6)}${cost.listed ? '  listed' : ''}`] as const,
  )
  const sum = ({ tools: count, tokens }: Sum): string => `${String(tokens).padStart(6)}  ${counted(count, 'tool')}`
  return table([...rows, ['listed', sum(listed)], ['served', sum(all)]])
}
