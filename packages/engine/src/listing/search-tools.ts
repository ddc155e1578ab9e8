import type { Call } from '../call.ts'
import { Context } from '../define/context.ts'
import type { ComposedShelf, NamedList } from '../catalog/composed-shelf.ts'
import { isForApps } from '../catalog/plain-lists.ts'
import type { ToolEntry } from '../catalog/shelf.ts'
import { tool } from '../define/define.ts'
import type { Pack } from '../define/define.ts'
import { cut } from '../jsonrpc/message.ts'
import { didYouMean } from '../schema/nearest.ts'
import type { Match, NamedSegment } from '../search/rank.ts'
import type { Searchable, Segment } from '../search/segment.ts'
import { CALL_SCHEMA } from './call-through.ts'
import { toolLine } from './describe.ts'
import type { Promotions } from './promotions.ts'
import { CALL_TOOL, DESCRIBE_TOOL, FIND_TOOLS, SEARCH_TOOLS } from './search-names.ts'

/** What the tools to search with are made of. */
export interface Searching {
  readonly tools: ComposedShelf<ToolEntry>
  readonly promotions: Promotions | undefined
}

const LIMIT = 8

/** The tools by which those are found, described and called that are not listed. */
export const searchTools = (searching: Searching): Pack => ({
  name: 'search',
  features: [findTools(searching), describeTool(searching), callTool()],
})

function findTools({ tools, promotions }: Searching): Pack['features'][number] {
  const segments = new Segments()
  return tool(
    {
      name: FIND_TOOLS,
      description: 'Find tools by what you want to do; there are more than are listed. Gives names and arguments.',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          query: { type: 'string', minLength: 1, description: 'The task in a few words' },
          limit: { type: 'integer', minimum: 1, maximum: 25, default: LIMIT },
        },
        required: ['query'],
        additionalProperties: false,
      },
    },
    async ({ query, limit }, ctx) => {
      const call = Context.callOf(ctx)
      const [lists, { rank }] = await Promise.all([tools.lists(call.caller), import('../search/rank.ts')])
      const searched = await segments.of(lists)
      const matches = rank(searched, query, limit)
      const found = matches.map(match => match.tool)
      if (found.length === 0) return nothingFound(query, searched)
      promote(promotions, call, found)
      const count = searched.reduce((sum, { segment }) => sum + segment.tools.length, 0)
      return [
        isGood(matches)
          ? `${found.length} of ${count} tools, best first:`
          : `No tool of ${count} fits '${cut(query, 100)}' well. The nearest ${found.length}, which may be of no use:`,
        ...found.map(toolLine),
        `${CALL_TOOL} calls one by its name; ${DESCRIBE_TOOL} shows its whole schema.`,
      ].join('\n')
    },
  )
}

// So much of a query must be found in one tool, or it may well be about something else.
const GOOD = 0.6
const LOOKED_AT = 3

const isGood = (matches: readonly Match[]): boolean => matches.slice(0, LOOKED_AT).some(({ fit }) => fit >= GOOD)

function promote(promotions: Promotions | undefined, call: Call, found: readonly Searchable[]): void {
  promotions?.add(
    call,
    found.map(({ name }) => name),
  )
}

function nothingFound(query: string, searched: readonly NamedSegment[]): string {
  const sources = searched
    .filter(({ segment }) => segment.tools.length > 0)
    .slice(0, 50)
    .map(({ source, segment }) => `${source || 'own'} (${segment.tools.length})`)
  const among = sources.length === 0 ? 'There are no tools.' : `There are tools of: ${sources.join(', ')}.`
  return `No tool fits '${cut(query, 100)}'. ${among} Try other words for the task.`
}

function describeTool({ tools }: Searching): Pack['features'][number] {
  return tool(
    {
      name: DESCRIBE_TOOL,
      description: 'Show the whole definition of a tool: input and output schema, annotations.',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: { name: { type: 'string', minLength: 1 } },
        required: ['name'],
        additionalProperties: false,
      },
    },
    async ({ name }, ctx) => {
      // What a caller may not list is not described either, though it may be there to be found by its name.
      const listed = await tools.list(Context.callOf(ctx).caller)
      const found = listed.find(one => !isForApps(one) && (one.key === name || one.aliases?.includes(name)))
      if (found) return JSON.stringify(found.info)
      const names = listed.flatMap(one => (isForApps(one) ? [] : [one.key]))
      const hint = didYouMean(name, names) ?? `${FIND_TOOLS} finds tools by what they do.`
      throw new Error(`There is no tool named '${cut(name, 100)}'. ${hint}`)
    },
  )
}

/** Well-formed calls never come here: they have become calls of the tool itself. */
const callTool = (): Pack['features'][number] =>
  tool(
    {
      name: CALL_TOOL,
      description: `Call any tool by its name, as ${FIND_TOOLS} gave it, with the arguments of that tool.`,
      // What it calls may be anything; a list in which nothing writes says so.
      readOnly: false,
      destructive: true,
      task: 'optional',
      input: CALL_SCHEMA,
    },
    () => {
      throw new Error(`${CALL_TOOL} cannot call itself: name the tool that is wanted.`)
    },
  )

/** One segment per source, made when it is first searched and again when its list is another one. */
class Segments {
  readonly #made = new WeakMap<readonly ToolEntry[], Segment>()
  readonly #searched = new WeakMap<readonly NamedList<ToolEntry>[], readonly NamedSegment[]>()

  async of(lists: readonly NamedList<ToolEntry>[]): Promise<readonly NamedSegment[]> {
    const known = this.#searched.get(lists)
    if (known) return known
    const { Segment: Made } = await import('../search/segment.ts')
    const segments = lists.map(({ name, entries }) => {
      const segment = this.#made.get(entries) ?? new Made(searchable(entries))
      this.#made.set(entries, segment)
      return { source: name, segment }
    })
    this.#searched.set(lists, segments)
    return segments
  }
}

const searchable = (entries: readonly ToolEntry[]): Searchable[] =>
  entries.flatMap(({ key, info, keywords }) => (SEARCH_TOOLS.has(key) ? [] : [{ ...info, name: key, keywords }]))
