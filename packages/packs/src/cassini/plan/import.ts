import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import papaparse from 'papaparse'
import { createBuilder } from './builder.ts'
import type { Builder } from './builder.ts'
import { PlanError, databases, writeWhole } from './files.ts'
import { shorten } from '../database/names.ts'
import { COLUMNS } from './observation.ts'
import type { Column, Fields } from './observation.ts'
import type { Provenance } from './provenance.ts'
import { readMoment } from './time.ts'

/** A row that cannot be imported, and why. */
export interface BadRow {
  readonly line: number
  readonly problem: string
}

/** What came of an import; without `file` nothing was written. */
export interface Imported {
  readonly rows: number
  readonly bad: readonly BadRow[]
  readonly file: string | undefined
  /** What was imported: from which file, how many rows, which range, and whether they have the totals of the public plan. */
  readonly about?: Provenance
}

/** How to import. */
export interface ImportOptions {
  /** The folder with the databases; default: the platform's folder for data. */
  readonly data?: string | undefined
  /** Leave out the rows that cannot be read, instead of refusing the file. */
  readonly lenient?: boolean
  /** How much is done, from 0 to 1. */
  readonly onProgress?: (done: number, doing: string) => void
}

/** Reading takes about half of the time, the indexes the rest. */
const READ = 0.5

/** Load the public master plan from a CSV file; the database changes at the very end, all at once. */
export async function importPlan(path: string, options: ImportOptions = {}): Promise<Imported> {
  const { data, lenient = false, onProgress = () => {} } = options
  const text = decode(await readFile(path))
  onProgress(0, 'reading')
  const builder = await createBuilder()
  const bad = readRows(text, builder, done => onProgress(done * READ, 'reading'))
  if (bad.length > 0 && !lenient) return { rows: builder.count, bad, file: undefined }
  if (builder.count === 0) throw new PlanError('There is no observation in the file')
  onProgress(READ, 'indexing')
  const { bytes, about } = builder.finish({ synthetic: false, source: nameOf(path) })
  onProgress(0.95, 'writing')
  const { imported: file } = databases(data)
  await writeWhole(file, bytes)
  return { rows: builder.count, bad, file, about }
}

/** The file's name as results repeat it. */
const nameOf = (path: string): string => shorten(basename(path).replaceAll(/\p{Cc}/gu, ' '))

/** Text in UTF-8 or, failing that, in the encoding of old spreadsheets; without a mark at the start, lines ending alike. */
function decode(bytes: Uint8Array): string {
  const text = decoded(bytes)
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Adds every good row; tells the others. */
function readRows(text: string, builder: Builder, onProgress: (done: number) => void): BadRow[] {
  const reader = createReader(text, builder)
  let reportedAt = 0
  while (reader.at < text.length) {
    const from = reader.at
    papaparse.parse<string[]>(text.slice(from), {
      delimiter: ',',
      newline: '\n',
      step({ data, errors, meta }, parser) {
        if (!reader.take(data, errors[0]?.code, from + meta.cursor)) parser.abort()
        if (reader.at - reportedAt > text.length / 100) onProgress((reportedAt = reader.at) / text.length)
      },
    })
  }
  if (!reader.hasHeader) throw new PlanError('The file is empty')
  return reader.bad
}

interface Reader {
  readonly at: number
  readonly bad: BadRow[]
  readonly hasHeader: boolean
  /** Take a record that ends there; false: its quotes are wrong, go on from `at`. */
  take(record: Fields, wrong: string | undefined, end: number): boolean
}

function createReader(text: string, builder: Builder): Reader {
  const bad: BadRow[] = []
  let at = 0
  let line = 1
  let order: readonly number[] | undefined
  return {
    bad,
    get at() {
      return at
    },
    get hasHeader() {
      return order !== undefined
    },
    take(record, wrong, end) {
      const first = line
      if (wrong !== undefined) {
        // A stray quote would take the lines after it along: go on with the next one.
        bad.push({ line: line++, problem: WRONG_QUOTES[wrong] ?? 'a quote stands where none may be' })
        at = text.indexOf('\n', at) + 1 || text.length
        return false
      }
      at = end
      line += linesOf(record)
      if (!order) order = columnOrder(record)
      else if (record.length > 1 || record[0]?.trim()) {
        const fields = order.map(i => (record[i] ?? '').trim())
        const problem = problemOf(fields, record.length)
        if (problem === undefined) builder.add(fields)
        else bad.push({ line: first, problem })
      }
      return true
    },
  }
}

const WRONG_QUOTES: Readonly<Record<string, string>> = { MissingQuotes: 'a quote is opened and never closed' }

/** A record has as many lines as its fields have line ends, and one more. */
const linesOf = (fields: Fields): number =>
  fields.reduce((lines, field) => lines + (field.includes('\n') ? field.split('\n').length - 1 : 0), 1)

/** Where each column of ours stands in the file. */
function columnOrder(header: Fields): readonly number[] {
  const names = header.map(name => name.trim().toLowerCase())
  const missing = COLUMNS.filter(column => !names.includes(column))
  if (missing.length === 0 && names.length === COLUMNS.length) return COLUMNS.map(column => names.indexOf(column))
  const why =
    missing.length > 0 ? `${missing.join(', ')} missing` : `${names.length} columns instead of ${COLUMNS.length}`
  throw new PlanError(`The first line must be the header ${COLUMNS.join(',')}: ${why}`)
}

const START = /^\d{4}-\d{3}T\d{2}:\d{2}:\d{2}$/
const DURATION = /^(?:\d{3}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)?$/
// Only the shape: the plan itself has a 29-Feb-14. start_time_utc alone says when an observation starts.
const DATE = /^(?:\d{1,2}-[a-z]{3}-\d{2})?$/i

const RULES: Readonly<Partial<Record<Column, (value: string) => string | undefined>>> = {
  start_time_utc: wrongStart,
  duration: value => (DURATION.test(value) ? undefined : 'must be DDDTHH:MM:SS'),
  date: value => (DATE.test(value) ? undefined : 'must be D-Mon-YY'),
  team: value => (value === '' ? 'must not be empty' : undefined),
  target: value => (value === '' ? 'must not be empty' : undefined),
}

function wrongStart(value: string): string | undefined {
  if (!START.test(value)) return 'must be YYYY-DDDTHH:MM:SS'
  const read = readMoment(value)
  return 'wrong' in read ? read.wrong : undefined
}

/** The first thing wrong with a row. */
function problemOf(fields: Fields, given: number): string | undefined {
  if (given !== COLUMNS.length) return `${given} fields instead of ${COLUMNS.length}`
  for (const [i, column] of COLUMNS.entries()) {
    const value = fields[i] ?? ''
    const wrong = RULES[column]?.(value)
    if (wrong !== undefined) return `${column} ${wrong}, got ${show(value)}`
  }
  return undefined
}

const show = (value: string): string => `'${value.length > 60 ? `${value.slice(0, 60)}…` : value}'`
