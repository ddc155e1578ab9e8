import { text, tool } from '@causeway/engine'
import type { Context, Tool, ToolResult } from '@causeway/engine'
import { answered, readTimes, refuse, uriOf } from './answer.ts'
import type { Answered } from './answer.ts'
import { hintFor } from './hint.ts'
import type { Hint } from './hint.ts'
import type { Filter, Shown } from './plan/observation.ts'
import { counted, openingOf, sourceOf } from './plan/provenance.ts'
import type { Listed, Page, Sort } from './database/queries.ts'
import { DETAILS, FILTER, ID, PART, SORT, listing, takes, time } from './schemas.ts'
import { readSearch } from './database/search-words.ts'
import type { Store } from './database/store.ts'
import { toHours } from './plan/time.ts'

/** Part of a list as it goes to the client. */
export interface Listing extends Hint {
  readonly count: number
  readonly total: number
  readonly total_hours: number
  readonly offset: number
  readonly limit: number
  /** The offset to go on with. */
  readonly next?: number
  readonly observations: readonly Shown[]
}

interface Asking {
  readonly signal: AbortSignal
}

const LOOKING = { readOnly: true, idempotent: true, openWorld: false } as const

/** The observations of a text from the database, which has a list for each of `SHOWN`, in their order. */
function toShown(json: string): Shown[] {
  const [ids, starts, durations, dates, teams, types, targets, requests, titles] = JSON.parse(json) as Columns
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

/** A page in its shape on the wire; `asked` says what it was asked by. */
function toListing<A extends object>(
  { total, seconds, observations }: Page,
  { limit, offset }: Listed,
  asked: A,
  hint: Hint,
): Listing & A {
  const rows = observations.flatMap(toShown)
  const figures = { count: rows.length, total, total_hours: toHours(seconds), offset, limit }
  const end = offset + rows.length
  const onward = rows.length > 0 && end < total ? { next: end } : {}
  return { ...figures, ...asked, observations: rows, ...hint, ...onward }
}

/** A listing in a sentence. */
function describe({ count, total, total_hours, offset, message }: Listing, what: string): string {
  const part = count === total ? '' : `${count.toLocaleString('en-US')} of `
  const from = offset > 0 ? `, from number ${(offset + 1).toLocaleString('en-US')}` : ''
  const long = total > 0 ? `, ${total_hours.toLocaleString('en-US')} hours in all` : ''
  return `${part}${counted(total, 'observation')} ${what}${from}${long}.${message === undefined ? '' : ` ${message}`}`
}

/** What is asked of a list in the arguments of a tool. */
interface Arguments {
  readonly limit: number
  readonly offset: number
  readonly sort_by?: Sort['by']
  readonly order?: Sort['order']
}

const partOf = ({ limit, offset, sort_by, order }: Arguments): Listed => {
  if (sort_by === undefined && order === undefined) return { limit, offset }
  return { limit, offset, sort: { by: sort_by ?? 'start_time_utc', order: order ?? 'asc' } }
}

/** The observations of a team or on a target, in the order of the plan. */
export async function listBy(
  store: Store,
  kind: 'team' | 'target',
  { name, ...part }: Listed & { readonly name: string },
  { signal }: Asking,
): Promise<Answered<Listing>> {
  const written: Filter = { [kind]: name }
  const { value, about } = await store.ask({ kind: 'list', filter: written, part }, signal)
  const { total, filter: read } = value
  const hint = await hintFor(store, { written, read, about, total }, signal)
  const listed = toListing(value, part, { [kind]: read[kind] }, hint)
  const words = describe(listed, `${kind === 'team' ? 'of team' : 'on target'} ${read[kind]}`)
  return answered({ about, uri: uriOf(['observations', kind, read[kind] ?? '']), words, value: listed })
}

/** The observations that start within a range, in the order of time. */
export async function listRange(
  store: Store,
  { from, to, ...part }: Listed & { readonly from: string; readonly to: string },
  { signal }: Asking,
): Promise<Answered<Listing>> {
  const filter: Filter = { from, to }
  const { value, about } = await store.ask({ kind: 'list', filter, part }, signal)
  const hint = await hintFor(store, { written: filter, read: filter, about, total: value.total }, signal)
  const listed = toListing(value, part, { start_time: from, end_time: to }, hint)
  const uri = uriOf(['observations', 'timerange'], { start: from, end: to })
  return answered({ about, uri, words: describe(listed, `that start from ${from} to ${to}`), value: listed })
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
        { team: { type: 'string', minLength: 1, description: 'Team identifier (CAPS, ISS, etc.)' }, ...PART, ...SORT },
        'team',
      ),
      output: listing({ team: { type: 'string' } }, 'team'),
    },
    (input, ctx) => {
      const { team, ...rest } = input as Arguments & { team: string }
      return listBy(store, 'team', { name: team, ...partOf(rest) }, ctx)
    },
  )

/** `query_observations_by_target`. */
export const byTarget = (store: Store): Tool =>
  tool(
    {
      name: 'query_observations_by_target',
      title: 'Observations by target',
      description:
        'Query Cassini observations by target: a moon, a ring, the planet, a direction. For several conditions at once use search_observations',
      ...LOOKING,
      input: takes(
        {
          target: { type: 'string', minLength: 1, description: 'Target name (Titan, Enceladus, etc.)' },
          ...PART,
          ...SORT,
        },
        'target',
      ),
      output: listing({ target: { type: 'string' } }, 'target'),
    },
    (input, ctx) => {
      const { target, ...rest } = input as Arguments & { target: string }
      return listBy(store, 'target', { name: target, ...partOf(rest) }, ctx)
    },
  )

const RANGE = 'query_observations_by_timerange'

/** `query_observations_by_timerange`. */
export const byTimerange = (store: Store): Tool =>
  tool(
    {
      name: RANGE,
      title: 'Observations by time',
      description:
        'Query Cassini observations that start within a time range, both ends included, earliest first. With a team or target use search_observations',
      ...LOOKING,
      input: takes(
        {
          start_time: time('Start of the range, included', 'start'),
          end_time: time('End of the range, included', 'end'),
          ...PART,
          ...SORT,
        },
        'start_time',
        'end_time',
      ),
      output: listing({ start_time: { type: 'string' }, end_time: { type: 'string' } }, 'start_time', 'end_time'),
    },
    (input, ctx) => {
      const { start_time, end_time, ...rest } = input as Arguments & { start_time: string; end_time: string }
      const times = readTimes(RANGE, { start_time, end_time })
      return listRange(store, { from: times.start_time ?? '', to: times.end_time ?? '', ...partOf(rest) }, ctx)
    },
  )

/** One observation with all its fields; undefined if there is none of that number. */
export async function readDetails(store: Store, id: number, { signal }: Asking): Promise<Answered<object> | undefined> {
  const { value, about } = await store.ask({ kind: 'details', id }, signal)
  if (!value) return undefined
  const { title, team, target, start_time_utc } = value
  const words = `Observation ${id}: ${title}. Team ${team}, target ${target}, starts at ${start_time_utc}.`
  return answered({ about, uri: uriOf(['observations', String(id)]), words, value })
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
  const { value: about } = await store.ask({ kind: 'about' }, signal)
  const { synthetic, rows } = about
  const content = [text(`${openingOf(about)} No observation found with ID: ${id}. The plan has 1 to ${rows}.`)]
  return { content, structuredContent: { synthetic, source: sourceOf(about), id, found: false } }
}

const SEARCH = 'search_observations'
const HELP =
  'Words must all be found, in any form (flyby finds flybys); "a phrase" in quotes, occult* for a beginning, ' +
  '-word to leave out. Without it, everything the other arguments let through is listed'
const NO_WORD = "Parameter 'query' has no word to look for. Leave it out to list by team, target, type and time alone."

/** `search_observations`. */
export const bySearch = (store: Store): Tool =>
  tool(
    {
      name: SEARCH,
      title: 'Search observations',
      description:
        'Full-text search in title, description and request name of Cassini observations, best matches first; ' +
        'by team, target, type and time too, with words or without. ' +
        'If nothing has all the words, observations with any of them are returned and matched is "any"',
      ...LOOKING,
      input: takes({ query: { type: 'string', maxLength: 500, description: HELP }, ...FILTER, ...PART, ...SORT }),
      output: listing(
        { query: { type: 'string' }, matched: { type: 'string', enum: ['all', 'any'] } },
        'query',
        'matched',
      ),
    },
    async (input, { signal }) => {
      const {
        query = '',
        team,
        target,
        spass_type,
        from,
        to,
        ...rest
      } = input as Arguments & Filter & { query?: string }
      const words = readSearch(query)
      if (!words && query.trim() !== '') refuse(SEARCH, [{ argument: 'query', rule: 'words', what: NO_WORD }])
      const written = { team, target, spass_type, ...readTimes(SEARCH, { from, to }) }
      const part = partOf(rest)
      const { value, about } = await store.ask({ kind: 'search', words, filter: written, part }, signal)
      const { matched, total, filter: read } = value
      const hint = await hintFor(store, { written, read, about, total, hasWords: words !== undefined }, signal)
      const listed = toListing(value, part, { query, matched }, hint)
      const uri = uriOf(['observations', 'search'], { ...(words && { query }), ...read })
      return answered({ about, uri, words: describe(listed, 'found'), value: listed })
    },
  )
