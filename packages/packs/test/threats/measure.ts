import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { threats } from '@causeway/packs/threats'
import type { Case } from './evaluation.ts'

interface Answer {
  readonly pattern_count: number
  readonly patterns?: readonly { readonly id: string }[]
}

/** How well contexts are answered. */
export interface Measured {
  readonly contexts: number
  /** The share that has an expected pattern among the three that are matched, and as the first of them. */
  readonly top3: number
  readonly first: number
  /** What was missed, with what was matched instead. */
  readonly missed: readonly string[]
}

const client = connect(createServer({ name: 'test', version: '1.0.0' }).add(threats()))

async function idsFor(query: Omit<Case, 'expected'>): Promise<string[]> {
  const { patterns = [] } = (await client.call('tmkb_query', query)) as Answer
  return patterns.map(({ id }) => id.slice(-3))
}

/** Asks every context, as a client would. */
export async function measure(set: readonly Case[]): Promise<Measured> {
  const answers = await Promise.all(
    set.map(async ({ expected, ...query }) => ({ query, expected, ids: await idsFor(query) })),
  )
  const missed = answers.filter(({ expected, ids }) => !ids.some(id => expected.includes(id)))
  const first = answers.filter(({ expected, ids: [id = ''] }) => expected.includes(id))
  return {
    contexts: set.length,
    top3: 1 - missed.length / set.length,
    first: first.length / set.length,
    missed: missed.map(({ query, ids }) => `${query.context} (${ids.join(', ') || 'nothing'})`),
  }
}

/** Asks what nothing should be matched about; the share that is matched nothing, and what was matched something. */
export async function measureUnrelated(
  set: readonly string[],
): Promise<{ contexts: number; silent: number; matched: readonly string[] }> {
  const found = await Promise.all(set.map(async context => ({ context, ids: await idsFor({ context }) })))
  const matched = found.filter(({ ids }) => ids.length > 0)
  return {
    contexts: set.length,
    silent: 1 - matched.length / set.length,
    matched: matched.map(({ context, ids }) => `${context} (${ids.join(', ')})`),
  }
}
