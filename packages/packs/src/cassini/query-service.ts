import { statSync } from 'node:fs'
import { createBuilder } from './builder.ts'
import { createCounter } from './counter.ts'
import type { Counter, Group } from './counter.ts'
import { PlanError, databases, readWhole, writeWhole } from './files.ts'
import type { Filter, Observation } from './observation.ts'
import { about, details, names, pageBy, pageWithin } from './queries.ts'
import type { About, Name, Page, Part } from './queries.ts'
import { search } from './search.ts'
import type { Found } from './search.ts'
import type { Search } from './search-words.ts'
import { Database, loadSqlite } from './sqlite.ts'
import { syntheticRows } from './synthetic.ts'

/** What can be asked of the database, in data that crosses threads. */
export type Question =
  | { readonly kind: 'about' }
  | { readonly kind: 'names'; readonly of: 'team' | 'target' }
  | { readonly kind: 'details'; readonly id: number }
  | { readonly kind: 'named'; readonly by: 'team' | 'target'; readonly name: string; readonly part: Part }
  | { readonly kind: 'range'; readonly from: string; readonly to: string; readonly part: Part }
  | { readonly kind: 'search'; readonly words: Search; readonly filter: Filter; readonly part: Part }
  | { readonly kind: 'counts'; readonly group: Group; readonly filter: Filter }

/** What comes back for each kind of question. */
export interface Answers {
  readonly about: About
  readonly names: readonly Name[]
  readonly details: Observation | undefined
  readonly named: Page
  readonly range: Page
  readonly search: Found
  readonly counts: string
}

/** An answer, and whether the data was made up. */
export interface Answer<T> {
  readonly synthetic: boolean
  readonly value: T
}

/** How a question ended, in data that crosses threads. */
export type Outcome =
  | { readonly answer: Answer<Answers[Question['kind']]> }
  | { readonly problem: string }
  | { readonly accident: string }

/** Answers questions, one at a time; opens the database when the first one comes. */
export interface QueryService {
  ask(question: Question): Promise<Outcome>
}

interface Plan {
  readonly db: Database
  readonly counter: Counter
  readonly synthetic: boolean
}

/** A service for the databases of a folder; `isStopped` is asked while a query runs, and ends it. */
export function createQueryService(data: string | undefined, isStopped: () => boolean): QueryService {
  const { imported } = databases(data)
  // By the file it was read from: when another takes its place, that one is opened.
  let opened: { readonly stamp: string; readonly plan: Promise<Plan> } | undefined
  const current = (): Promise<Plan> => {
    const stamp = stampOf(imported)
    if (opened?.stamp === stamp) return opened.plan
    void opened?.plan.then(({ db }) => db.close())
    const plan = openPlan(data, stamp, isStopped)
    opened = { stamp, plan }
    plan.catch(() => (opened = undefined))
    return plan
  }
  return {
    async ask(question) {
      try {
        const plan = await current()
        return { answer: { synthetic: plan.synthetic, value: reply(plan, question) } }
      } catch (error) {
        if (error instanceof PlanError) return { problem: error.message }
        return { accident: error instanceof Error ? (error.stack ?? error.message) : String(error) }
      }
    },
  }
}

const NONE = 'none'

/** Which file it is; where there is none, or no folder to have one, the plan is made up. */
function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path)
    return `${ino}:${size}:${mtimeMs}`
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return NONE
    throw new PlanError(`The data folder cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function openPlan(data: string | undefined, stamp: string, isStopped: () => boolean): Promise<Plan> {
  const { imported, synthetic: madeUp } = databases(data)
  const bytes = stamp === NONE ? await synthetic(madeUp) : readWhole(imported)
  if (!bytes) {
    const hint = 'Import it again with: causeway cassini import FILE.csv'
    throw new PlanError(`The imported plan ${imported} is damaged or of another version. ${hint}`)
  }
  const db = new Database(await loadSqlite(), bytes, isStopped)
  return { db, counter: createCounter(db), synthetic: about(db).synthetic }
}

/** The made-up plan: as it was kept, or made now and kept for the next time. */
async function synthetic(path: string): Promise<Uint8Array> {
  const kept = keptAt(path)
  if (kept) return kept
  const builder = await createBuilder()
  for (const row of syntheticRows()) builder.add(row)
  const bytes = builder.finish({ synthetic: true, source: 'generated' })
  // A folder that cannot be written costs a second at the next start, nothing else.
  await writeWhole(path, bytes).catch(() => {})
  return bytes
}

/** What was kept is taken only if it is whole and can be read; anything else is made again. */
function keptAt(path: string): Uint8Array | undefined {
  try {
    return readWhole(path)
  } catch {
    return undefined
  }
}

type Replies = {
  readonly [K in Question['kind']]: (plan: Plan, question: Extract<Question, { kind: K }>) => Answers[K]
}

const REPLIES: Replies = {
  about: ({ db }) => about(db),
  names: ({ db }, { of }) => names(db, of),
  details: ({ db }, { id }) => details(db, id),
  named: ({ db }, { by, name, part }) => pageBy(db, by, name, part),
  range: ({ db }, { from, to, part }) => pageWithin(db, from, to, part),
  search: ({ db }, { words, filter, part }) => search(db, words, filter, part),
  counts: ({ counter }, { group, filter }) => counter.count(group, filter),
}

const reply = (plan: Plan, question: Question): Answers[Question['kind']] =>
  REPLIES[question.kind](plan, question as never)
