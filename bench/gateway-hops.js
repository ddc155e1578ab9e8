import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { HttpWire, RemoteServer } from '@causeway/engine/client'
import { median } from './report.js'
import { root } from './targets.js'

const causeway = join(root, 'packages/cli/bin/causeway.js')
const peers = join(root, 'bench/peers')
const LIMITS_OFF = ['--rate-limit', 'off', '--max-inflight', '1000', '--log-level', 'error']
const CALL = { number1: 1, number2: 2 }
const children = new Set()

/** End every server that was started for the hops. */
export function endHops() {
  for (const child of children) {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It is gone.
    }
  }
}

function start(args, options = {}) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true, ...options })
  children.add(child)
  return child
}

/** Our server over HTTP; its URL and process. */
function serve(folder, ...flags) {
  const child = start([causeway, 'serve', '--http', '--port', '0', '--data', folder, ...LIMITS_OFF, ...flags])
  return new Promise(resolve => {
    createInterface({ input: child.stdout }).on('line', line => {
      const [url] = /http:\/\/[\d.]+:\d+\/mcp/.exec(line) ?? []
      if (url) resolve({ url, pid: child.pid })
    })
  })
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise(done => void probe.close(done))
  return port
}

/** A gateway of others, once it answers at its port. */
async function peer(argsFor) {
  const port = await freePort()
  const child = start(argsFor(String(port)), { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}/mcp`
  for (let tries = 0; tries < 600; tries++) {
    const answers = await fetch(url, { method: 'POST' }).then(
      () => true,
      () => false,
    )
    if (answers) return { url, pid: child.pid }
    await new Promise(resolve => void setTimeout(resolve, 50))
  }
  throw new Error(`${argsFor('PORT').join(' ')} did not listen`)
}

const upstream = [causeway, 'serve', '--pack', 'basics', ...LIMITS_OFF]

/** The gateways of others that are installed, in front of the same server over stdio. */
const others = {
  'mcp-proxy': [
    'mcp-proxy/dist/bin/mcp-proxy.mjs',
    (file, port) => [file, '--port', port, '--host', '127.0.0.1', '--', process.execPath, ...upstream],
  ],
  supergateway: [
    'supergateway/dist/index.js',
    (file, port) => [
      file,
      '--stdio',
      [process.execPath, ...upstream].join(' '),
      '--outputTransport',
      'streamableHttp',
      '--stateful',
      '--logLevel',
      'none',
      '--port',
      port,
    ],
  ],
  'SDK 2.x, naive': [
    '@modelcontextprotocol/node/package.json',
    (_, port) => [join(peers, 'sdk-hop.js'), port, process.execPath, ...upstream],
  ],
}

/** Every way to the same tool: straight, through us, through others. */
export async function hops(folder) {
  const direct = await serve(folder, '--pack', 'basics')
  const file = (name, entry) => {
    const path = join(folder, `${name}.json`)
    writeFileSync(path, JSON.stringify({ mcpServers: { up: { limits: { inFlight: 1000 }, ...entry } } }))
    return path
  }
  const viaStdio = await serve(
    folder,
    '--pack',
    'none',
    '--servers',
    file('stdio', { command: process.execPath, args: upstream }),
  )
  const viaHttp = await serve(folder, '--pack', 'none', '--servers', file('http', { url: direct.url }))
  const found = {
    direct: { ...direct, tool: 'add_numbers' },
    'via stdio': { ...viaStdio, tool: 'up__add_numbers' },
    'via http': { ...viaHttp, tool: 'up__add_numbers' },
  }
  for (const [name, [path, argsFor]] of Object.entries(others)) {
    const installed = join(peers, 'node_modules', path)
    if (existsSync(installed)) {
      found[name] = { ...(await peer(port => argsFor(installed, port))), tool: 'add_numbers' }
    } else console.log(`${name} is not installed: npm ci --prefix bench/peers`)
  }
  return found
}

/** Processor time of a process so far, in µs. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** Calls for so long, so many at once. */
async function measure({ url, pid, tool }, at, seconds) {
  const client = { name: 'bench', version: '1' }
  const remote = await RemoteServer.connect({ open: () => new HttpWire({ url }) }, { client, version: '2025-11-25' })
  while (!(await remote.list('tools/list')).some(({ name }) => name === tool)) await new Promise(setImmediate)
  const times = []
  let until = 0
  const one = async () => {
    while (performance.now() < until) {
      const began = performance.now()
      const { content, isError } = await remote.callTool(tool, CALL)
      times.push(performance.now() - began)
      if (isError || !content[0].text.includes('3')) throw new Error(`${tool} answered ${JSON.stringify(content)}`)
    }
  }
  until = performance.now() + Math.max(200, seconds * 250)
  await Promise.all(Array.from({ length: at }, one))
  times.length = 0
  const isLinux = process.platform === 'linux'
  const cpu = isLinux ? cpuOf(pid) : 0
  until = performance.now() + seconds * 1000
  await Promise.all(Array.from({ length: at }, one))
  const spent = isLinux ? (cpuOf(pid) - cpu) / times.length : Number.NaN
  await remote.close()
  times.sort((a, b) => a - b)
  const within = share => times[Math.floor(times.length * share)]
  return { perSecond: times.length / seconds, p50: within(0.5), p99: within(0.99), cpu: spent }
}

/** Rows of one number of calls at once: rounds go through the ways in turn. */
export async function compare(ways, at, { seconds, rounds }) {
  const rows = Object.fromEntries(Object.keys(ways).map(name => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      try {
        rows[name].push(await measure(way, at, seconds))
      } catch (error) {
        console.log(`${name} failed with ${at} at once: ${error.message.slice(0, 200)}`)
      }
    }
  }
  return Object.entries(rows).flatMap(([name, samples]) => {
    const of = key => median(samples.map(sample => sample[key]))
    return samples.length === 0
      ? []
      : [{ at, name, perSecond: of('perSecond'), p50: of('p50'), p99: of('p99'), cpu: of('cpu') }]
  })
}
