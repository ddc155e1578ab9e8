import { text, tool } from '@causeway/engine'
import type { Context, Tool, ToolResult } from '@causeway/engine'
import { answered, hintFor, readTimes, refuse, uriOf } from './answer.ts'
import type { Answered, Hint } from './answer.ts'
import type { Filter, Shown } from './observation.ts'
import type { Page, Part } from './queries.ts'
import { DETAILS, FILTER, ID, PART, listing, takes, time } from './schemas.ts'
import { readSearch } from './search-words.ts'
import type { Store } from './store.ts'

/** Part of a list as it goes to the client. */
export interface Listing extends Part, Hint {
  readonly count: number
  readonly total: number
  readonly observations: readonly Shown[]
  readonly synthetic: boolean
}

interface Asking {
  readonly signal: AbortSignal
}

const LOOKING = { readOnly: true, idempotent: true, openWorld: false } as const

/** The observations of a text from the database, which has a list for each of `SHOWN`, in their order. */
function toShown(text: string): Shown[] {
  const [ids, starts, durations, dates, teams, types, targets, requests, titles] = JSON.parse(text) as Columns
  return ids.map((id, i) => ({
    id,
    start_time_utc: starts[i] ?? '',
    duration: durations[i] ?? '',
    date: dates[i] ?? '',
    team: teams[i] ?? '',
    spass_type: types[i] ?? '',
    target: targets[i] ?? '',
    request_name: requests[i] ?? '',
    title: titles[i] ?? '',
  }))
}

type Texts = readonly string[]
type Columns = readonly [readonly number[], Texts, Texts, Texts, Texts, Texts, Texts, Texts, Texts]

/** A page in the document's shape; `asked` says what it was asked by, `hint` why it is empty. */
function toListing<A extends object>(
  { total, observations }: Page,
  { limit, offset }: Part,
  asked: A,
  rest: Hint & { readonly synthetic: boolean },
): Listing & A {
  const rows = observations.flatMap(toShown)
  return { count: rows.length, total, offset, limit, ...asked, observations: rows, ...rest }
}

/** The observations of a team or on a target, in the order of the plan. */
export async function listBy<K extends 'team' | 'target'>(
  store: Store,
  kind: K,
  { name, ...part }: Part & { readonly name: string },
  { signal }: Asking,
): Promise<Answered<Listing>> {
  const filter: Filter = { [kind]: name }
  const { value, synthetic } = await store.ask({ kind: 'named', by: kind, name, part }, signal)
  const hint = value.total === 0 ? await hintFor(store, filter, signal) : {}
  return answered(uriOf(['observations', kind, name]), toListing(value, part, filter, { ...hint, synthetic }))
}

/** The observations that start within a range, in the order of time. */
export async function listRange(
  store: Store,
  { from, to, ...part }: Part & { readonly from: string; readonly to: string },
  { signal }: Asking,
): Promise<Answered<Listing>> {
  const filter: Filter = { from, to }
  const { value, synthetic } = await store.ask({ kind: 'range', from, to, part }, signal)
  const hint = value.total === 0 ? await hintFor(store, filter, signal) : {}
  const asked = { start_time: from, end_time: to }
  return answered(
    uriOf(['observations', 'timerange'], { start: from, end: to }),
    toListing(value, part, asked, { ...hint, synthetic }),
  )
}

/** `query_observations_by_team`. */
export const byTeam = (store: Store): Tool =>
  tool(
    {
      name: 'query_observations_by_team',
      title: 'Observations by team',
      description: 'Query Cassini observations by team/instrument',
      ...LOOKING,
      input: takes(
        { team: { type: 'string', minLength: 1, description: 'Team identifier (CAPS, ISS, etc.)' }, ...PART },
        'team',
      ),
      output: listing({ team: { type: 'string' } }),
    },
    (input, ctx) => {
      const { team, limit, offset } = input as Part & { team: string }
      return listBy(store, 'team', { name: team, limit, offset }, ctx)
    },
  )

/** `query_observations_by_target`. */
export const byTarget = (store: Store): Tool =>
  tool(
    {
      name: 'query_observations_by_target',
      title: 'Observations by target',
      description: 'Query Cassini observations by target: a moon, a ring, the planet, a direction',
      ...LOOKING,
      input: takes(
        { target: { type: 'string', minLength: 1, description: 'Target name (Titan, Enceladus, etc.)' }, ...PART },
        'target',
      ),
      output: listing({ target: { type: 'string' } }),
    },
    (input, ctx) => {
      const { target, limit, offset } = input as Part & { target: string }
      return listBy(store, 'target', { name: target, limit, offset }, ctx)
    },
  )

const RANGE = 'query_observations_by_timerange'

/** `query_observations_by_timerange`. */
export const byTimerange = (store: Store): Tool =>
  tool(
    {
      name: RANGE,
      title: 'Observations by time',
      description: 'Query Cassini observations that start within a time range, both ends included, earliest first',
      ...LOOKING,
      input: takes(
        { start_time: time('Start of the range, included'), end_time: time('End of the range, included'), ...PART },
        'start_time',
        'end_time',
      ),
      output: listing({ start_time: { type: 'string' }, end_time: { type: 'string' } }),
    },
    (input, ctx) => {
      const { start_time, end_time, ...part } = input as Part & { start_time: string; end_time: string }
      const times = readTimes(RANGE, { start_time, end_time })
      return listRange(store, { from: times.start_time ?? '', to: times.end_time ?? '', ...part }, ctx)
    },
  )

/** One observation with all its fields; undefined if there is none of that number. */
export async function readDetails(
  store: Store,
  id: number,
  { signal }: Asking,
): Promise<Answered<Readonly<Record<string, unknown>>> | undefined> {
  const { value, synthetic } = await store.ask({ kind: 'details', id }, signal)
  return value && answered(uriOf(['observations', String(id)]), { ...value, synthetic })
}

/** `get_observation_details`. */
export const byId = (store: Store): Tool =>
  tool(
    {
      name: 'get_observation_details',
      title: 'Observation details',
      description: 'Get one Cassini observation with all its fields, among them the full description',
      ...LOOKING,
      input: takes({ id: ID }, 'id'),
      output: DETAILS,
    },
    async (input, ctx): Promise<ToolResult> => {
      const { id } = input as { id: number }
      return (await readDetails(store, id, ctx)) ?? (await notFound(store, id, ctx))
    },
  )

async function notFound(store: Store, id: number, { signal }: Context): Promise<ToolResult> {
  const { synthetic } = await store.ask({ kind: 'about' }, signal)
  const content = [text(`No observation found with ID: ${id}`)]
  return { content, structuredContent: { id, found: false, synthetic } }
}

const SEARCH = 'search_observations'
const HELP =
  'Words must all be found, in any form (flyby finds flybys); "a phrase" in quotes, occult* for a beginning, -word to leave out'

/** `search_observations`. */
export const bySearch = (store: Store): Tool =>
  tool(
    {
      name: SEARCH,
      title: 'Search observations',
      description:
        'Full-text search in title, description and request name of Cassini observations, best matches first. ' +
        'If nothing has all the words, observations with any of them are returned and matched is "any"',
      ...LOOKING,
      input: takes(
        { query: { type: 'string', minLength: 1, maxLength: 500, description: HELP }, ...FILTER, ...PART },
        'query',
      ),
      output: listing({ query: { type: 'string' }, matched: { type: 'string', enum: ['all', 'any'] } }),
    },
    async (input, { signal }) => {
      const { query, team, target, from, to, ...part } = input as Part & Filter & { query: string }
      const words = readSearch(query)
      if (!words)
        refuse(SEARCH, [{ argument: 'query', rule: 'words', what: "Parameter 'query' has no word to look for." }])
      const filter = { team, target, ...readTimes(SEARCH, { from, to }) }
      const { value, synthetic } = await store.ask({ kind: 'search', words, filter, part }, signal)
      const hint = value.total === 0 ? await hintFor(store, filter, signal) : {}
      const { matched } = value
      return answered(
        uriOf(['observations', 'search'], { query, ...filter }),
        toListing(value, part, { query, matched }, { ...hint, synthetic }),
      )
    },
  )
