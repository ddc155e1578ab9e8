import { expect, test } from 'vitest'
import { hasFrontMatter, readFrontMatter } from '../../src/skills/front-matter.ts'

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
