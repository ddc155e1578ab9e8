import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { canPin } from './core.js'
import { measureHttp } from './http-measure.js'
import { measureIdle } from './idle.js'
import { machine, onlyPresent, readCount, showRound } from './options.js'
import { median, pick, printTable, summarize } from './report.js'
import { httpTargets } from './targets.js'

const full = { seconds: 2, rounds: 5 }
const quick = { seconds: 1, rounds: 1 }
const crowd = { sessions: 5000, streams: 1000, seconds: 2 }
const yardsticks = ['floor', 'sdk-v2']

const options = readOptions()
console.log(machine)
if (!canPin) console.log('no taskset here: one connection runs unpinned, expect a wide range')

const present = onlyPresent(httpTargets)
const result = { date: new Date().toISOString(), machine, options, pinned: canPin }
if (options.idle) result.idle = await idle(present.find(({ name }) => name === 'causeway'))
else result.cases = (await measureHttp(present, options, showRound(options.rounds))).map(printCase)
if (options.json) writeFileSync(options.json, JSON.stringify(result, null, 2) + '\n')

async function idle(target) {
  const { alone, crowded, silent, lost } = await measureIdle(target, crowd)
  const rows = summarize({ alone: alone.waits, crowded: crowded.waits }, ['alone'])
  for (const row of rows) {
    const { p99, rss } = row.name === 'alone' ? alone : crowded
    Object.assign(row, { p99, rss })
  }
  printTable(`causeway alone, then with ${crowd.sessions} idle sessions and ${crowd.streams} event streams`, rows, {
    unit: 'ms per call',
    digits: 3,
    extras: [
      { head: 'p99', cell: row => `${row.p99.toFixed(3)} ms` },
      { head: 'RSS', cell: row => `${row.rss.toFixed(1)} MB` },
    ],
  })
  console.log(`  streams that heard nothing: ${silent}, sessions that were lost: ${lost}`)
  if (silent + lost > 0) process.exitCode = 1
  return { ...crowd, silent, lost, rows }
}

function printCase({ era, connections, samples }) {
  const rows = summarize(pick(samples, 'perSecond'), yardsticks)
  for (const field of ['cpu', 'p99', 'clientBusy']) {
    const values = pick(samples, field)
    for (const row of rows) row[field] = median(values[row.name])
  }
  const floor = rows.find(({ name }) => name === 'floor')
  const many = connections === 1 ? '1 connection' : `${connections} connections`
  printTable(`tools/call, ${era}, ${many}, median of ${options.rounds} rounds`, rows, {
    unit: 'calls/s',
    extras: [
      { head: 'server CPU', cell: row => `${row.cpu.toFixed(1)} µs` },
      { head: 'floor CPU to it', cell: row => `${(floor.cpu / row.cpu).toFixed(2)}x` },
      { head: 'p99', cell: row => `${row.p99.toFixed(2)} ms` },
      { head: 'client busy', cell: row => `${Math.round(row.clientBusy * 100)} %` },
    ],
  })
  return { era, connections, rows }
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      idle: { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  })
  const preset = values.quick ? quick : full
  const seconds = readCount('seconds', values.seconds ?? preset.seconds, 60)
  const rounds = readCount('rounds', values.rounds ?? preset.rounds, 100)
  return { seconds, rounds, idle: values.idle, json: values.json }
}
