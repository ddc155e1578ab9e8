import { statSync } from 'node:fs'
import { createBuilder } from '../plan/builder.ts'
import { createCounter } from './counter.ts'
import type { Counter, Group } from './counter.ts'
import { PlanError, databases, readWhole, writeWhole } from '../plan/files.ts'
import type { Filter, Observation } from '../plan/observation.ts'
import { NAME_KINDS, resolveName } from './names.ts'
import type { NameKind } from './names.ts'
import type { Provenance } from '../plan/provenance.ts'
import { about, around, details, names, page } from './queries.ts'
import type { Listed, Name, Page } from './queries.ts'
import { search } from './search.ts'
import type { FoundPage } from './search.ts'
import type { Search } from './search-words.ts'
import { Database, loadSqlite } from './sqlite.ts'
import { syntheticRows } from '../plan/synthetic.ts'

/** What can be asked of the database, in data that crosses threads. */
export type Question =
  | { readonly kind: 'about' }
  | { readonly kind: 'names'; readonly of: NameKind }
  | { readonly kind: 'details'; readonly id: number }
  | { readonly kind: 'list'; readonly filter: Filter; readonly part: Listed }
  | {
      readonly kind: 'search'
      readonly words: Search | undefined
      readonly filter: Filter
      readonly part: Listed
    }
  | { readonly kind: 'counts'; readonly group: Group; readonly filter: Filter }
  | { readonly kind: 'around'; readonly filter: Filter }

/** An answer to a question with a filter: with the names of the plan that were meant. */
export type Filtered<T> = T & { readonly filter: Filter }

/** What comes back for each kind of question. */
export interface Answers {
  readonly about: Provenance
  readonly names: readonly Name[]
  readonly details: Observation | undefined
  readonly list: Filtered<Page>
  readonly search: Filtered<FoundPage>
  readonly counts: Filtered<{ readonly groups: string }>
  readonly around: readonly (string | undefined)[]
}

/** An answer, and where its data is from. */
export interface Answer<T> {
  readonly about: Provenance
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
  readonly about: Provenance
  /** The names of the plan, as they are written there. */
  readonly names: Readonly<Record<NameKind, readonly string[]>>
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
        return { answer: { about: plan.about, value: reply(plan, question) } }
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
  const namesOf = (kind: NameKind): string[] => names(db, kind).map(({ name }) => name)
  return {
    db,
    counter: createCounter(db),
    about: about(db),
    names: { team: namesOf('team'), target: namesOf('target'), spass_type: namesOf('spass_type') },
  }
}

/** The made-up plan: as it was kept, or made now and kept for the next time. */
async function synthetic(path: string): Promise<Uint8Array> {
  const kept = keptAt(path)
  if (kept) return kept
  const builder = await createBuilder()
  for (const row of syntheticRows()) builder.add(row)
  const { bytes } = builder.finish({ synthetic: true, source: 'generated' })
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
  about: plan => plan.about,
  names: ({ db }, { of }) => names(db, of),
  details: ({ db }, { id }) => details(db, id),
  list: (plan, { filter, part }) => filtered(plan, filter, read => page(plan.db, read, part)),
  search: (plan, { words, filter, part }) => filtered(plan, filter, read => search(plan.db, words, read, part)),
  counts: (plan, { group, filter }) => filtered(plan, filter, read => ({ groups: plan.counter.count(group, read) })),
  around: ({ db }, { filter }) => around(db, filter),
}

/** Answers with the names of the plan that are meant; a name that means none stays as it is, and finds nothing. */
function filtered<T>(plan: Plan, written: Filter, answer: (read: Filter) => T): Filtered<T> {
  const meant = NAME_KINDS.flatMap(kind => {
    const name = written[kind]
    return name === undefined ? [] : [[kind, resolveName(kind, name, plan.names[kind]) ?? name] as const]
  })
  const filter: Filter = { ...written, ...Object.fromEntries(meant) }
  return { ...answer(filter), filter }
}

const reply = (plan: Plan, question: Question): Answers[Question['kind']] =>
  REPLIES[question.kind](plan, question as never)
