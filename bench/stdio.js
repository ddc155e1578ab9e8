import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { canPin } from './core.js'
import { depths, measureLoad, measureMemory, measureStartup } from './measure.js'
import { machine, onlyPresent, readCount, showRound } from './options.js'
import { median, pick, printTable, summarize } from './report.js'
import { bareNode, targets } from './targets.js'

const full = { calls: 80_000, rounds: 5, startupRuns: 9, memoryRuns: 3 }
const quick = { calls: 10_000, rounds: 2, startupRuns: 3, memoryRuns: 1 }
const yardsticks = ['floor', 'sdk-v2']

const options = readOptions()
const present = onlyPresent(targets)
const result = { date: new Date().toISOString(), machine, options, pinned: canPin }

console.log(machine)
if (!canPin) console.log('no taskset here: one call in flight runs unpinned, expect a wide range')

result.startup = summarize(await measureStartup(present, bareNode, options.startupRuns), [bareNode.name])
const span = 'spawn to first answer (bare Node: to exit)'
printTable(`startup: ${span}, median of ${options.startupRuns}`, result.startup, { unit: 'ms', digits: 1 })

if (process.platform === 'linux') {
  result.memory = summarize(await measureMemory(present, options.memoryRuns), yardsticks)
  printTable(`idle memory, median of ${options.memoryRuns}`, result.memory, { unit: 'MB RSS', digits: 1 })
}

const load = await measureLoad(present, options.calls, options.rounds, showRound(options.rounds))
result.load = depths.map(depth => ({ depth, rows: printLoad(depth, load[depth]) }))
if (options.json) writeFileSync(options.json, JSON.stringify(result, null, 2) + '\n')

function printLoad(depth, samples) {
  const perSecond = pick(samples, 'perSecond')
  const busy = pick(samples, 'clientBusy')
  const rows = summarize(perSecond, yardsticks)
  for (const row of rows) row.clientBusy = median(busy[row.name])
  const client = { head: 'client busy', cell: row => `${Math.round(row.clientBusy * 100)} %` }
  printTable(`tools/call, ${depth} in flight, median of ${options.rounds} rounds`, rows, {
    unit: 'calls/s',
    extras: [client],
  })
  return rows
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      calls: { type: 'string' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  })
  const preset = values.quick ? quick : full
  const calls = readCount('calls', values.calls ?? preset.calls, 1_000_000)
  const rounds = readCount('rounds', values.rounds ?? preset.rounds, 100)
  return { ...preset, calls, rounds, json: values.json }
}
