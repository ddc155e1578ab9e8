import { execFileSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { cassini, importPlan } from '@causeway/packs/cassini'

const plan = 61_873
const targets = { indexed: 5, range: 10, search: 20 }

const { values: options } = parseArgs({
  options: {
    first: { type: 'string' },
    queries: { type: 'string', default: '500' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})

/** A process that has just started, asks one thing and tells how long that took from its very beginning. */
async function answerOnce(data) {
  await open(data).call('query_observations_by_team', { team: 'ISS', limit: 10 })
  console.log(performance.now())
}

function open(data) {
  return connect(createServer({ name: 'bench', version: '0' }).add(cassini({ data })), { version: '2025-11-25' })
}

async function measure() {
  const queries = Number(options.queries)
  if (!(Number.isInteger(queries) && queries >= 20)) throw new Error('--queries takes a whole number, 20 or more')
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'))
  console.log(`${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}`)
  try {
    const starts = measureStarts(folder, options.quick ? 2 : 5)
    const sizes = options.quick ? [plan] : [plan, 250_000, 1_000_000]
    const rows = []
    for (const size of sizes) rows.push(await measureSize(size, folder, queries))
    printRows(rows)
    if (options.json) writeFileSync(options.json, `${JSON.stringify({ queries, starts, rows }, null, 2)}\n`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** From the start of the process to its first answer: making the database, and with the database in place. */
function measureStarts(folder, runs) {
  const first = data => Number(execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--first', data]))
  const making = Array.from({ length: runs }, (_, i) => first(join(folder, `new-${i}`)))
  const inPlace = Array.from({ length: runs }, () => first(join(folder, 'new-0')))
  const show = values => values.map(ms => Math.round(ms)).join(', ')
  console.log(`\nfrom the start of node to the first answer, ms`)
  console.log(`  making the ${plan.toLocaleString('en-US')} rows: ${show(making)}`)
  console.log(`  with the database in place: ${show(inPlace)}`)
  return { making, inPlace }
}

async function measureSize(size, folder, queries) {
  const data = join(folder, `rows-${size}`)
  const start = performance.now()
  if (size !== plan) await importRows(size, folder, data)
  const client = open(data)
  const { teams } = await client.call('list_teams')
  const { targets } = await client.call('list_targets')
  const built = performance.now() - start
  const names = { teams: teams.map(({ name }) => name), targets: targets.map(({ name }) => name) }
  const p95 = {}
  for (const [name, ask] of Object.entries(questions(size, names))) p95[name] = await sample(client, ask, queries)
  const file = join(data, size === plan ? 'cassini-synthetic-2.db' : 'cassini.db')
  return { size, built, megabytes: statSync(file).size / 1e6, rss: process.memoryUsage().rss / 1e6, p95 }
}

/** What is asked, a tool and its arguments: each with another name, time or word every time. */
function questions(size, { teams, targets }) {
  const team = () => pick(teams)
  const target = () => pick(targets)
  const range = () => [day(), day()].sort()
  const search = more => () => ['search_observations', { query: pick(words), ...more?.() }]
  return {
    'by team, 100 rows': () => ['query_observations_by_team', { team: team(), offset: random(500) }],
    'by target, 100 rows': () => ['query_observations_by_target', { target: target() }],
    'by team, 1000 rows': () => ['query_observations_by_team', { team: team(), limit: 1000 }],
    'by time with total': () => {
      const [start_time, end_time] = range()
      return ['query_observations_by_timerange', { start_time, end_time, offset: random(500) }]
    },
    details: () => ['get_observation_details', { id: 1 + random(size) }],
    'search, one word': search(),
    'search, two words': search(() => ({ query: `${pick(words)} ${pick(words)}` })),
    'search, one team': search(() => ({ team: team() })),
    'search, some years': search(() => {
      const [from, to] = range()
      return { from, to }
    }),
    'statistics of a team': () => ['get_statistics', { group_by: 'target', team: team() }],
    'statistics of years': () => {
      const [from, to] = range()
      return ['get_statistics', { group_by: 'team', from, to }]
    },
    'timeline of it all': () => ['get_timeline', { bucket: 'month' }],
  }
}

/** From the text of a request to the text of its answer: what a client does with it is not ours. */
async function sample(client, question, count) {
  const ask = async () => {
    const [name, args] = question()
    const request = { jsonrpc: '2.0', id: 'bench', method: 'tools/call', params: { name, arguments: args } }
    const start = performance.now()
    const answer = await client.raw(JSON.stringify(request))
    const took = performance.now() - start
    if (!answer.startsWith('{"jsonrpc":"2.0","id":"bench","result":{"content":[{"type":"text","text":"'))
      throw new Error(answer)
    return took
  }
  for (let i = 0; i < 20; i++) await ask()
  const times = []
  for (let i = 0; i < count; i++) times.push(await ask())
  times.sort((a, b) => a - b)
  return { median: times[count >> 1], p95: times[Math.floor(count * 0.95)], max: times.at(-1) }
}

function printRows(rows) {
  const cell = text => String(text).padStart(22)
  const line = (name, cells) => console.log(`  ${name.padEnd(24)}${cells.map(cell).join('')}`)
  console.log('\nmilliseconds from request to answer through the engine and the database thread: median / p95 / max')
  line(
    'rows',
    rows.map(({ size }) => size.toLocaleString('en-US')),
  )
  for (const name of Object.keys(rows[0].p95)) {
    line(
      name,
      rows.map(({ p95 }) =>
        Object.values(p95[name])
          .map(ms => ms.toFixed(1))
          .join(' / '),
      ),
    )
  }
  line(
    'built or imported, s',
    rows.map(({ built }) => (built / 1000).toFixed(1)),
  )
  line(
    'file, MB',
    rows.map(({ megabytes }) => megabytes.toFixed(0)),
  )
  line(
    'resident memory, MB',
    rows.map(({ rss }) => rss.toFixed(0)),
  )
  const { indexed, range, search } = targets
  console.log(`  targets for p95 at ${plan.toLocaleString('en-US')} rows: ${indexed} ms,`)
  console.log(`  time range with total ${range} ms, full text ${search} ms`)
}

const teams = 'CIRS UVIS ISS VIMS INMS CAPS MIMI RPWS CDA MAG RADAR RSS MP PROBE'.split(' ')
const bodies = 'Saturn Titan Other Enceladus Rhea Dione Iapetus Tethys Mimas Hyperion Phoebe Janus Helene Pan'.split(
  ' ',
)
const words = (
  'plume flyby saturn titan polar occultation thermal map limb spectra hydrogen lightning dust grains field roll swath ' +
  'altimetry gravity doppler oscillator calibration lamp hexagon storm lakes dunes vortex craters cliffs spokes ansa ' +
  'canberra madrid antares survey electrons ions'
).split(' ')

let state = 20_040_514

function random(below) {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return (state >>> 0) % below
}

function pick(list) {
  return list[random(list.length)]
}

/** A day within the mission. */
function day() {
  return `${2005 + random(12)}-${String(1 + random(365)).padStart(3, '0')}`
}

/** More rows than the plan has, as a file that is imported. */
async function importRows(size, folder, data) {
  const file = join(folder, `${size}.csv`)
  const out = createWriteStream(file)
  out.write('start_time_utc,duration,date,team,spass_type,target,request_name,library_definition,title,description\n')
  const lines = []
  for (let i = 0; i < size; i++) {
    lines.push(rowAt(i, size))
    if (lines.length < 10_000 && i < size - 1) continue
    if (!out.write(lines.splice(0).join(''))) await new Promise(resolve => out.once('drain', resolve))
  }
  out.end()
  await finished(out)
  await importPlan(file, { data })
  rmSync(file)
}

function rowAt(i, size) {
  const at = Math.floor((i / size) * 12 * 365)
  const start = `${2005 + Math.floor(at / 365)}-${String(1 + (at % 365)).padStart(3, '0')}T12:00:00`
  // Names that come first are frequent, and a word is in one row of thirteen, as in the plan.
  const team = teams[Math.min(random(teams.length), random(teams.length))]
  const body = bodies[Math.min(random(bodies.length), random(bodies.length))]
  const filler = Array.from({ length: 12 }, () => `term${random(2000)}`).join(' ')
  const texts = `${pick(words)} study,${body} ${pick(words)},${pick(words)} and ${pick(words)}: ${filler} at ${i}`
  return `${start},000T01:00:00,1-Jan-05,${team},Prime,${body},REQ${random(900)},${texts}\n`
}

if (options.first) await answerOnce(options.first)
else await measure()
