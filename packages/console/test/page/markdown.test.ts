import { expect, test } from 'vitest'
import { looksLikeMarkdown, parseMarkdown, safeLink } from '../../src/page/result/markdown.ts'

test('the common part of Markdown', () => {
  const text = '# A *b*\n\nOne\ntwo `c`\n\n1. x\n2. y\n\n> q\n\n```js\ncode\n```\n\n---\n\n| h |\n|---|\n| v |'
  expect(parseMarkdown(text).map(({ kind }) => kind)).toEqual([
    'heading',
    'paragraph',
    'list',
    'quote',
    'code',
    'rule',
    'table',
  ])
})

test('links lead to pages, never to scripts', () => {
  expect(safeLink('https://example.com/a')).toBe('https://example.com/a')
  for (const bad of [
    'javascript:alert(1)',
    ' JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc',
    '//x',
  ]) {
    expect(safeLink(bad)).toBeUndefined()
  }
  expect(JSON.stringify(parseMarkdown('[x](javascript:alert(1))'))).not.toContain('"link"')
})

test('a script with comments is not taken for Markdown', () => {
  expect(looksLikeMarkdown('# make help\n\nall: build\n\tcargo build')).toBe(false)
  expect(looksLikeMarkdown('# Title\n\n- one\n- two')).toBe(true)
})

test('hostile input takes no time to speak of', () => {
  const start = process.cpuUsage()
  for (const one of ['[', '*', '`', '|', '#', '> ', '- ', '**a', '[a](', '\n', ' ', '| ', '|-']) {
    for (const text of [one.repeat(20_000), `a|b\n${one.repeat(20_000)}`]) {
      looksLikeMarkdown(text)
      parseMarkdown(text)
    }
  }
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(3000)
})
