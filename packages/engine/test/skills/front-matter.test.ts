import { expect, test } from 'vitest'
import { hasFrontMatter, readFrontMatter } from '../../src/skills/front-matter.ts'
import { skillProblem } from '../../src/skills/skill.ts'

const fenced = (yaml: string): string => `---\n${yaml}\n---\n`

test('long front matter is refused before it is parsed', () => {
  const asked: string[] = []
  const parse = (yaml: string): unknown => {
    asked.push(yaml)
    return { name: 'a' }
  }
  expect(readFrontMatter(fenced('name: a'), parse)).toEqual({ name: 'a' })
  const long = fenced(`name: a\n${'#\n'.repeat(8 * 1024)}`)
  expect(() => readFrontMatter(long, parse)).toThrow(/of at most 16384 characters/)
  expect(hasFrontMatter(long, { name: 'a' }, parse)).toBe(false)
  expect(asked).toEqual(['name: a'])
})

test('front matter that grows by aliases is refused, and so is a long one of a server', () => {
  const grown = { name: 'a', description: 'd', x: 'x'.repeat(70_000) }
  expect(() => readFrontMatter(fenced('name: a'), () => grown)).toThrow('more than 65536 characters of JSON')
  const skill = { uri: 'skill://a/SKILL.md', resources: 'dynamic' }
  expect(skillProblem({ ...skill, frontmatter: grown })).toBe('its front matter is too long')
  expect(skillProblem({ ...skill, frontmatter: { name: 'a', description: 'd' } })).toBeUndefined()
})
