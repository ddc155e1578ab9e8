import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { differences, documentsPage } from './differences.ts'

const file = new URL('../../docs/documents.md', import.meta.url)

beforeAll(() => {
  if (process.env.UPDATE_DOCS) writeFileSync(file, documentsPage())
})

test('the page about the documents is what the tables say', () => {
  expect(readFileSync(file, 'utf8'), 'run: npm run docs').toBe(documentsPage())
})

test('no more than twenty statements differ on purpose, each with a reason', () => {
  expect(differences().length).toBeLessThanOrEqual(20)
  expect(differences().filter(({ why }) => why.length < 20)).toEqual([])
})
