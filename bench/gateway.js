/**
 * What a hop through the gateway costs, from the outside: the same calls straight to a server and through the gateway.
 *
 *   node bench/gateway.js [--seconds N] [--rounds N] [--json FILE]
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { HttpWire, RemoteServer } from '@causeway/engine/client'
import { createServer } from '@causeway/engine'
import { Gateway, readServers } from '@causeway/gateway'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'string' },
  },
})
const seconds = Number(values.seconds)
const causeway = fileURLToPath(new URL('../packages/cli/bin/causeway.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'))
const children = new Set()
process.on('exit', () => {
  for (const child of children) child.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

const LIMITS_OFF = ['--rate-limit', 'off', '--max-inflight', '1000', '--log-level', 'error']

/** A server over HTTP; resolves to its URL and process. */
function serve(...flags) {
  const args = [causeway, 'serve', '--http', '--port', '0', '--data', folder, ...LIMITS_OFF, ...flags]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.add(child)
  return new Promise(resolve => {
    createInterface({ input: child.stdout }).on('line', line => {
      const [url] = /http:\/\/[\d.]+:\d+\/mcp/.exec(line) ?? []
      if (url) resolve({ url, pid: child.pid })
    })
  })
}

function serversFile(name, entry) {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify({ mcpServers: { up: { limits: { inFlight: 1000 }, ...entry } } }))
  return file
}

const median = list => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

/** Processor time of a process so far, in µs. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** Calls for so long over so many connections at once. */
async function measure({ url, pid, tool }, at) {
  const client = { name: 'bench', version: '1' }
  const remote = await RemoteServer.connect({ open: () => new HttpWire({ url }) }, { client, version: '2025-11-25' })
  while (!(await remote.list('tools/list')).some(({ name }) => name === tool)) await new Promise(setImmediate)
  const times = []
  let calls = 0
  let until = 0
  const one = async () => {
    while (performance.now() < until) {
      const began = performance.now()
      await remote.callTool(tool, { number1: 1, number2: 2 })
      times.push(performance.now() - began)
      calls += 1
    }
  }
  for (let i = 0; i < 200; i++) await remote.callTool(tool, { number1: 1, number2: 2 })
  const cpu = process.platform === 'linux' ? cpuOf(pid) : 0
  until = performance.now() + seconds * 1000
  await Promise.all(Array.from({ length: at }, one))
  const spent = process.platform === 'linux' ? (cpuOf(pid) - cpu) / calls : Number.NaN
  await remote.close()
  times.sort((a, b) => a - b)
  return {
    perSecond: calls / seconds,
    p50: times[Math.floor(times.length / 2)],
    p99: times[Math.floor(times.length * 0.99)],
    cpu: spent,
  }
}

/** From the start of the process to the first list, with twenty servers whose lists are kept. */
async function start() {
  const tools = Array.from({ length: 20 }, (_, i) => ({ name: `t${i}`, inputSchema: { type: 'object' } }))
  const script = fileURLToPath(new URL('../test/support/upstreams/plain.js', import.meta.url))
  const list = join(folder, 'tools.json')
  writeFileSync(list, JSON.stringify(tools))
  const entry = { command: process.execPath, args: [script, '--tools', list] }
  const file = join(folder, 'twenty.json')
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`s${i}`, entry])) }),
  )
  const flags = ['list', '--pack', 'none', '--servers', file, '--data', folder, '--json']
  const run = () => {
    const began = performance.now()
    const child = spawn(process.execPath, [causeway, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.resume()
    return new Promise(resolve => void child.once('close', () => resolve(performance.now() - began)))
  }
  const cold = await run()
  return { coldMs: cold, keptMs: median([await run(), await run(), await run()]) }
}

/** A hundred servers with a hundred tools each: a list, and one of them rebuilt. */
async function catalog() {
  const server = createServer({ name: 'bench', version: '1', log: () => {}, pageSize: 1000 })
  const gateway = new Gateway(server)
  const mcpServers = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`s${i}`, { url: 'http://127.0.0.1:9/mcp' }]),
  )
  const { upstreams } = readServers(
    { mcpServers },
    { file: '/x', variables: () => undefined, readText: () => undefined },
  )
  await gateway.apply(upstreams)
  const inputSchema = { type: 'object', properties: { a: { type: 'string', description: 'something '.repeat(20) } } }
  const lists = n => ({
    tools: Array.from({ length: 100 }, (_, i) => ({ name: `t${i}`, description: `does ${i} ${n}`, inputSchema })),
    prompts: [],
    resources: [],
    templates: [],
  })
  for (const { source } of gateway.servers.values()) source.show(lists(0))
  await server.listed('tool')
  const timed = async work => {
    const began = performance.now()
    await work()
    return performance.now() - began
  }
  const warm = median(await Promise.all(Array.from({ length: 5 }, () => timed(() => server.listed('tool')))))
  const [one] = gateway.servers.values()
  const rebuilt = await timed(() => one.source.show(lists(1)))
  await gateway.close()
  return { warmListMs: warm, rebuildMs: rebuilt }
}

const basics = ['--pack', 'basics']
const direct = await serve(...basics)
const viaHttp = await serve('--pack', 'none', '--servers', serversFile('http', { url: direct.url }))
const stdioEntry = { command: process.execPath, args: [causeway, 'serve', ...basics, ...LIMITS_OFF] }
const viaStdio = await serve('--pack', 'none', '--servers', serversFile('stdio', stdioEntry))
const targets = {
  direct: { ...direct, tool: 'add_numbers' },
  'via stdio': { ...viaStdio, tool: 'up__add_numbers' },
  'via http': { ...viaHttp, tool: 'up__add_numbers' },
}
const result = { date: new Date().toISOString(), node: process.version, seconds, cases: [] }
for (const at of [1, 32]) {
  const rows = Object.fromEntries(Object.keys(targets).map(name => [name, []]))
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [name, target] of Object.entries(targets)) rows[name].push(await measure(target, at))
  for (const [name, samples] of Object.entries(rows)) {
    const of = key => median(samples.map(sample => sample[key]))
    const row = { at, name, perSecond: of('perSecond'), p50: of('p50'), p99: of('p99'), cpu: of('cpu') }
    result.cases.push(row)
    const shown = [
      `${row.perSecond.toFixed(0)} calls/s`,
      `p50 ${row.p50.toFixed(3)} ms`,
      `p99 ${row.p99.toFixed(2)} ms`,
      `${row.cpu.toFixed(0)} µs CPU`,
    ]
    console.log(`${String(at).padStart(3)} at once  ${name.padEnd(10)} ${shown.join('  ')}`)
  }
}
result.start = await start()
result.catalog = await catalog()
console.log('start with 20 servers', result.start)
console.log('100 servers, 10,000 tools', result.catalog)
if (values.json) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
process.exit(0)
