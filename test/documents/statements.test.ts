import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../support/spawned.ts'
import { documents } from './documents.ts'
import { pending } from './pending.ts'

const NUMBERS = { workstation: 56, basics: 82, cassini: 48, toolkit: 82, threats: 110 }

test('there is a table for each document, and none for another', () => {
  expect(Object.fromEntries(documents.map(({ name, statements }) => [name, statements.length]))).toEqual(NUMBERS)
  expect(Object.keys(NUMBERS)).toEqual(expect.arrayContaining(Object.keys(pending)))
})

describe.each(documents)('$name', ({ name, statements, rows }) => {
  const titles = rows.map(({ title }) => title)
  const proofs = statements.map(({ proof }) => proof)
  const named = proofs.flatMap(proof => ('titles' in proof ? proof.titles : []))

  test('no two rows have one title, and every row proves a statement', () => {
    expect(titles).toEqual([...new Set(titles)])
    expect(titles.filter(title => !named.includes(title))).toEqual([])
  })

  test('every row that a statement names is there', () => {
    expect(named.filter(title => !titles.includes(title))).toEqual([])
    expect(proofs.filter(proof => 'titles' in proof && proof.titles.length === 0)).toEqual([])
  })

  test('every test that a statement names is there', () => {
    const missing = proofs.filter(
      proof =>
        proof.kind === 'tested' &&
        !(existsSync(ROOT + proof.file) && readFileSync(ROOT + proof.file, 'utf8').includes(proof.title)),
    )
    expect(missing).toEqual([])
  })

  test('what is pending can be played, and nothing else rests on its rows', () => {
    for (const number of Object.keys(pending[name] ?? {}).map(Number)) {
      const proof = statements[number - 1]?.proof
      expect(['rows', 'check'], `statement ${number}`).toContain(proof?.kind)
      const own = proof?.kind === 'rows' ? proof.titles : []
      const shared = proofs.flatMap(other => (other !== proof && 'titles' in other ? other.titles : []))
      expect(own.filter(title => shared.includes(title))).toEqual([])
    }
  })
})
