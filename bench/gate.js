// What a call costs, counted instead of timed, so that a busy machine changes nothing: bytes that are allocated on the heap per
// call. Fails if a number is more than 3 % above the stored one.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildOf } from './ab-builds.js'
import { allocationsPerCall } from './count-allocations.js'
import { cases } from './gate-cases.js'
import { readCount } from './options.js'
import { root } from './targets.js'

const most = 1.03
const file = join(root, 'bench/gate.json')
const history = join(root, 'bench/HISTORY.md')
// Node's own code allocates differently from version to version.
const [version] = process.version.split('.', 1)

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    case: { type: 'string', default: '' },
    history: { type: 'string' },
  },
})
const chosen = cases.filter(({ name }) => name.toLowerCase().includes(values.case.toLowerCase()))
if (chosen.length === 0) {
  console.error(`No case matches '${values.case}'. Cases: ${cases.map(({ name }) => name).join('; ')}.`)
  process.exit(2)
}
if (values.history === undefined) await compare()
else await writeHistory(readCount('history', values.history, 200))

async function compare() {
  const stored = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const before = stored[version] ?? {}
  const found = {}
  let failed = 0
  for (const one of chosen) {
    found[one.name] = await allocationsPerCall(one, root)
    const ratio = found[one.name] / before[one.name]
    if (ratio > most) failed++
    console.log(`${one.name.padEnd(22)} ${row(found[one.name])} bytes per call, ${judge(ratio)}`)
  }
  if (values.write)
    writeFileSync(file, `${JSON.stringify({ ...stored, [version]: { ...before, ...found } }, null, 2)}\n`)
  console.log(`gate: ${chosen.length - failed} passed, ${failed} failed`)
  if (failed > 0 && !values.write) {
    console.log('Find what allocates more. If it is worth its cost: node bench/gate.js --write')
    process.exitCode = 1
  }
}

function judge(ratio) {
  if (Number.isNaN(ratio)) return `no number is stored for Node ${version}`
  const change = `${((ratio - 1) * 100).toFixed(1)} % to the stored number`
  return ratio > most ? `${change}: TOO MUCH` : change
}

// The commits of the main line that changed what is measured, each built once and kept, as for bench/ab.js.
async function writeHistory(count) {
  const format = [
    'log',
    '--first-parent',
    `-${count}`,
    '--format=%h %cs %s',
    '--',
    'packages/engine/src',
    'packages/cli/src',
    'packages/gateway/src',
  ]
  const commits = execFileSync('git', format, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const lines = [
    `| commit | date | ${chosen.map(({ name }) => name).join(' | ')} | |`,
    `|---|---|${chosen.map(() => '--:|').join('')}---|`,
  ]
  for (const commit of commits) {
    const [, hash, date, subject] = /^(\S+) (\S+) (.*)$/.exec(commit)
    const { folder } = buildOf(hash)
    const found = []
    for (const one of chosen) found.push(row(await allocationsPerCall(one, folder)))
    lines.push(`| ${hash} | ${date} | ${found.join(' | ')} | ${subject.replaceAll('|', '\\|')} |`)
    console.log(lines.at(-1))
  }
  const text = `# Bytes allocated per call\n\nThe last ${commits.length} commits that changed engine, gateway or command, newest first: \`node bench/gate.js --history ${count}\`, Node ${process.version}.\n\n`
  writeFileSync(history, `${text}${lines.join('\n')}\n`)
}

function row(bytes) {
  return String(bytes).padStart(6)
}
