import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
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

/** A server once it says where it listens: its URL and process. */
function listening(...args) {
  const child = start(args)
  return new Promise(resolve => {
    createInterface({ input: child.stdout }).on('line', line => {
      const [url] = /http:\/\/[\d.]+:\d+\/mcp/.exec(line) ?? []
      if (url) resolve({ url, pid: child.pid })
    })
  })
}

/** Our server over HTTP. */
const serve = (folder, ...flags) =>
  listening(causeway, 'serve', '--http', '--port', '0', '--data', folder, ...LIMITS_OFF, ...flags)

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
    'bare Node hop': {
      ...(await listening(join(root, 'bench/floor-hop.js'), process.execPath, ...upstream)),
      tool: 'add_numbers',
    },
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

const VERSION = '2025-11-25'
const HELLO = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'bench', version: '1' } }

/** One connection with one request on it at a time: prebuilt bytes out, and no more read of an answer than where it ends. */
class Connection {
  #socket
  #rest = ''
  #answered = () => {}
  #failed = () => {}

  static async open(port) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    return new Connection(socket)
  }

  constructor(socket) {
    this.#socket = socket
    socket.on('data', chunk => {
      this.#rest += chunk.latin1Slice()
      if (!isWhole(this.#rest)) return
      const answer = this.#rest
      this.#rest = ''
      this.#answered(answer)
    })
    socket.on('error', () => {})
    socket.on('close', () => this.#failed(new Error(`the connection was closed after ${this.#rest.slice(0, 200)}`)))
  }

  send(bytes) {
    return new Promise((answered, failed) => {
      this.#answered = answered
      this.#failed = failed
      this.#socket.write(bytes)
    })
  }

  close() {
    this.#failed = () => {}
    this.#socket.destroy()
  }
}

function isWhole(answer) {
  const end = answer.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /content-length: (\d+)/i.exec(answer)
  if (length) return answer.length >= end + 4 + Number(length[1])
  return answer.endsWith('\r\n0\r\n\r\n') || answer.startsWith('HTTP/1.1 202 ')
}

function request(port, session, message) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  const own = session === undefined ? '' : `Mcp-Session-Id: ${session}\r\nMCP-Protocol-Version: ${VERSION}\r\n`
  return Buffer.from(
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/json, text/event-stream\r\n` +
      `Content-Type: application/json\r\n${own}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** A session that all connections share, since some gateways start a process for each. */
async function openSession(port, tool) {
  const connection = await Connection.open(port)
  const hello = await connection.send(request(port, undefined, { id: 0, method: 'initialize', params: HELLO }))
  const [, session] = /^mcp-session-id: (\S+)/im.exec(hello) ?? []
  if (session === undefined) throw new Error(`initialize was answered with ${hello.slice(0, 300)}`)
  await connection.send(request(port, session, { method: 'notifications/initialized' }))
  for (let tries = 0; tries < 200; tries++) {
    const list = await connection.send(request(port, session, { id: 0, method: 'tools/list' }))
    if (list.includes(tool)) {
      connection.close()
      return session
    }
    await new Promise(resolve => void setTimeout(resolve, 50))
  }
  throw new Error(`${tool} is not listed`)
}

/** Calls for so long over so many connections, one at a time on each. */
async function measure({ url, pid, tool }, at, seconds) {
  const port = Number(new URL(url).port)
  const session = await openSession(port, tool)
  const connections = await Promise.all(Array.from({ length: at }, () => Connection.open(port)))
  const params = { name: tool, arguments: CALL }
  const run = async duration => {
    const times = []
    const until = performance.now() + duration * 1000
    const one = async (connection, id) => {
      const bytes = request(port, session, { id, method: 'tools/call', params })
      let answer = ''
      for (let now = performance.now(); now < until;) {
        answer = await connection.send(bytes)
        const then = performance.now()
        times.push(then - now)
        now = then
      }
      if (!answer.startsWith('HTTP/1.1 200 ') || !/result\D{0,8}3/.test(answer) || answer.includes('"isError":true'))
        throw new Error(`the answer was ${answer.slice(0, 500)}`)
    }
    await Promise.all(connections.map((connection, index) => one(connection, index + 1)))
    return times
  }
  await run(Math.max(0.3, seconds / 2))
  const isLinux = process.platform === 'linux'
  const before = isLinux ? cpuOf(pid) : 0
  const times = await run(seconds)
  const cpu = isLinux ? (cpuOf(pid) - before) / times.length : Number.NaN
  for (const connection of connections) connection.close()
  times.sort((a, b) => a - b)
  const within = share => times[Math.floor(times.length * share)]
  return { perSecond: times.length / seconds, p50: within(0.5), p99: within(0.99), cpu }
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
