import { expect, test } from 'vitest'
import { SkillNames } from '../../src/skills/skill-names.ts'

const named = (servers: Record<string, readonly string[]>): SkillNames => {
  const names = new SkillNames()
  for (const [server, roots] of Object.entries(servers))
    names.set(
      server,
      roots.map(root => `skill://${root}`),
    )
  return names
}

test('what nobody else has stays as it is, and so does what only begins alike', () => {
  const names = named({ one: ['a', 'a/b', 'x/y'], two: ['a-b', 'a b', 'x/z', 'ab'] })
  for (const [server, uri] of [
    ['one', 'skill://a/b/SKILL.md'],
    ['two', 'skill://a-b/SKILL.md'],
    ['one', 'skill://x/y/SKILL.md'],
    ['two', 'skill://x/z/SKILL.md'],
  ] as const) {
    expect(names.shown(server, uri)).toBe(uri)
    expect(names.find(uri)).toEqual({ server, uri })
  }
  expect(names.find('skill://x')).toBeUndefined()
})

test('folders in each other get the names of their servers, those in them too', () => {
  const names = named({ one: ['a', 'a/b/c'], two: ['a/b'], three: ['z'] })
  expect(names.shown('one', 'skill://a/b/c/SKILL.md')).toBe('skill://one/a/b/c/SKILL.md')
  expect(names.shown('two', 'skill://a/b/SKILL.md')).toBe('skill://two/a/b/SKILL.md')
  expect(names.find('skill://one/a/b/c/x')).toEqual({ server: 'one', uri: 'skill://a/b/c/x' })
  expect(names.find('skill://a/b/SKILL.md')).toBeUndefined()
  expect(names.choices('skill://a/b/SKILL.md')).toEqual(['skill://one/a/b/SKILL.md', 'skill://two/a/b/SKILL.md'])
})

test('a folder that looks like one of another server gets a name of its own', () => {
  const names = named({ one: ['a'], two: ['a'], three: ['one/a'] })
  expect(names.shown('three', 'skill://one/a/SKILL.md')).toBe('skill://three/one/a/SKILL.md')
  expect(names.find('skill://one/a/SKILL.md')).toEqual({ server: 'one', uri: 'skill://a/SKILL.md' })
})

test('what is our own keeps its URI, and servers have to give way', () => {
  const names = named({ one: ['a'] })
  names.reserve(['skill://a'])
  expect(names.shown('one', 'skill://a/SKILL.md')).toBe('skill://one/a/SKILL.md')
  expect(names.find('skill://a/SKILL.md')?.server).not.toBe('one')
})

test('many folders, long URIs and odd names are no work', () => {
  const roots = Array.from({ length: 20_000 }, (_, i) => `s${i}`)
  const names = named({ one: roots, 'two/$&': roots })
  expect(names.find('skill://two%2F%24%26/s5/SKILL.md')).toEqual({ server: 'two/$&', uri: 'skill://s5/SKILL.md' })
  expect(names.find(`skill://${'a/'.repeat(1_000_000)}`)).toBeUndefined()
  expect(
    names.set(
      'one',
      roots.map(root => `skill://${root}`),
    ),
  ).toBe(false)
  expect(names.delete('one')).toBe(true)
  expect(names.shown('two/$&', 'skill://s5/SKILL.md')).toBe('skill://s5/SKILL.md')
})
