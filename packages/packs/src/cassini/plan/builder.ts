import { FORMAT } from './files.ts'
import { NAME_KINDS } from '../database/names.ts'
import type { NameKind } from '../database/names.ts'
import { COLUMNS } from './observation.ts'
import type { Column, Fields } from './observation.ts'
import { FACETS } from '../database/search.ts'
import type { Provenance } from './provenance.ts'
import { loadSqlite } from '../database/sqlite.ts'
import type { Sqlite } from '../database/sqlite.ts'
import { durationSeconds } from './time.ts'

const BUFFER = 1 << 20

// `seconds` is the duration, `elapsed` the sum of all durations up to the row: the sum of a range is a difference of two.
const TABLES = `
  PRAGMA page_size = 8192;
  PRAGMA journal_mode = OFF;
  PRAGMA user_version = ${FORMAT};
  CREATE TABLE about(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE name(kind TEXT, name TEXT, count INTEGER, seconds INTEGER, first TEXT, last TEXT, PRIMARY KEY(kind, name))
    WITHOUT ROWID;
  CREATE TABLE observation(id INTEGER PRIMARY KEY, ${COLUMNS.map(column => `${column} TEXT NOT NULL`).join(', ')},
    seconds INTEGER NOT NULL, elapsed INTEGER NOT NULL);
  BEGIN;`

// Durations stand by themselves too: those of many matches are added up without reading whole observations.
// Words are indexed by their stem, so that flybys finds flyby; the text itself stays in the table. With the whole index
// gathered in memory first it is written once instead of being merged from many parts.
const INDEXES = `
  CREATE TABLE length(id INTEGER PRIMARY KEY, seconds INTEGER NOT NULL);
  INSERT INTO length SELECT id, seconds FROM observation;
  COMMIT;
  CREATE INDEX by_time ON observation(start_time_utc);
  CREATE INDEX by_team ON observation(team);
  CREATE INDEX by_target ON observation(target);
  CREATE INDEX by_type ON observation(spass_type);
  CREATE VIEW text AS SELECT id, title, description, request_name, ${FACETS} AS facet FROM observation;
  CREATE VIRTUAL TABLE word USING fts5(
    title, description, request_name, facet, content = 'text', content_rowid = 'id', tokenize = 'porter unicode61');
  INSERT INTO word(word, rank) VALUES ('hashsize', ${64 << 20});
  INSERT INTO word(word) VALUES ('rebuild');
  INSERT INTO word(word) VALUES ('optimize');`

interface Tally {
  count: number
  seconds: number
  first: string
  last: string
}

/** Where rows are from; not from the public plan, if it does not say so. */
type Origin = Pick<Provenance, 'synthetic' | 'source'> & Partial<Pick<Provenance, 'isPublicPlan'>>

/** A database being made: rows go in, the bytes of a file come out. */
export interface Builder {
  readonly count: number
  add(fields: Fields): void
  /** The finished file, and what it says of itself. */
  finish(origin: Origin): { readonly bytes: Uint8Array; readonly about: Provenance }
}

/** Start a database. */
export async function createBuilder(): Promise<Builder> {
  const sqlite = await loadSqlite()
  const db = new sqlite.oo1.DB(':memory:')
  db.exec(TABLES)
  const insert = inserter(sqlite, db.prepare(`INSERT INTO observation VALUES (?${', ?'.repeat(COLUMNS.length + 2)})`))
  const names = tallies()
  let count = 0
  let latest = ''
  let ordered = true
  return {
    get count() {
      return count
    },
    add(fields) {
      insert.add(++count, fields)
      names.add(fields)
      ordered &&= start(fields) >= latest
      latest = start(fields)
    },
    finish({ isPublicPlan = false, ...origin }) {
      insert.end()
      const about = { ...origin, isPublicPlan, rows: count, ...names.about() }
      const kept = Array.from({ length: 6 }, (_, i) => `value ->> ${i}`).join(', ')
      db.exec(`INSERT INTO name SELECT ${kept} FROM json_each(?)`, { bind: [JSON.stringify(names.list())] })
      for (const [name, value] of Object.entries({ ...about, ordered })) {
        db.exec('INSERT INTO about VALUES (?, ?)', { bind: [name, String(value)] })
      }
      db.exec(INDEXES)
      const bytes = sqlite.capi.sqlite3_js_db_export(db)
      db.close()
      return { bytes, about }
    },
  }
}

interface Statement {
  readonly pointer?: unknown
  finalize(): unknown
}

/** The raw functions of SQLite's: binding through the wrapper takes five times as long. */
interface Raw {
  sqlite3_bind_int(statement: unknown, at: number, value: number): number
  sqlite3_bind_double(statement: unknown, at: number, value: number): number
  sqlite3_bind_text(statement: unknown, at: number, pointer: number, bytes: number, destructor: number): number
  sqlite3_step(statement: unknown): number
  sqlite3_reset(statement: unknown): number
}

function inserter(
  { wasm, capi }: Sqlite,
  statement: Statement,
): { add: (id: number, fields: Fields) => void; end: () => void } {
  const raw = wasm.exports as Raw
  const { pointer } = statement
  const buffer = wasm.alloc(BUFFER)
  let elapsed = 0
  return {
    add(id, fields) {
      raw.sqlite3_bind_int(pointer, 1, id)
      const sizes = place(fields, wasm.heap8u().subarray(buffer, buffer + BUFFER))
      let at = buffer
      for (let i = 0; i < COLUMNS.length; i++) {
        const size = sizes[i] ?? 0
        raw.sqlite3_bind_text(pointer, i + 2, at, size, 0)
        at += size
      }
      const seconds = durationSeconds(duration(fields))
      raw.sqlite3_bind_double(pointer, COLUMNS.length + 2, seconds)
      raw.sqlite3_bind_double(pointer, COLUMNS.length + 3, (elapsed += seconds))
      const code = raw.sqlite3_step(pointer)
      raw.sqlite3_reset(pointer)
      if (code !== capi.SQLITE_DONE) throw new Error(`SQLite refused row ${id} with code ${code}`)
    },
    end() {
      statement.finalize()
      wasm.dealloc(buffer)
    },
  }
}

const encoder = new TextEncoder()

/** Puts the fields one behind the other, and tells how many bytes each takes. */
function place(fields: Fields, room: Uint8Array): number[] {
  const whole = fields.join('')
  const { read, written } = encoder.encodeInto(whole, room)
  if (read < whole.length) throw new RangeError(`A row may not be larger than ${BUFFER} bytes`)
  // Letters of one byte each, as most rows have, are as many as their bytes.
  return fields.map(field => (written === whole.length ? field.length : Buffer.byteLength(field)))
}

const column =
  (name: Column) =>
  (fields: Fields): string =>
    fields[COLUMNS.indexOf(name)] ?? ''

const start = column('start_time_utc')
const duration = column('duration')

/** What is counted while the rows pass by. */
const NAMED: Readonly<Record<NameKind, (fields: Fields) => string>> = {
  team: column('team'),
  target: column('target'),
  spass_type: column('spass_type'),
}

interface Tallies {
  add(fields: Fields): void
  /** Kind, name, count, seconds, first and last of each. */
  list(): readonly (readonly (string | number)[])[]
  about(): Pick<Provenance, 'first' | 'last'>
}

function tallies(): Tallies {
  const kinds = NAME_KINDS.map(kind => ({ kind, nameOf: NAMED[kind], names: new Map<string, Tally>() }))
  return {
    add(fields) {
      const tally = { count: 1, seconds: durationSeconds(duration(fields)), first: start(fields), last: start(fields) }
      for (const { nameOf, names } of kinds) addTo(names, nameOf(fields), tally)
    },
    list: () =>
      kinds.flatMap(({ kind, names }) =>
        Array.from(names, ([name, { count, seconds, first, last }]) => [kind, name, count, seconds, first, last]),
      ),
    about() {
      const all = Array.from(kinds[0]?.names.values() ?? [])
      return {
        first: all.map(({ first }) => first).sort()[0] ?? '',
        last:
          all
            .map(({ last }) => last)
            .sort()
            .at(-1) ?? '',
      }
    },
  }
}

function addTo(names: Map<string, Tally>, name: string, { count, seconds, first }: Tally): void {
  const tally = names.get(name)
  if (!tally) return void names.set(name, { count, seconds, first, last: first })
  tally.count += count
  tally.seconds += seconds
  if (first < tally.first) tally.first = first
  if (first > tally.last) tally.last = first
}
