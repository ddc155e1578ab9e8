import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../../../test/support/spawned.ts'

/** Ways of saying things that were plain to nobody, in help texts, errors and banners. */
const RIDDLES = [
  /Let in only who/,
  /\bhere, unless told/i,
  /\bFor whom\?/,
  /What about \w+\?/,
  /unless you are told/i,
  /\bSeed 0\d\d\b/i,
]

const sources = ['engine', 'packs', 'gateway', 'cli'].flatMap(name => {
  const folder = join(ROOT, 'packages', name, 'src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map(file => join(folder, file))
})

test('help, errors and banners are plain English', () => {
  expect(sources.length).toBeGreaterThan(200)
  const found = sources.flatMap(file => {
    const text = readFileSync(file, 'utf8')
    return RIDDLES.filter(riddle => riddle.test(text)).map(riddle => `${file.slice(ROOT.length)}: ${riddle.source}`)
  })
  expect(found).toEqual([])
})
