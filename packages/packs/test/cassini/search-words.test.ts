import { expect, test } from 'vitest'
import { readSearch } from '../../src/cassini/database/search-words.ts'

test('words must all be found, or any', () => {
  expect(readSearch('Enceladus plume')).toEqual({
    all: '("Enceladus" AND "plume")',
    any: '("Enceladus" OR "plume")',
    without: '',
  })
})

test('phrases, beginnings and words to leave out', () => {
  expect(readSearch('"ring plane" occult* -titan')).toEqual({
    all: '("ring plane" AND "occult " *)',
    any: '("ring plane" OR "occult " *)',
    without: '"titan"',
  })
  expect(readSearch('-"main rings" scan')?.without).toBe('"main rings"')
})

test('a beginning of less than three letters is a word', () => {
  expect(readSearch('ab*')?.all).toBe('("ab ")')
})

test('words that are everywhere count only when there are no others', () => {
  expect(readSearch('the flyby of Enceladus')?.all).toBe('("flyby" AND "Enceladus")')
  expect(readSearch('of the')?.all).toBe('("of" AND "the")')
  expect(readSearch('"the rings"')?.all).toBe('("the rings")')
})

test('nothing typed is an operator', () => {
  expect(readSearch('title:x OR NOT (a) ^b NEAR')?.all).toBe('("title:x" AND "NOT" AND "(a)" AND "^b" AND "NEAR")')
  expect(readSearch('rings"')?.all).toBe('("rings")')
  expect(readSearch('a\u0000b"')?.all).toBe('("a b")')
})

test('without a letter or digit there is nothing to look for', () => {
  for (const query of ['', '  ', '&', '"', '-', '*', '""']) expect(readSearch(query)).toBeUndefined()
})

test('words to leave out may stand alone', () => {
  expect(readSearch('-titan -"main rings"')).toEqual({ all: '', any: '', without: '"titan" OR "main rings"' })
})
