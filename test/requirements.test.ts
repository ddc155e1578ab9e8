import { expect, test } from 'vitest'
import { requirements } from './requirements.ts'
import { isTest, read, repoFiles } from './rules/repo.ts'

/** Titles begin with what they cite: a quote, then one or more ids in brackets. */
function citedIn(text: string): string[] {
  const titles = text.match(/['"`](?:\[S-[A-Z]+-\d+\]\s*)+/g) ?? []
  return titles.flatMap(title => title.match(/S-[A-Z]+-\d+/g) ?? [])
}

test('every requirement is cited by a test', () => {
  const cited = new Set(
    repoFiles()
      .filter(isTest)
      .flatMap(path => citedIn(read(path))),
  )
  expect(requirements.filter(({ id }) => !cited.has(id)).map(({ id, rule }) => `${id} ${rule}`)).toEqual([])
})

test('a requirement stands in the table once, with words and a link', () => {
  const ids = requirements.map(({ id }) => id)
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
  for (const { id, rule, link } of requirements) {
    expect(id).toMatch(/^S-[A-Z]+-\d\d$/)
    expect(rule).toMatch(/^\S.+\.$/)
    expect(URL.canParse(link), link).toBe(true)
  }
})

test('self-test: only titles cite', () => {
  const quote = "'"
  expect(citedIn(`test(${quote}[S-AA-01] [S-BB-02] words [S-CC-03]', () => {}) // [S-DD-04]`)).toEqual([
    'S-AA-01',
    'S-BB-02',
  ])
  expect(citedIn('describe.each(all)(`[S-AA-01] ${name}`, () => {})')).toEqual(['S-AA-01'])
})
