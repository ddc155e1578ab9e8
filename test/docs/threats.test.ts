import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { retrievalTable } from './threats.ts'

const file = new URL('../../docs/packs/threats.md', import.meta.url)
const SECTION = /(?<=<!-- retrieval -->\n)[\s\S]*(?=\n<!-- \/retrieval -->)/

test('the page on threats shows how well contexts find their patterns', async () => {
  const table = await retrievalTable()
  // `npm run docs` writes the table before it is compared.
  if (process.env.UPDATE_DOCS)
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(SECTION, () => table),
    )
  expect(SECTION.exec(readFileSync(file, 'utf8'))?.[0], 'run: npm run docs').toBe(table)
})
