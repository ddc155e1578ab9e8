import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '@causeway/engine/testing'
import { expect, test } from 'vitest'
import { commentsOf, textsIn } from '../../../../test/rules/lexer.ts'
import { ROOT } from '../../../../test/support/spawned.ts'
import { readArgs } from '../../src/config/args.ts'
import { commands } from '../../src/config/command-table.ts'
import { readConfig } from '../../src/config/config.ts'
import { flags } from '../../src/config/flags.ts'
import { assemble } from '../../src/serve/assemble.ts'

/** Words that are quaint or unclear in help texts, errors, banners, tool descriptions and documents. */
const DIALECT = [
  // Old words
  /\b(?:anew|thereby|wherein|hence|thither|hither|betwixt|albeit|whilst|ere|oft|nigh|amongst|shall|unto|naught)\b/i,
  /\b(?:no one|everybody|somebody|whomever|whosoever)\b/i,
  // "a" for "per": a line a tool, one a core, calls a second
  /\b(?:one|a (?:line|row|page|message|key|field|token)) a (?:core|tool|row|line|text frame|second|minute|call|client|server|file)\b/i,
  /\b(?:calls|requests|reads|touches|operations|messages|times|reconnections|once|twice) a (?:second|minute|hour|day|call|session)\b/i,
  // Things that are told or said
  /\b(?:which|that) is said\b/i,
  /\bsays? so in words\b/i,
  /\bended? the start with words\b/i,
  /\bhas (?:no )?words for\b/i,
  /\bwithout a word\b/i,
  /\b(?:learns?|learned|tells?|knows?|hears?) nothing of\b/i,
  /\bTells facts\b/i,
  // Quantities
  /\bso many (?:lines|rows|calls|times|tokens|bytes|files)\b/i,
  /\bso and so\b/i,
  /\bof (?:our|your|its|their|his) own kind\b/i,
  /\bgiven up with\b/i,
  /\bis a preference and\b/i,
  /\bneeds nothing of\b/i,
  /\bput (?:none|one) of his own\b/i,
  /\bone too many\b/i,
  /\bmore are there than\b/i,
  /\bas the system\b/i,
  /\bstands? in its place\b/i,
  /\bin hand\b/i,
  /\bits kin\b/i,
  /\b(?:nobody|anybody|besides|lest|whence|thereof|amiss|aught)\b/i,
  /\b(?:is|are|was|were|unless|be) told\b/i,
  /\bmend(?:s|ed|ing)?\b/i,
  /\bfor ever\b/i,
  /\bstrangers?\b/i,
  /\bdrawn by lot\b/i,
  /\bwould do[.,;]/i,
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

const sources = ['packs/src', 'cli/src', 'engine/src', 'gateway/src', 'console/src'].flatMap(name => {
  const folder = join(ROOT, 'packages', name)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file) && !DATA.test(`${name}/${file}`))
    .map(file => join(folder, file))
})

test('what is written in sources for people and models is plain English', () => {
  expect(sources.length).toBeGreaterThan(500)
  const wrong = sources.flatMap(file =>
    textsIn(readFileSync(file, 'utf8')).flatMap(text => found(file.slice(ROOT.length), text)),
  )
  expect(wrong).toEqual([])
})

const documents = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...inFolder('docs')]

function inFolder(name: string): string[] {
  return readdirSync(join(ROOT, name), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.md'))
    .map(file => join(name, file))
}

/** A document without what is quoted in it: code, and the tables of what others say. */
const prose = (text: string): string[] =>
  text
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/`[^`\n]*`/g, '`x`')
    .split('\n')

test('documents are plain English', () => {
  expect(documents.length).toBeGreaterThan(15)
  const wrong = documents.flatMap(file =>
    prose(readFileSync(join(ROOT, file), 'utf8')).flatMap(line => found(file, line.trim())),
  )
  expect(wrong).toEqual([])
})

/** Words that have no place in comments either. */
const QUAINT = /\b(?:nobody|anybody|besides|whoever|anew|mends?|for ever|everybody|somebody|lest|amiss|strangers?)\b/i

test('comments are plain English', () => {
  const own = sources.filter(file => !file.includes('/packs/'))
  const wrong = own.flatMap(file =>
    commentsOf(readFileSync(file, 'utf8'))
      .filter(({ text }) => QUAINT.test(text))
      .map(({ text }) => `${file.slice(ROOT.length)}: ${text.slice(0, 200)}`),
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

test('self-test: comments are not looked at as texts', () => {
  const source = "// nobody\nconst a = 'Nobody can be asked' /* for ever */ + `it is told ${b}`"
  expect(textsIn(source).flatMap(text => found('x', text))).toHaveLength(2)
})
