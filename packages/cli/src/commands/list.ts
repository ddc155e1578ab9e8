import { HELPER_TOOLS, SEARCH_TOOLS, estimateTokens } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Server } from '@causeway/engine'
import { isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { assembly, logOf } from '../serve/assemble.ts'
import { readConfig } from '../config/config.ts'
import { surviveRejections } from '../terminal/stray-rejections.ts'
import { counted, print, printJson, table } from '../terminal/print.ts'
import { listedTools } from '../serve/find-tool.ts'
import type { ListedTool } from '../serve/find-tool.ts'

/** Show the tools that would be served, as a table or as `tools/list` has them; or what each of them costs. */
export async function list(args: Args): Promise<number> {
  const config = readConfig(args)
  surviveRejections(logOf(config), config.toolsDir)
  const { server, gateway } = await assembly(config)
  await gateway?.loaded()
  const listed = await listedNow(server)
  const tools = served(await listedTools(server), listed)
  await gateway?.close()
  const isJson = isGiven(args, 'json')
  if (isGiven(args, 'tokens')) await (isJson ? printJson(costs(tools, listed)) : print(inTokens(tools, listed)))
  else if (isJson) await printJson(tools)
  else await print(table(tools.map(({ name, description = '' }) => [name, description])))
  return 0
}

/** What a client is shown, by name. */
async function listedNow(server: Server): Promise<ReadonlyMap<string, ListedTool>> {
  const client = connect(server)
  const found = new Map<string, ListedTool>()
  let cursor: unknown
  do {
    const page = await client.request('tools/list', cursor === undefined ? {} : { cursor })
    for (const tool of page.tools as readonly ListedTool[]) found.set(tool.name, tool)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  client.close()
  return found
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
