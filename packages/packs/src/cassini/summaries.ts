import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { answered, readTimes, refuse, uriOf } from './answer.ts'
import type { Answered } from './answer.ts'
import { hintFor } from './hint.ts'
import type { Hint } from './hint.ts'
import type { Filter } from './plan/observation.ts'
import { counted } from './plan/provenance.ts'
import { FILTER, nameList, takes, tally } from './schemas.ts'
import type { Store } from './database/store.ts'
import { BUCKETS, bucketsBetween } from './database/buckets.ts'
import type { Bucket } from './database/buckets.ts'
import { toDate, toHours } from './plan/time.ts'

const LOOKING = { readOnly: true, idempotent: true, openWorld: false } as const

/** The names of one kind, the most frequent first. */
export async function listNames(
  store: Store,
  of: 'team' | 'target',
  { signal }: { readonly signal: AbortSignal },
): Promise<Answered<object>> {
  const { value, about } = await store.ask({ kind: 'names', of }, signal)
  const total = value.reduce((sum, { count }) => sum + count, 0)
  const total_hours = toHours(value.reduce((sum, { seconds }) => sum + seconds, 0))
  const names = value.map(({ name, count, seconds, first, last }) => {
    return { name, count, hours: toHours(seconds), first, last }
  })
  const words = `${counted(value.length, of)} with ${counted(total, 'observation')}, ${total_hours.toLocaleString('en-US')} hours in all.`
  return answered({
    about,
    uri: uriOf([`${of}s`]),
    words,
    value: { count: value.length, total, total_hours, [`${of}s`]: names },
  })
}

/** `list_teams`. */
export const listTeams = (store: Store): Tool =>
  tool(
    {
      name: 'list_teams',
      title: 'Teams',
      description: 'List the teams (instruments) of the Cassini plan with how many observations each has, and when',
      ...LOOKING,
      input: takes({}),
      output: nameList('teams'),
    },
    (_, ctx) => listNames(store, 'team', ctx),
  )

/** `list_targets`. */
export const listTargets = (store: Store): Tool =>
  tool(
    {
      name: 'list_targets',
      title: 'Targets',
      description: 'List the targets of the Cassini plan with how many observations each has, and when',
      ...LOOKING,
      input: takes({}),
      output: nameList('targets'),
    },
    (_, ctx) => listNames(store, 'target', ctx),
  )

const GROUPS = ['team', 'target', 'spass_type', 'year', 'month'] as const
const STATISTICS = 'get_statistics'

type Groups = readonly (readonly [name: string, count: number, seconds: number])[]

interface Total {
  readonly total: number
  readonly total_hours: number
}

const totalOf = (groups: Groups): Total => ({
  total: groups.reduce((sum, [, count]) => sum + count, 0),
  total_hours: toHours(groups.reduce((sum, [, , seconds]) => sum + seconds, 0)),
})

const describe = ({ total, total_hours }: Total, groups: string, { message }: Hint): string =>
  `${counted(total, 'observation')}, ${total_hours.toLocaleString('en-US')} hours in all, in ${groups}.` +
  (message === undefined ? '' : ` ${message}`)

const GROUP_SORTS = ['count', 'hours', 'name'] as const

interface GroupSort {
  readonly sort_by?: (typeof GROUP_SORTS)[number]
  readonly order?: 'asc' | 'desc'
}

/** `get_statistics`. */
export const statistics = (store: Store): Tool =>
  tool(
    {
      name: STATISTICS,
      title: 'Statistics',
      description:
        'Count Cassini observations and add up their hours by team, target, SPASS type, year or month of their start',
      ...LOOKING,
      input: takes(
        {
          group_by: { type: 'string', enum: GROUPS, description: 'What to count by' },
          ...FILTER,
          sort_by: { type: 'string', enum: GROUP_SORTS, description: 'Default: time by its order, others by count' },
          order: { type: 'string', enum: ['asc', 'desc'], description: 'Default: names ascending, figures descending' },
        },
        'group_by',
      ),
      output: tally('group_by', 'groups', 'name'),
    },
    async (input, { signal }) => {
      const { group_by, sort_by, order, ...asked } = input as Filter & GroupSort & { group_by: (typeof GROUPS)[number] }
      const written = { ...asked, ...readTimes(STATISTICS, { from: asked.from, to: asked.to }) }
      const { value, about } = await store.ask({ kind: 'counts', group: group_by, filter: written }, signal)
      const counts = JSON.parse(value.groups) as Groups
      const { total, total_hours } = totalOf(counts)
      const hint = await hintFor(store, { written, read: value.filter, about, total }, signal)
      const groups = sorted(named(counts, group_by), group_by, { ...(sort_by && { sort_by }), ...(order && { order }) })
      return answered({
        about,
        uri: uriOf(['statistics', group_by], { ...value.filter }),
        words: describe({ total, total_hours }, counted(groups.length, 'group'), hint),
        value: { group_by, count: groups.length, total, total_hours, groups, ...hint },
      })
    },
  )

interface NamedGroup {
  readonly name: string
  readonly count: number
  readonly hours: number
}

/** Years and months are called by the beginning of their first day. */
function named(groups: Groups, by: (typeof GROUPS)[number]): NamedGroup[] {
  const letters = by === 'year' ? 4 : by === 'month' ? 7 : undefined
  return groups.map(([name, count, seconds]) => ({ name: name.slice(0, letters), count, hours: toHours(seconds) }))
}

/** Groups in the order asked for; groups that are equal stay in the order of their names. */
function sorted(groups: NamedGroup[], by: (typeof GROUPS)[number], { sort_by, order }: GroupSort): NamedGroup[] {
  const key = sort_by ?? (by === 'year' || by === 'month' ? 'name' : 'count')
  const sign = (order ?? (key === 'name' ? 'asc' : 'desc')) === 'asc' ? 1 : -1
  return groups.sort((a, b) => (a[key] < b[key] ? -sign : a[key] > b[key] ? sign : 0))
}

const TIMELINE = 'get_timeline'
const MOST = 1000

/** `get_timeline`. */
export const timeline = (store: Store): Tool =>
  tool(
    {
      name: TIMELINE,
      title: 'Timeline',
      description:
        'Count Cassini observations and add up their hours along time, empty buckets included: by day, week (from Monday), month or year. ' +
        `Without from and to: from the first to the last observation that matches. At most ${MOST} buckets`,
      ...LOOKING,
      input: takes(
        { bucket: { type: 'string', enum: BUCKETS, description: 'How long a bucket is' }, ...FILTER },
        'bucket',
      ),
      output: tally('bucket', 'buckets', 'start'),
    },
    async (input, { signal }) => {
      const { bucket, ...asked } = input as Filter & { bucket: Bucket }
      const written = { ...asked, ...readTimes(TIMELINE, { from: asked.from, to: asked.to }) }
      const { value, about } = await store.ask({ kind: 'counts', group: bucket, filter: written }, signal)
      const counts = JSON.parse(value.groups) as Groups
      const { total, total_hours } = totalOf(counts)
      const buckets = filled(bucket, counts, written)
      const hint = await hintFor(store, { written, read: value.filter, about, total }, signal)
      return answered({
        about,
        uri: uriOf(['timeline', bucket], { ...value.filter }),
        words: describe({ total, total_hours }, counted(buckets.length, bucket), hint),
        value: { bucket, count: buckets.length, total, total_hours, buckets, ...hint },
      })
    },
  )

interface FilledBucket {
  readonly start: string
  readonly count: number
  readonly hours: number
}

function filled(bucket: Bucket, counted: Groups, filter: Filter): FilledBucket[] {
  const from = filter.from === undefined ? counted[0]?.[0] : toDate(filter.from)
  const to = filter.to === undefined ? counted.at(-1)?.[0] : toDate(filter.to)
  if (from === undefined || to === undefined) return []
  const starts = bucketsBetween(from, to, bucket, MOST + 1)
  if (starts.length > MOST) {
    const what = `Parameter 'bucket' makes more than ${MOST} buckets of this range, got '${bucket}'.`
    const hint = 'Choose a longer bucket, or narrow the range with from and to.'
    refuse(TIMELINE, [{ argument: 'bucket', rule: 'buckets', what: `${what} ${hint}` }])
  }
  const found = new Map(counted.map(([start, count, seconds]) => [start, { start, count, hours: toHours(seconds) }]))
  return starts.map(start => found.get(start) ?? { start, count: 0, hours: 0 })
}
