import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { flagTable, toolTable } from './tables.ts'

const file = new URL('../../README.md', import.meta.url)

/** Compare a marked section of the README with what the code says; `npm run docs` rewrites it. */
function checkSection(name: string, table: string): void {
  const readme = readFileSync(file, 'utf8')
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const start = readme.indexOf(open) + open.length
  const end = readme.indexOf(close)
  expect(end, `the README has no section ${name}`).toBeGreaterThan(start)
  const section = `\n${table}\n`
  if (process.env.UPDATE_DOCS) writeFileSync(file, readme.slice(0, start) + section + readme.slice(end))
  else expect(readme.slice(start, end), 'run: npm run docs').toBe(section)
}

test('the README lists the tools as they are', async () => checkSection('tools', await toolTable()))

test('the README lists the flags as they are', () => checkSection('flags', flagTable()))

test('self-test: a stale table is noticed', () => {
  if (!process.env.UPDATE_DOCS) expect(() => checkSection('flags', `${flagTable()}\n| stale |`)).toThrow(/npm run docs/)
})
