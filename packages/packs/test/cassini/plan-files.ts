import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importPlan } from '@causeway/packs/cassini'
import type { ImportOptions, Imported } from '@causeway/packs/cassini'
import { COLUMNS } from '../../src/cassini/plan/observation.ts'
import type { Fields } from '../../src/cassini/plan/observation.ts'
import { folder } from './fixture.ts'

/** The first line of a plan. */
export const HEADER: string = COLUMNS.join(',')

/** A file in a folder of its own. */
export function csv(content: string | Uint8Array): { data: string; file: string } {
  const data = folder()
  const file = join(data, 'plan.csv')
  writeFileSync(file, content)
  return { data, file }
}

/** Imports a file of that content. */
export const load = async (
  content: string | Uint8Array,
  options: ImportOptions = {},
): Promise<Imported & { data: string }> => {
  const { data, file } = csv(content)
  return { ...(await importPlan(file, { data, ...options })), data }
}

/** A row as a line of a file. */
export const quoted = (row: Fields): string => row.map(field => `"${field.replaceAll('"', '""')}"`).join(',')

const WORDS = (['library_definition', 'title', 'description'] as const).map(column => COLUMNS.indexOf(column))

/** A row in other words. */
export const disguised = (row: Fields): Fields => row.map((field, i) => (WORDS.includes(i) ? 'invented' : field))
