import { HELPER_TOOLS, didYouMean } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { UsageError, sentence } from '../config/usage-error.ts'

/** A tool as lists show it. */
export interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: ListedSchema
  readonly annotations?: Readonly<Record<string, boolean>>
}

/** What is read of an input schema. */
export interface ListedSchema {
  readonly properties?: Readonly<Record<string, ListedProperty>>
  readonly required?: readonly string[]
}

/** What is read of one argument. */
export interface ListedProperty {
  readonly type?: unknown
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
}

/** The tools a server offers, as lists show them. */
export const listedTools = async (server: Server): Promise<readonly ListedTool[]> =>
  (await server.listed('tool')) as unknown as readonly ListedTool[]

/** How many tools a server offers, without those that only lead to others, or read on in their results. */
export const countTools = async (server: Server): Promise<number> =>
  (await listedTools(server)).filter(({ name }) => !HELPER_TOOLS.has(name)).length

const MOST_NAMED = 20

/** Which tools there are, if they are few enough to read. */
export const knownTools = (names: readonly string[]): string =>
  names.length > MOST_NAMED ? 'See: causeway list' : `Tools: ${names.join(', ')}.`

/** What tools can be looked up in. */
export interface ToolLookup {
  tools(): Promise<readonly ListedTool[]>
  explain(name: string): Promise<string | undefined>
}

/** The tool of that name; an unknown one is refused with why it is not there, or with the nearest. */
export async function findTool({ tools, explain }: ToolLookup, name: string): Promise<ListedTool> {
  const known = await tools()
  const found = known.find(tool => tool.name === name)
  if (found) return found
  const shown = `Unknown tool '${name.slice(0, 100)}'.`
  const why = await explain(name)
  if (why !== undefined) throw new UsageError(`${shown} ${why}`)
  const names = known.map(tool => tool.name)
  throw new UsageError(sentence(shown, didYouMean(name, names), knownTools(names)))
}
