/**
 * What a gateway costs, from the outside: the same calls straight to a server, through ours and through those of others;
 * then its start from a lock, its memory, its own work for a call, and a large catalog.
 *
 *   node bench/gateway.js [--seconds N] [--rounds N] [--quick] [--only hops|start|memory|forwarded|catalog]… [--json FILE]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { catalog, forwarded } from './gateway-catalog.js'
import { compare, endHops, hops } from './gateway-hops.js'
import { memory, start } from './gateway-start.js'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    quick: { type: 'boolean' },
    only: { type: 'string', multiple: true },
    json: { type: 'string' },
  },
})
const seconds = values.quick ? 0.5 : Number(values.seconds)
const rounds = values.quick ? 1 : Number(values.rounds)
const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'))
process.on('exit', () => {
  endHops()
  rmSync(folder, { recursive: true, force: true })
})

const result = { date: new Date().toISOString(), node: process.version, seconds, rounds, cases: [], targets: [] }

/** A figure beside what it should be. */
function target(what, value, limit, { unit = 'ms', atLeast = false } = {}) {
  const isMet = atLeast ? value >= limit : value <= limit
  result.targets.push({ what, value, limit, unit, isMet })
  const sign = atLeast ? '≥' : '≤'
  console.log(`${isMet ? 'met   ' : 'MISSED'} ${what}: ${value.toFixed(3)} ${unit} (${sign} ${limit})`)
}

function show({ at, name, perSecond, p50, p99, cpu }) {
  const figures = [
    `${perSecond.toFixed(0)} calls/s`,
    `p50 ${p50.toFixed(3)} ms`,
    `p99 ${p99.toFixed(2)} ms`,
    `${cpu.toFixed(0)} µs CPU`,
  ]
  console.log(`${String(at).padStart(3)} at once  ${name.padEnd(16)} ${figures.join('  ')}`)
}

async function measureHops() {
  const ways = await hops(folder)
  const rows = []
  for (const at of [1, 32]) {
    const some = await compare(ways, at, { seconds, rounds })
    some.forEach(show)
    rows.push(...some)
  }
  result.cases = rows
  const row = (name, at) => rows.find(one => one.name === name && one.at === at)
  const added = name => row(name, 1).p50 - row('direct', 1).p50
  target('added by a hop to a stdio server, p50', added('via stdio'), 0.15)
  target('added by a hop to an HTTP server, p50', added('via http'), 0.25)
  console.log(`       a bare Node hop to a stdio server adds ${added('bare Node hop').toFixed(3)} ms`)
  const share = row('via stdio', 32).perSecond / row('direct', 32).perSecond
  target('32 at once over stdio, to direct', share, 0.75, { unit: 'x', atLeast: true })
  for (const name of ['mcp-proxy', 'supergateway']) {
    const other = row(name, 32)
    if (!other) continue
    const times = row('via stdio', 32).perSecond / other.perSecond
    target(`32 at once over stdio, to ${name}`, times, 5, { unit: 'x', atLeast: true })
  }
}

const PARTS = {
  hops: measureHops,
  async start() {
    const { listMs, coldCallMs } = await start(folder, Math.max(3, rounds))
    target('20 servers from a lock, spawn to tools/list', listMs, 400)
    target('cold call', coldCallMs, 300)
  },
  async memory() {
    const { mbPerIdleServer } = await memory(folder, rounds)
    if (mbPerIdleServer !== undefined) target('memory of an idle server', mbPerIdleServer, 0.2, { unit: 'MB' })
  },
  async forwarded() {
    target('JavaScript of a forwarded call', await forwarded(values.quick ? 64_000 : 640_000), 8, { unit: 'µs' })
  },
  async catalog() {
    const { warmPageMs, rebuildMs } = await catalog()
    target('100 servers, 10,000 tools: a warm page of the list', warmPageMs, 5)
    target('100 servers, 10,000 tools: one server rebuilt', rebuildMs, 20)
  },
}

for (const [name, measure] of Object.entries(PARTS)) {
  if (!values.only || values.only.includes(name)) await measure()
}
if (values.json) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
process.exit(0)
