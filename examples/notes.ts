// Notes in SQLite, with full-text search. The schema grows by migrations, and each change is on disk before the call returns.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import sqlite from '@sqlite.org/sqlite-wasm'
import { createServer, tool } from '@causeway/engine'
import type { Server } from '@causeway/engine'

/** Each one is run once, in this order. What was published is never changed: add another one. */
const MIGRATIONS = [
  'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL, made TEXT NOT NULL)',
  "CREATE VIRTUAL TABLE words USING fts5(text, content='notes', content_rowid='id')",
]

const library = await sqlite()

/** A server for the notes in a file; without one they are in memory. */
export function notes(file?: string): Server {
  const { capi, oo1 } = library
  const db = new oo1.DB(':memory:')
  if (file !== undefined && existsSync(file)) {
    const bytes = Uint8Array.from(readFileSync(file))
    const pointer = library.wasm.allocFromTypedArray(bytes)
    const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE
    db.checkRc(capi.sqlite3_deserialize(db.pointer ?? 0, 'main', pointer, bytes.length, bytes.length, flags))
  }
  const save = (): void => {
    if (file === undefined) return
    writeFileSync(`${file}.new`, capi.sqlite3_js_db_export(db.pointer ?? 0))
    renameSync(`${file}.new`, file)
  }
  const done = Number(db.selectValue('PRAGMA user_version'))
  db.transaction(() => {
    for (const migration of MIGRATIONS.slice(done)) db.exec(migration)
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
  })
  save()

  const add = tool(
    {
      name: 'add_note',
      description: 'Keeps a note',
      input: {
        type: 'object',
        properties: { text: { type: 'string', minLength: 1, maxLength: 10_000, description: 'What to keep' } },
        required: ['text'],
        additionalProperties: false,
      },
    },
    ({ text }) => {
      const id = db.transaction(() => {
        // Values are bound, and never part of the SQL.
        db.exec('INSERT INTO notes (text, made) VALUES (?, ?)', { bind: [text, new Date().toISOString()] })
        const row = Number(db.selectValue('SELECT last_insert_rowid()'))
        db.exec('INSERT INTO words (rowid, text) VALUES (?, ?)', { bind: [row, text] })
        return row
      })
      save()
      return { id }
    },
  )
  const find = tool(
    {
      name: 'find_notes',
      description: 'Finds notes by their words, the best first',
      readOnly: true,
      input: {
        type: 'object',
        properties: {
          words: { type: 'string', minLength: 1, maxLength: 200, description: 'Words that the note has' },
          limit: { type: 'integer', minimum: 1, maximum: 50, default: 10, description: 'At most so many notes' },
        },
        required: ['words'],
        additionalProperties: false,
      },
    },
    ({ words, limit }) => {
      // Quoted, a word is a word, and not an operator of the search.
      const query = words
        .split(/\s+/)
        .map(word => `"${word.replaceAll('"', '""')}"`)
        .join(' ')
      const sql =
        'SELECT id, notes.text, made FROM words JOIN notes ON id = words.rowid WHERE words MATCH ? ORDER BY rank LIMIT ?'
      return { notes: db.selectObjects(sql, [query, limit]) }
    },
  )
  return createServer({ name: 'notes', version: '1.0.0', log: false }).add(add, find)
}
