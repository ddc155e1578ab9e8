// What metrics cost a call over HTTP, and what is left of traces where they are not configured. For one change against another use bench/ab.js.
import { parseArgs } from 'node:util'
import { measureHttp } from './http-measure.js'
import { machine, readCount, showRound } from './options.js'
import { median, pick, printTable, summarize } from './report.js'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '1' }, rounds: { type: 'string', default: '3' } },
})
const seconds = readCount('seconds', values.seconds, 60)
const rounds = readCount('rounds', values.rounds, 100)
const targets = ['bare', 'absent', 'metrics'].map(name => ({ name, args: ['bench/observed-door.js', name], needs: [] }))

console.log(machine)
for (const { era, connections, samples } of await measureHttp(targets, { seconds, rounds }, showRound(rounds))) {
  const rows = summarize(pick(samples, 'perSecond'), ['bare'])
  const cpu = pick(samples, 'cpu')
  for (const row of rows) row.cpu = median(cpu[row.name])
  printTable(`tools/call, ${era}, ${connections} connections, median of ${rounds} rounds`, rows, {
    unit: 'calls/s',
    extras: [{ head: 'server CPU', cell: row => `${row.cpu.toFixed(1)} µs` }],
  })
}
