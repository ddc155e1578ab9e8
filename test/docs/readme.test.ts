import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { clientTable } from './clients.ts'
import { configSchema } from './config-schema.ts'
import { evaluationTable, tokenTable } from './context.ts'
import { exitTable, kindTable } from './errors.ts'
import { sectionOf, writeSection } from './sections.ts'
import { flagTable, groupTable, toolTables } from './tables.ts'

const schemaFile = new URL('../../packages/cli/config.schema.json', import.meta.url)
const STALE = 'run: npm run docs'

/** What is generated: the page, the section in it, and what belongs there. */
const SECTIONS = [
  { file: 'README.md', name: 'tools', make: groupTable },
  { file: 'README.md', name: 'clients', make: clientTable },
  { file: 'README.md', name: 'flags', make: flagTable },
  { file: 'docs/tools.md', name: 'tools', make: toolTables },
  { file: 'docs/context.md', name: 'tokens', make: tokenTable },
  { file: 'docs/errors.md', name: 'kinds', make: kindTable },
  { file: 'docs/errors.md', name: 'exit-codes', make: exitTable },
  { file: 'docs/context.md', name: 'evaluation', make: evaluationTable },
] as const

// `npm run docs` writes the tables before they are compared.
beforeAll(async () => {
  if (!process.env.UPDATE_DOCS) return
  writeFileSync(schemaFile, configSchema())
  for (const { file, name, make } of SECTIONS) writeSection(file, name, await make())
}, 120_000)

test.each(SECTIONS)('$file has its $name as they are', async ({ file, name, make }) => {
  expect(sectionOf(file, name), STALE).toBe(await make())
})

test('the schema of the configuration file has the flags as they are', () => {
  expect(JSON.parse(readFileSync(schemaFile, 'utf8')), STALE).toEqual(JSON.parse(configSchema()))
})
