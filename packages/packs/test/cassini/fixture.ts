import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Dialect, Result, Server } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import { cassini } from '@causeway/packs/cassini'
import type { CassiniOptions } from '@causeway/packs/cassini'
import { createBuilder } from '../../src/cassini/plan/builder.ts'
import { databases, writeWhole } from '../../src/cassini/plan/files.ts'
import { COLUMNS } from '../../src/cassini/plan/observation.ts'
import type { Fields, Observation } from '../../src/cassini/plan/observation.ts'
import { syntheticRows } from '../../src/cassini/plan/synthetic.ts'

/** A fresh folder; it is gone after the tests. */
export const folder = (): string => mkdtempSync(join(tmpdir(), 'causeway-cassini-'))

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The synthetic plan as these sources make it: made once, kept for the next test, never mistaken for another's. */
async function keptPlan(): Promise<string> {
  const sources = here('../../src/cassini/')
  const hash = createHash('sha256')
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
  for (const name of files.sort()) hash.update(readFileSync(join(sources, name)))
  const kept = here(`../../../../node_modules/.cache/causeway/cassini-${hash.digest('hex').slice(0, 16)}.db`)
  if (existsSync(kept)) return kept
  const builder = await createBuilder()
  for (const row of syntheticRows()) builder.add(row)
  await writeWhole(kept, builder.finish({ synthetic: true, source: 'generated' }).bytes)
  return kept
}

/** A folder that has the synthetic plan already. */
export async function planned(): Promise<string> {
  const data = folder()
  copyFileSync(await keptPlan(), databases(data).synthetic)
  return data
}

/** A folder that has a synthetic plan of these rows. */
export async function plannedFrom(rows: Iterable<Fields>): Promise<string> {
  const data = folder()
  const builder = await createBuilder()
  for (const row of rows) builder.add(row)
  await writeWhole(databases(data).synthetic, builder.finish({ synthetic: true, source: 'generated' }).bytes)
  return data
}

/** A server with nothing but the pack. */
export const serve = (options: CassiniOptions, dialect?: Dialect): Server =>
  createServer({ name: 'cassini-mcp-server', version: '1.0.0', repair: false, ...(dialect && { dialect }) }).add(
    cassini(options),
  )

/** A result of a tool as it is on the wire. */
export interface ToolResult extends Result {
  readonly content: readonly {
    readonly type: string
    readonly text?: string
    readonly resource?: { readonly uri: string; readonly mimeType: string; readonly text: string }
  }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
}

/** Call a tool and see all of the result. */
export const call = async (client: Client, name: string, args: object = {}): Promise<ToolResult> =>
  (await client.request('tools/call', { name, arguments: { ...args } })) as ToolResult

/** What a listing tells. */
export interface Listed {
  readonly count: number
  readonly total: number
  readonly total_hours: number
  readonly offset: number
  readonly limit: number
  readonly observations: readonly Observation[]
  readonly message?: string
  readonly suggestions?: readonly string[]
  readonly matched?: string
  readonly synthetic: boolean
}

/** Call a tool that lists, in the newest revision. */
export const list = async (server: Server, name: string, args: object): Promise<Listed> =>
  (await connect(server).call(name, { ...args })) as Listed

/** Rows as plain objects, numbered from 1: what the database is compared with. */
export const numbered = (rows: Iterable<Fields>): Observation[] =>
  Array.from(rows, (fields, i) => ({
    ...(Object.fromEntries(COLUMNS.map((column, at) => [column, fields[at] ?? ''])) as Omit<Observation, 'id'>),
    id: i + 1,
  }))
