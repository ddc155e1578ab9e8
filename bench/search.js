// Searching large trees: search_files in one process with warm threads, beside ripgrep where it is installed.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs, promisify } from 'node:util'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { workstation } from '@causeway/packs/workstation'
import { machine, readCount } from './options.js'
import { median, printTable, summarize } from './report.js'

const { values, positionals: trees } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '20' }, quick: { type: 'boolean' }, write: { type: 'boolean' } },
})
if (trees.length === 0 || !trees.every(tree => existsSync(tree))) {
  console.error(
    'usage: node bench/search.js TREE… [--rounds N] [--quick] [--write]\nfor example checkouts of django and of git',
  )
  process.exit(2)
}
const rounds = values.quick ? 3 : readCount('rounds', values.rounds, 1000)
const hasRipgrep = spawnSync('rg', ['--version'], { stdio: 'ignore' }).error === undefined
const run = promisify(execFile)

/** What is searched for: as our arguments, and as those of ripgrep, which counts lines as we do. */
const QUESTIONS = [
  { name: 'no match', ours: { content: 'zzqqxx' }, rg: ['-F', 'zzqqxx'] },
  { name: 'many matches', ours: { content: 'return' }, rg: ['-F', 'return'] },
  { name: 'either case', ours: { content: 'deprecated', caseSensitive: false }, rg: ['-iF', 'deprecated'] },
  {
    name: 'regex with a word',
    ours: { content: String.raw`\bdef \w+\(self, \*args`, regex: true },
    rg: [String.raw`\bdef \w+\(self, \*args`],
  },
  {
    name: 'regex without one',
    ours: { content: String.raw`[A-Z]{5}_\w+\d{4}`, regex: true },
    rg: [String.raw`[A-Z]{5}_\w+\d{4}`],
  },
]

async function ripgrep(tree, args) {
  const began = performance.now()
  const { stdout } = await run('rg', ['--no-config', '--hidden', '--glob', '!.git', '-c', ...args, tree]).catch(
    error => {
      if (error.code === 1) return { stdout: '' }
      throw error
    },
  )
  const ms = performance.now() - began
  const total = stdout.split('\n').reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(':') + 1) || 0), 0)
  return { ms, total }
}

async function ours(client, args) {
  const began = performance.now()
  const { total } = await client.call('search_files', args)
  return { ms: performance.now() - began, total }
}

const rows = []
const milliseconds = values => median(values).toFixed(1)

/** The table in the page of the pack. */
function writeTable() {
  const page = new URL('../docs/packs/workstation.md', import.meta.url)
  const head = '| tree | question | lines | rg, ms | ours, ms | ours to rg |\n|---|---|---|---|---|---|'
  const table = `<!-- search -->\n\n${machine}, ${new Date().toISOString().slice(0, 10)}:\n\n${head}\n${rows.join('\n')}\n\n<!-- /search -->`
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(/<!-- search -->[^]*<!-- \/search -->/, () => table),
  )
}

console.log(machine)
if (!hasRipgrep) console.log('rg is not installed: nothing to compare with')
for (const tree of trees) {
  const server = createServer({ name: 'bench', version: '0' })
  server.mount(workstation({ roots: [tree], readOnly: true }))
  const client = connect(server)
  for (const { name, ours: args, rg } of QUESTIONS) {
    const samples = { ...(hasRipgrep && { rg: [] }), causeway: [] }
    const delay = monitorEventLoopDelay({ resolution: 1 })
    const totals = new Set()
    for (let round = -2; round < rounds; round++) {
      delay.enable()
      const mine = await ours(client, args)
      delay.disable()
      const theirs = hasRipgrep ? await ripgrep(tree, rg) : undefined
      for (const answer of [mine, theirs]) if (answer) totals.add(answer.total)
      // The first rounds only warm up.
      if (round < 0) continue
      samples.causeway.push(mine.ms)
      samples.rg?.push(theirs.ms)
    }
    if (totals.size > 1) console.log(`\n${tree}, ${name}: the numbers of lines differ: ${[...totals].join(', ')}`)
    printTable(`${tree}: ${name}, ${[...totals][0]} lines`, summarize(samples, hasRipgrep ? ['rg'] : []), {
      unit: 'ms',
      digits: 1,
    })
    const { rg: theirs, causeway } = samples
    const ratio = theirs ? `${(median(causeway) / median(theirs)).toFixed(2)}x` : ''
    const cells = [
      basename(resolve(tree)),
      name,
      [...totals][0],
      theirs ? milliseconds(theirs) : '',
      milliseconds(causeway),
    ]
    rows.push(`| ${[...cells, ratio].join(' | ')} |`)
    console.log(`  longest the event loop was kept waiting: ${(delay.max / 1e6).toFixed(1)} ms`)
  }
  client.close()
}
if (values.write) writeTable()
process.exit(0)
