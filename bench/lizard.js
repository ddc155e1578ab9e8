// Agreement with lizard, function by function, on checkouts of real repositories.
// node bench/lizard.js --lizard DIR/lizard.py [--show 20] TOOLCHAIN=DIRECTORY ...
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'
import { expectedOfLizard } from './lizard-differences.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lizard: { type: 'string', default: process.env.LIZARD ?? '' },
    show: { type: 'string', default: '0' },
  },
})
if (values.lizard === '' || positionals.length === 0) {
  console.log('skipped: needs --lizard PATH/lizard.py (or LIZARD) and TOOLCHAIN=DIRECTORY, such as c=/tmp/git')
  process.exit(0)
}
// Only what the preprocessor or a lost brace leaves behind has such a name.
const WORDS = new Set([
  'if',
  'for',
  'while',
  'switch',
  'foreach',
  'catch',
  'lock',
  'using',
  'return',
  'else',
  'do',
  'sizeof',
  'defined',
  'fixed',
  'get',
  'set',
  'new',
  '__attribute__',
  '*global*',
])
const LANGUAGES = {
  'python-uv': ['-l', 'python'],
  go: ['-l', 'go'],
  java: ['-l', 'java'],
  node: ['-l', 'javascript', '-l', 'typescript'],
  rust: ['-l', 'rust'],
  c: ['-l', 'cpp', '-l', 'c'],
  cpp: ['-l', 'cpp', '-l', 'c'],
  csharp: ['-l', 'csharp'],
}

/** Rows of a CSV text, quotes undone. */
function parseCsv(text) {
  const cell = /(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g
  return text
    .split(/\r?\n/)
    .filter(line => line !== '')
    .map(line => [...line.matchAll(cell)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain))
}

function ofLizard(root, toolchain) {
  const args = [values.lizard, ...LANGUAGES[toolchain], '--csv', root]
  const { stdout } = spawnSync('python3', args, { encoding: 'utf8', maxBuffer: 1 << 30 })
  return parseCsv(stdout).map(row => ({
    file: relative(root, row[6]),
    name: row[7],
    cyclomatic: Number(row[1]),
    start: Number(row[9]),
    end: Number(row[10]),
  }))
}

async function ofCauseway(root, toolchain) {
  const client = connect(createServer({ name: 'bench', version: '1' }).add(toolkit({ roots: [root] })))
  const csv = await client.call('analyze_complexity', { project_path: root, toolchain, format: 'csv' })
  const [, ...rows] = parseCsv(String(csv))
  return rows.map(row => ({
    file: row[0].slice(2),
    line: Number(row[1]),
    name: row[2],
    cyclomatic: Number(row[3]),
    lines: Number(row[6]),
  }))
}

const simple = name => name.replace(/^.*(?:::|\.)(?=[^:.]+$)/, '').replace(/\s+/g, '')

/** The function of ours that is meant: on its first line, or of its name inside of its lines. */
function matcher(byFile) {
  return theirs => {
    const here = byFile.get(theirs.file) ?? []
    const name = simple(theirs.name)
    const near = here.filter(f => f.line >= theirs.start - 3 && f.line <= theirs.end)
    return (
      near.find(f => f.line === theirs.start && simple(f.name) === name) ??
      near.find(f => simple(f.name) === name) ??
      near.find(f => f.line === theirs.start)
    )
  }
}

function group(list) {
  const groups = new Map()
  for (const item of list) groups.set(item.file, [...(groups.get(item.file) ?? []), item])
  return groups
}

async function compare(root, toolchain) {
  const theirs = ofLizard(root, toolchain).filter(f => !WORDS.has(simple(f.name)))
  const ours = await ofCauseway(root, toolchain)
  const byFile = group(ours)
  const find = matcher(byFile)
  const ends = f => f.line + f.lines - 1
  const inside = (f, own) => byFile.get(f.file).filter(g => g !== own && g.line >= own.line && ends(g) <= ends(own))
  const sources = new Map()
  const linesOf = file => {
    if (!sources.has(file)) sources.set(file, readFileSync(join(root, file), 'utf8').split('\n'))
    return sources.get(file)
  }
  const found = new Set()
  const missing = []
  const different = []
  let raw = 0
  let equal = 0
  for (const f of theirs) {
    const own = find(f)
    if (own) found.add(own)
    if (!own) missing.push(f)
    else {
      const { least, most } = expectedOfLizard(
        linesOf(f.file).slice(f.start - 1, f.end),
        own,
        inside(f, own),
        toolchain,
      )
      if (own.cyclomatic === f.cyclomatic) raw += 1
      if (f.cyclomatic >= least && f.cyclomatic <= most) equal += 1
      else different.push({ ...f, own, least, most })
    }
  }
  return { theirs, ours, missing, different, raw, equal, alone: ours.filter(f => !found.has(f)) }
}

const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`
const rows = []
for (const positional of positionals) {
  const [toolchain, directory] = positional.split('=')
  const root = resolve(directory)
  const { theirs, ours, missing, different, raw, equal, alone } = await compare(root, toolchain)
  const matched = theirs.length - missing.length
  rows.push([
    basename(root),
    theirs.length,
    ours.length,
    percent(matched, theirs.length),
    percent(raw, matched),
    percent(equal, matched),
  ])
  for (const f of missing.slice(0, Number(values.show)))
    console.log(`missing   ${f.file}:${f.start}-${f.end} ${f.name}`)
  for (const f of alone.slice(0, Number(values.show)))
    console.log(`alone     ${f.file}:${f.line} ${f.name}: ${f.cyclomatic}`)
  for (const f of different.slice(0, Number(values.show)))
    console.log(
      `different ${f.file}:${f.start}-${f.end} ${f.name}: lizard ${f.cyclomatic}, causeway ${f.own.cyclomatic} (${f.least}–${f.most})`,
    )
}
console.log(
  '| repository | functions (lizard) | functions (causeway) | measured of lizard’s | equal | equal but for the differences below |',
)
console.log('|---|---|---|---|---|---|')
for (const row of rows) console.log(`| ${row.join(' | ')} |`)
process.exit(0)
