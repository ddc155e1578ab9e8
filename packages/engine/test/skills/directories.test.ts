import { expect, test } from 'vitest'
import type { Entry } from '../../src/catalog/shelf.ts'
import { directoryAt } from '../../src/skills/directories.ts'

const entry = (uri: string, ...files: string[]): Entry => {
  const resources = [uri, ...files].map(file => ({ uri: file, digest: '', size: 1 }))
  return { key: uri, info: { uri, frontmatter: { name: 'n', description: 'd' }, resources }, run: () => ({}) }
}
const urisAt = (skills: readonly Entry[], uri: string): unknown => directoryAt(skills, uri)?.map(({ key }) => key)

test('a directory has what is right below it, of all skills', () => {
  const skills = [
    entry('skill://a/b/SKILL.md', 'skill://a/b/x/y/z.md', 'skill://a/b/c/SKILL.md'),
    entry('skill://a/b/c/SKILL.md'),
    entry('skill://a/bb/SKILL.md'),
  ]
  expect(urisAt(skills, 'skill://a')).toEqual(['skill://a/b', 'skill://a/bb'])
  expect(urisAt(skills, 'skill://a/b')).toEqual(['skill://a/b/SKILL.md', 'skill://a/b/x', 'skill://a/b/c'])
  expect(urisAt(skills, 'skill://a/b/x/y')).toEqual(['skill://a/b/x/y/z.md'])
  expect(directoryAt(skills, 'skill://a/b/c')).toMatchObject([{ info: { name: 'n', description: 'd' } }])
  for (const none of ['skill://', 'skill:/', 'skill:', 'skill://a/', 'skill://a/b/SKILL.md', 'skill://a/b/x/', ''])
    expect(directoryAt(skills, none)).toBeUndefined()
})

test('a name in which something cannot be seen stays encoded', () => {
  const skills = [entry('skill://a/SKILL.md', 'skill://a/x%1B%E2%80%AE.md', 'skill://a/b%20c.md')]
  const names = directoryAt(skills, 'skill://a')?.map(({ info }) => info.name)
  expect(names).toEqual(['n', 'x%1B%E2%80%AE.md', 'b c.md'])
})

test('of a large list only what is asked for is made', () => {
  // All directories of these together would be 40 million.
  const deep = 'd/'.repeat(2000)
  const skills = Array.from({ length: 20_000 }, (_, i) => entry(`skill://s${i}/SKILL.md`, `skill://s${i}/${deep}f`))
  expect(urisAt(skills, 'skill://s7')).toEqual(['skill://s7/SKILL.md', 'skill://s7/d'])
})
