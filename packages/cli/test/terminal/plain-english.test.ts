import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '@causeway/engine/testing'
import { expect, test } from 'vitest'
import { textsIn } from '../../../../test/rules/lexer.ts'
import { ROOT } from '../../../../test/support/spawned.ts'
import { readArgs } from '../../src/config/args.ts'
import { commands } from '../../src/config/command-table.ts'
import { readConfig } from '../../src/config/config.ts'
import { flags } from '../../src/config/flags.ts'
import { assemble } from '../../src/serve/assemble.ts'

/** Words that are quaint or unclear in help texts, errors, banners and tool descriptions. */
const DIALECT = [
  /\b(?:nobody|anybody|besides|lest|whence|thereof|amiss|aught)\b/i,
  /\b(?:is|are|was|were|unless|be) told\b/i,
  /\bmend(?:s|ed|ing)?\b/i,
  /\bfor ever\b/i,
  /\bstrangers?\b/i,
  /\bdrawn by lot\b/i,
  /\bwould do\b/i,
  /\bis none of\b/i,
  /\bwhoever\b/i,
  /Let in only who/,
  /\bFor whom\?/,
  /What about \w+\?/,
  /\bSeed 0\d\d\b/i,
]

const found = (where: string, text: string): string[] =>
  DIALECT.filter(word => word.test(text)).map(word => `${where}: ${word.source} in ${text.slice(0, 200)}`)

// Data of an invented mission plan.
const DATA = /cassini\/plan\/synthetic/

const sources = ['packs/src', 'cli/src', 'engine/src', 'gateway/src'].flatMap(name => {
  const folder = join(ROOT, 'packages', name)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !DATA.test(`${name}/${file}`))
    .map(file => join(folder, file))
})

test('what is written in sources for people and models is plain English', () => {
  expect(sources.length).toBeGreaterThan(500)
  const wrong = sources.flatMap(file =>
    textsIn(readFileSync(file, 'utf8')).flatMap(text => found(file.slice(ROOT.length), text)),
  )
  expect(wrong).toEqual([])
})

test('help is plain English', () => {
  const texts = [
    ...flags.map(({ name, about }) => [`--${name}`, about] as const),
    ...commands.map(({ name, about, notes = [] }) => [name, [about, ...notes].join('\n')] as const),
  ]
  expect(texts.flatMap(([name, text]) => found(name, text))).toEqual([])
})

test('descriptions of tools and their arguments are plain English', async () => {
  const line = ['--preset', 'all', '--allow-command', '*', '--allow-remote', '--log-level', 'silent']
  const { tools } = await connect(await assemble(readConfig(readArgs(line), {}))).request('tools/list')
  expect((tools as object[]).length).toBeGreaterThan(70)
  expect((tools as { name: string }[]).flatMap(tool => found(tool.name, JSON.stringify(tool)))).toEqual([])
})

test('self-test: comments are not looked at, texts are', () => {
  const source = "// nobody\nconst a = 'Nobody can be asked' /* for ever */ + `it is told ${b}`"
  expect(textsIn(source).flatMap(text => found('x', text))).toHaveLength(2)
})
