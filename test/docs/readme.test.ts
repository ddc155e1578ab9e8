import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { configSchema } from './config-schema.ts'
import { flagTable, toolTable } from './tables.ts'

const file = new URL('../../README.md', import.meta.url)
const schemaFile = new URL('../../packages/cli/config.schema.json', import.meta.url)
const STALE = 'run: npm run docs'

/** Where a marked section of the README begins and ends. */
function placeOf(name: string, readme: string): [number, number] {
  const open = `<!-- ${name} -->\n`
  return [readme.indexOf(open) + open.length, readme.indexOf(`\n<!-- /${name} -->`)]
}

const sectionOf = (name: string): string => {
  const readme = readFileSync(file, 'utf8')
  return readme.slice(...placeOf(name, readme))
}

// `npm run docs` writes the tables before they are compared.
beforeAll(async () => {
  if (!process.env.UPDATE_DOCS) return
  writeFileSync(schemaFile, configSchema())
  for (const [name, table] of [['tools', await toolTable()] as const, ['flags', flagTable()] as const]) {
    const readme = readFileSync(file, 'utf8')
    const [start, end] = placeOf(name, readme)
    writeFileSync(file, readme.slice(0, start) + table + readme.slice(end))
  }
})

test('the README lists the tools as they are', async () => {
  expect(sectionOf('tools'), STALE).toBe(await toolTable())
})

test('the README lists the flags as they are', () => {
  expect(sectionOf('flags'), STALE).toBe(flagTable())
})

test('the schema of the configuration file has the flags as they are', () => {
  expect(JSON.parse(readFileSync(schemaFile, 'utf8')), STALE).toEqual(JSON.parse(configSchema()))
})
