import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { answered, hintFor, readTimes, refuse, uriOf } from './answer.ts'
import type { Answered } from './answer.ts'
import type { Filter } from './observation.ts'
import type { Name } from './queries.ts'
import { FILTER, nameList, takes, tally } from './schemas.ts'
import type { Store } from './store.ts'
import { BUCKETS, bucketsBetween } from './buckets.ts'
import type { Bucket } from './buckets.ts'
import { toDate } from './time.ts'

const LOOKING = { readOnly: true, idempotent: true, openWorld: false } as const

/** The names of one kind, the most frequent first. */
export async function listNames(
  store: Store,
  of: 'team' | 'target',
  { signal }: { readonly signal: AbortSignal },
): Promise<Answered<Readonly<Record<string, unknown>>>> {
  const { value, synthetic } = await store.ask({ kind: 'names', of }, signal)
  const total = value.reduce((sum, { count }: Name) => sum + count, 0)
  return answered(uriOf([`${of}s`]), { count: value.length, total, [`${of}s`]: value, synthetic })
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
const SPASS = {
  type: 'string',
  description: 'Only this SPASS type: Prime, Non-SPASS, SPASS Note, SPASS Rider, or empty',
}

type Pairs = readonly (readonly [name: string, count: number])[]
type Narrowed = Filter & { readonly signal: AbortSignal }

/** `get_statistics`. */
export const statistics = (store: Store): Tool =>
  tool(
    {
      name: STATISTICS,
      title: 'Statistics',
      description: 'Count Cassini observations by team, target, SPASS type, year or month of their start',
      ...LOOKING,
      input: takes(
        { group_by: { type: 'string', enum: GROUPS, description: 'What to count by' }, ...FILTER, spass_type: SPASS },
        'group_by',
      ),
      output: tally('group_by', 'groups', 'name'),
    },
    async (input, { signal }) => {
      const { group_by, ...asked } = input as Filter & { group_by: (typeof GROUPS)[number] }
      const filter = { ...asked, ...readTimes(STATISTICS, { from: asked.from, to: asked.to }) }
      const { groups, synthetic } = await grouped(store, group_by, { ...filter, signal })
      const total = groups.reduce((sum, { count }) => sum + count, 0)
      const hint = total === 0 ? await hintFor(store, filter, signal) : {}
      return answered(uriOf(['statistics', group_by], { ...filter }), {
        group_by,
        count: groups.length,
        total,
        groups,
        ...hint,
        synthetic,
      })
    },
  )

/** Time in its order, anything else the most frequent first. */
async function grouped(
  store: Store,
  by: (typeof GROUPS)[number],
  { signal, ...filter }: Narrowed,
): Promise<{ groups: { name: string; count: number }[]; synthetic: boolean }> {
  const { value, synthetic } = await store.ask({ kind: 'counts', group: by, filter }, signal)
  const letters = by === 'year' ? 4 : by === 'month' ? 7 : undefined
  const groups = (JSON.parse(value) as Pairs).map(([name, count]) => ({ name: name.slice(0, letters), count }))
  return { groups: letters ? groups : groups.sort((a, b) => b.count - a.count), synthetic }
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
        'Count Cassini observations along time, empty buckets included: by day, week (from Monday), month or year. ' +
        `Without from and to: from the first to the last observation that is meant. At most ${MOST} buckets`,
      ...LOOKING,
      input: takes(
        {
          bucket: { type: 'string', enum: BUCKETS, description: 'How long a bucket is' },
          ...FILTER,
          spass_type: SPASS,
        },
        'bucket',
      ),
      output: tally('bucket', 'buckets', 'start'),
    },
    async (input, { signal }) => {
      const { bucket, ...asked } = input as Filter & { bucket: Bucket }
      const filter = { ...asked, ...readTimes(TIMELINE, { from: asked.from, to: asked.to }) }
      const { value, synthetic } = await store.ask({ kind: 'counts', group: bucket, filter }, signal)
      const counts = JSON.parse(value) as Pairs
      const total = counts.reduce((sum, [, count]) => sum + count, 0)
      const buckets = filled(bucket, counts, filter)
      const hint = total === 0 ? await hintFor(store, filter, signal) : {}
      return answered(uriOf(['timeline', bucket], { ...filter }), {
        bucket,
        count: buckets.length,
        total,
        buckets,
        ...hint,
        synthetic,
      })
    },
  )

function filled(bucket: Bucket, counted: Pairs, filter: Filter): { start: string; count: number }[] {
  const from = filter.from === undefined ? counted[0]?.[0] : toDate(filter.from)
  const to = filter.to === undefined ? counted.at(-1)?.[0] : toDate(filter.to)
  if (from === undefined || to === undefined) return []
  const starts = bucketsBetween(from, to, bucket, MOST + 1)
  if (starts.length > MOST) {
    const what = `Parameter 'bucket' makes more than ${MOST} buckets of this range, got '${bucket}'.`
    const hint = 'Choose a longer bucket, or narrow the range with from and to.'
    refuse(TIMELINE, [{ argument: 'bucket', rule: 'buckets', what: `${what} ${hint}` }])
  }
  const counts = new Map(counted)
  return starts.map(start => ({ start, count: counts.get(start) ?? 0 }))
}
