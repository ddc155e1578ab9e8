import type { PreparedStatement, Sqlite3Static } from '@sqlite.org/sqlite-wasm'

/** SQLite compiled to WebAssembly. */
export type Sqlite = Sqlite3Static
/** What may stand for a parameter. */
export type Value = string | number

type Init = (options: { print: () => void; printErr: () => void }) => Promise<Sqlite3Static>

let loading: Promise<Sqlite> | undefined

/** SQLite, loaded once; its binary lies beside the module it is bundled into. */
export function loadSqlite(): Promise<Sqlite> {
  loading ??= import('@sqlite.org/sqlite-wasm').then(({ default: init }) => {
    // What it has to say is thrown as well; on our streams it would stand between messages and log lines.
    const mute = (): void => {}
    const config = { log: mute, debug: mute, warn: mute, error: mute }
    Object.assign(globalThis, { sqlite3ApiConfig: config })
    return (init as unknown as Init)({ print: mute, printErr: mute })
  })
  return loading
}

/** A database in memory that is only read; its statements are kept. */
export class Database {
  readonly #db: InstanceType<Sqlite['oo1']['DB']>
  readonly #statements = new Map<string, PreparedStatement>()

  /** Open the bytes of a database file; `isStopped` is asked now and then while a query runs, and ends it. */
  constructor(sqlite: Sqlite, bytes: Uint8Array, isStopped: () => boolean) {
    const { capi, oo1, wasm } = sqlite
    this.#db = new oo1.DB(':memory:')
    const data = wasm.allocFromTypedArray(bytes)
    const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_READONLY
    const code = capi.sqlite3_deserialize(this.#db, 'main', data, bytes.length, bytes.length, flags)
    this.#db.checkRc(code)
    capi.sqlite3_progress_handler(this.#db, 20_000, () => (isStopped() ? 1 : 0), 0)
  }

  /** The rows of a query, each a list of values. */
  rows(sql: string, parameters: readonly Value[] = []): unknown[][] {
    const statement = this.#statement(sql)
    const rows: unknown[][] = []
    try {
      if (parameters.length > 0) statement.bind([...parameters])
      while (statement.step()) rows.push(statement.get([]))
      return rows
    } finally {
      statement.reset()
    }
  }

  /** The first value of the first row. */
  value(sql: string, parameters: readonly Value[] = []): unknown {
    return this.rows(sql, parameters)[0]?.[0]
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize()
    this.#db.close()
  }

  #statement(sql: string): PreparedStatement {
    const kept = this.#statements.get(sql) ?? this.#db.prepare(sql)
    this.#statements.set(sql, kept)
    return kept
  }
}
