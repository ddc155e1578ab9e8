// What metrics cost a call over HTTP, and what is left of traces where they are not configured. For one change against another use bench/ab.js.
import { parseArgs } from 'node:util'
import { eras } from './http-load.js'
import { connectionCounts } from './http-measure.js'
import { extraShare, judge, measureInOneProcess } from './one-process.js'
import { machine, readCount, showRound } from './options.js'
import { printTable, summarize } from './report.js'

// The bounds that are promised, of the CPU of a call that nobody observes.
const mostOfMetrics = 0.03
const mostOfAbsent = 0.01

const { values } = parseArgs({
  options: { turns: { type: 'string', default: '24' }, rounds: { type: 'string', default: '5' } },
})
const turns = readCount('turns', values.turns, 1000)
const rounds = readCount('rounds', values.rounds, 100)
const doors = [
  { name: 'nobody', door: 'node' },
  { name: 'nobody, again', door: 'node' },
  { name: 'tracing absent', door: 'unobserved' },
  { name: 'an empty observer', door: 'observed' },
  { name: 'metrics', door: 'metrics' },
]

console.log(machine)
for (const era of eras)
  for (const connections of connectionCounts) {
    const samples = await measureInOneProcess(doors, { era, connections, rounds, turns }, showRound(rounds))
    const title = `server CPU of tools/call, ${era}, ${connections} connections, median of ${rounds} processes`
    printTable(title, summarize(samples, ['nobody']), { unit: 'µs per call', digits: 2 })
    judge('metrics cost', extraShare(samples, 'metrics', 'nobody'), mostOfMetrics)
    judge('tracing that is absent costs', extraShare(samples, 'tracing absent', 'nobody'), mostOfAbsent)
  }
