import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openCursor } from '../../src/toolkit/analysis/parse/cursor.ts'
import { flatten } from '../../src/toolkit/analysis/measure/flat.ts'
import { languageOf } from '../../src/toolkit/analysis/parse/grammar.ts'
import { forgetParsers, parsing } from '../../src/toolkit/analysis/parse/parser.ts'

test.each(['./complexity.test.ts', './golden/rust.test.ts'])('both cursors see the same in %s', async file => {
  const language = languageOf(file) ?? 'javascript'
  const { parser, roles, openCursor: open } = await parsing(language)
  const source = readFileSync(new URL(file, import.meta.url), 'utf8')
  const tree = parser.parse(source)
  if (!tree) throw new Error('no tree')
  const fast = flatten(tree, open, { roles, source })
  const plain = flatten(tree, t => openCursor(t, {}), { roles, source })
  tree.delete()
  expect(fast.count).toBeGreaterThan(500)
  expect(fast).toEqual(plain)
})

test('a tree is walked twice without leaving anything behind', async () => {
  const { parser, roles, openCursor: open } = await parsing('python')
  const source = 'def f(a):\n    return a if a else None\n'
  const tree = parser.parse(source)
  if (!tree) throw new Error('no tree')
  const before = tree.rootNode.toString()
  for (let i = 0; i < 1000; i++) flatten(tree, open, { roles, source })
  expect(tree.rootNode.toString()).toBe(before)
  tree.delete()
})

test('parsers can be started anew', async () => {
  const before = await parsing('go')
  forgetParsers()
  const after = await parsing('go')
  // Another module altogether, and with it another memory.
  expect(after.parser.constructor).not.toBe(before.parser.constructor)
  const tree = after.parser.parse('package m')
  if (!tree) throw new Error('no tree')
  expect(tree.rootNode.hasError).toBe(false)
  expect(after.openCursor(tree).constructor).not.toBe(Object)
  tree.delete()
})
