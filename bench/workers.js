// Server CPU a call with one process and with several behind one port, and how many calls a second that makes.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { cpuMs } from './http-measure.js'
import { drive, openClients, portOf } from './http-load.js'
import { launch, stop, within } from './load.js'
import { newSamples, rotate } from './measure.js'
import { machine, readCount, showRound } from './options.js'
import { median, pick, printTable, summarize } from './report.js'
import { verdict, writeFigures } from './sizing.js'

const startMs = 20_000
const mostPerSecond = 60_000
// For each process, so that all of it is compiled.
const warmCalls = 8000
// Two workers may cost this much more a stateless call than one.
const allowed = 1.1

const cases = [
  { title: 'stateless', era: 'stateless', shift: 0 },
  { title: 'stateful, each session on the connection that opened it', era: 'stateful', shift: 0 },
  {
    title: 'stateful, each session on a connection of another worker: every call is passed on',
    era: 'stateful',
    shift: 1,
  },
]

const command =
  'packages/cli/bin/causeway.js serve --http --port 0 --preset all --rate-limit off --log-level warn'.split(' ')
const options = readOptions()
console.log(machine)
const targets = options.workers.map(count => ({
  name: `${count} ${count === 1 ? 'process' : 'workers'}`,
  count,
  args: [...command, '--workers', String(count)],
}))
const samples = cases.map(() => newSamples(targets))
for (let round = 0; round < options.rounds; round++) {
  showRound(options.rounds)(round)
  for (const target of rotate(targets, round)) await measure(target)
}
const result = cases.map(({ title }, at) => print(title, samples[at]))
if (options.write) writeFigures(figures(result))
if (options.json) writeFileSync(options.json, JSON.stringify({ machine, options, result }, null, 2) + '\n')

async function measure(target) {
  const server = launch(target)
  try {
    const port = await within(server, startMs, portOf(server))
    // The others are started when the first one serves.
    while (processesOf(server).length < (target.count === 1 ? 1 : target.count + 2)) await new Promise(setImmediate)
    for (const [at, one] of cases.entries()) samples[at][target.name].push(await load(server, port, one))
  } finally {
    server.child.kill('SIGTERM')
    await within(server, startMs, new Promise(resolve => server.child.once('exit', resolve))).catch(() => stop(server))
  }
}

async function load(server, port, { era, shift }) {
  const { seconds, connections } = options
  const calls = Math.ceil((2 * seconds * mostPerSecond) / connections)
  const clients = await openClients(server, port, { era, connections, calls, shift })
  const pids = processesOf(server)
  for (let warm = 0; warm < warmCalls * pids.length;) warm += (await drive(server, clients, seconds)).count
  const used = () => pids.reduce((sum, pid) => sum + cpuMs(pid), 0)
  const before = used()
  const { count, ms, busy } = await drive(server, clients, seconds)
  const cpu = ((used() - before) / count) * 1000
  for (const { socket } of clients) socket.destroy()
  return { cpu, perSecond: (count / ms) * 1000, clientBusy: busy }
}

/** The server and what it started. */
function processesOf({ child: { pid } }) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

function print(title, ofCase) {
  const [first] = targets
  const rows = summarize(pick(ofCase, 'cpu'), [first.name])
  for (const row of rows)
    for (const field of ['perSecond', 'clientBusy']) row[field] = median(ofCase[row.name].map(run => run[field]))
  printTable(`tools/call, ${title}, ${options.connections} connections, median of ${options.rounds} rounds`, rows, {
    unit: 'µs server CPU a call',
    digits: 1,
    extras: [
      { head: 'calls/s', cell: row => Math.round(row.perSecond).toLocaleString('en-US') },
      { head: 'client busy', cell: row => `${Math.round(row.clientBusy * 100)} %` },
    ],
  })
  const two = rows.find(({ name }) => name === '2 workers')
  if (title === 'stateless' && two && first.count === 1)
    verdict('two workers take', round(two.to[first.name]), { most: allowed, unit: 'times the CPU of one process' })
  return { title, rows }
}

/** What docs/deploy.md says about all this: of two workers beside one process, and the calls a second of all. */
function figures([stateless, , passedOn]) {
  const ratio = ({ rows }) => rows.find(({ name }) => name === '2 workers')?.to['1 process']
  const shown = Object.entries({
    'a stateless call with 2 workers, to 1 process': ratio(stateless),
    'a stateful call that lands on another worker, to 1 process': ratio(passedOn),
  }).flatMap(([what, times]) => (times === undefined ? [] : [[what, `${round(times)} times`]]))
  const perSecond = stateless.rows.map(row => `${Math.round(row.perSecond).toLocaleString('en-US')} with ${row.name}`)
  return { ...Object.fromEntries(shown), 'calls per second, stateless': perSecond.join(', ') }
}

function round(number) {
  return Math.round(number * 100) / 100
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      workers: { type: 'string', default: '1,2' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '32' },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  })
  return {
    workers: values.workers.split(',').map(count => readCount('workers', count, 128)),
    seconds: readCount('seconds', values.seconds, 60),
    rounds: readCount('rounds', values.rounds, 100),
    connections: readCount('connections', values.connections, 1000),
    json: values.json,
    write: values.write,
  }
}
