import { resource, template } from '@causeway/engine'
import type { Feature, Resource, Template } from '@causeway/engine'
import type { Answered } from './answer.ts'
import { listBy, listRange, readDetails } from './listings.ts'
import type { Part } from './database/queries.ts'
import type { Store } from './database/store.ts'
import { listNames } from './summaries.ts'
import { readMoment } from './plan/time.ts'

type Variables = Readonly<Record<string, string>>

const mimeType = 'application/json'

/** The text alone: what is read is labelled with the URI it was asked for by. */
const textOf = ({ content: [, { resource }] }: Answered<unknown>): string => resource.text

/** Everything of the plan that can be read by its URI. */
export const resources = (store: Store): readonly Feature[] => [
  named(store, 'team', 'The teams of the Cassini plan with their numbers of observations'),
  named(store, 'target', 'The targets of the Cassini plan with their numbers of observations'),
  observation(store),
  listed(store, 'team'),
  listed(store, 'target'),
  timerange(store),
]

const named = (store: Store, of: 'team' | 'target', description: string): Resource =>
  resource({ uri: `cassini://${of}s`, name: `${of}s`, description, mimeType }, async ctx =>
    textOf(await listNames(store, of, ctx)),
  )

const observation = (store: Store): Template =>
  template(
    {
      uriTemplate: 'cassini://observations/{id}',
      name: 'observation',
      description: 'One observation of the Cassini plan with all its fields',
      mimeType,
      complete: { id: async typed => idsLike(typed, (await store.ask({ kind: 'about' })).value.rows) },
    },
    async ({ id }, ctx) => {
      const found = /^[1-9]\d{0,14}$/.test(id) ? await readDetails(store, Number(id), ctx) : undefined
      return found && textOf(found)
    },
  )

const PROPOSED = 101

/** The numbers up to `last` that begin with what was typed, the smallest first. */
function idsLike(typed: string, last: number): string[] {
  if (typed === '') return Array.from({ length: Math.min(last, PROPOSED) }, (_, i) => String(i + 1))
  if (!/^[1-9]\d*$/.test(typed)) return []
  const found: string[] = []
  for (let from = Number(typed), width = 1; from <= last && found.length < PROPOSED; from *= 10, width *= 10) {
    for (let id = from; id < from + width && id <= last && found.length < PROPOSED; id++) found.push(String(id))
  }
  return found
}

/** Names that begin with what was typed, whatever the case; the most frequent first. */
export async function namesLike(store: Store, of: 'team' | 'target', typed: string): Promise<string[]> {
  const { value } = await store.ask({ kind: 'names', of })
  const start = typed.toLowerCase()
  return value.map(({ name }) => name).filter(name => name.toLowerCase().startsWith(start))
}

const listed = (store: Store, kind: 'team' | 'target'): Template =>
  template(
    {
      uriTemplate: `cassini://observations/${kind}/{${kind}}{?limit,offset}`,
      name: `observations-by-${kind}`,
      description: `Observations of the Cassini plan by ${kind}, 100 at a time unless a limit of 1 to 1000 is given`,
      mimeType,
      complete: { [kind]: typed => namesLike(store, kind, typed) },
    },
    async (variables, ctx) => {
      const part = partOf(variables)
      const answer = part && (await listBy(store, kind, { name: variables[kind] ?? '', ...part }, ctx))
      return answer && answer.structuredContent.total > 0 ? textOf(answer) : undefined
    },
  )

const timerange = (store: Store): Template =>
  template(
    {
      uriTemplate: 'cassini://observations/timerange{?start,end,limit,offset}',
      name: 'observations-by-timerange',
      description: 'Observations of the Cassini plan that start within a range, by day of year or by calendar',
      mimeType,
    },
    async (variables, ctx) => {
      const from = readMoment(variables.start ?? '')
      const to = readMoment(variables.end ?? '', 'end')
      const part = partOf(variables)
      if (!part || 'wrong' in from || 'wrong' in to) return undefined
      return textOf(await listRange(store, { from: from.moment, to: to.moment, ...part }, ctx))
    },
  )

/** What was meant by limit and offset; undefined if it cannot be had. */
function partOf({ limit = '100', offset = '0' }: Variables): Part | undefined {
  if (!/^\d{1,4}$/.test(limit) || !/^\d{1,15}$/.test(offset)) return undefined
  return Number(limit) >= 1 && Number(limit) <= 1000 ? { limit: Number(limit), offset: Number(offset) } : undefined
}
