// Several processes over one Redis: throughput, first calls, questions answered elsewhere, memory, sessions that come and go.
// node bench/scale.js [--seconds 3] [--connections 32] [--sessions 100000] [--questions 1000] [--json FILE]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { machine, readCount } from './options.js'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    sessions: { type: 'string', default: '100000' },
    questions: { type: 'string', default: '1000' },
    json: { type: 'string' },
  },
})
const seconds = readCount('seconds', values.seconds, 600)
const connections = readCount('connections', values.connections, 1000)
const sessions = readCount('sessions', values.sessions, 1_000_000)
const questions = readCount('questions', values.questions, 100_000)

const server = new URL('../test/scale/server.js', import.meta.url).pathname
const version = '2025-11-25'
const stateless = '2026-07-28'
const meta = {
  'io.modelcontextprotocol/protocolVersion': stateless,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '0.0.0' },
}
const hello = {
  protocolVersion: version,
  capabilities: { elicitation: {} },
  clientInfo: { name: 'bench', version: '0.0.0' },
}
const mirrored = { 'mcp-protocol-version': stateless, 'mcp-method': 'tools/call', 'mcp-name': 'add' }
const agent = new Agent({ keepAlive: true, maxSockets: connections, noDelay: true })
const children = []
const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'))
const result = { date: new Date().toISOString(), machine, seconds, connections }

try {
  console.log(machine)
  const redisPort = await freePort()
  const redisServer = start('redis-server', ['--port', `${redisPort}`, '--save', '', '--dir', folder])
  const redis = new Redis({ port: redisPort, retryStrategy: () => 50 })
  redis.on('error', () => {})
  await redis.ping()
  const url = `redis://127.0.0.1:${redisPort}/0`
  result.throughput = await throughput(url, redisServer)
  result.first = await firstCalls(url)
  result.questions = await answeredElsewhere(url)
  result.memory = await memory(url, redis)
  result.turnover = await turnover(url, redis)
  redis.disconnect()
  if (values.json) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
} finally {
  agent.destroy()
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

/** Calls per second, with one, two and four processes. */
async function throughput(url, redisServer) {
  const rows = []
  for (const [era, store, sizes] of [
    ['stateful', '', [1]],
    ['stateful', url, [1, 2, 4]],
    ['stateless', '', [1]],
    ['stateless', url, [1, 2, 4]],
  ]) {
    for (const size of sizes) rows.push(await oneThroughput({ era, store, size, redisServer }))
  }
  console.log(`\n${connections} connections, ${seconds} s each`)
  console.table(rows)
  return rows
}

async function oneThroughput({ era, store, size, redisServer }) {
  const cluster = await startAll(store, size)
  const clients = await Promise.all(
    Array.from({ length: connections }, async (_, i) => ({
      url: cluster[i % size].url,
      headers: era === 'stateful' ? await openSession(cluster[i % size].url) : undefined,
    })),
  )
  for (const client of clients) await call(client)
  const before = [...cluster.map(({ child }) => cpuOf(child)), cpuOf(redisServer)]
  const waits = []
  const until = performance.now() + seconds * 1000
  const work = async client => {
    while (performance.now() < until) {
      const began = performance.now()
      await call(client)
      waits.push(performance.now() - began)
    }
  }
  await Promise.all(clients.map(work))
  const after = [...cluster.map(({ child }) => cpuOf(child)), cpuOf(redisServer)]
  const used = after.map((ms, i) => ms - before[i])
  const redisCpu = used.pop()
  await stopAll(cluster)
  return {
    era,
    store: store ? 'redis' : 'memory',
    processes: size,
    'calls/s': Math.round(waits.length / seconds),
    'server CPU µs/call': round((1000 * sum(used)) / waits.length),
    'redis CPU µs/call': round((1000 * redisCpu) / waits.length),
    'p99 ms': quantile(waits, 0.99),
  }
}

/** What the first call of a session costs in a process that did not open it, beside one that follows. */
async function firstCalls(url) {
  const [a, b] = await startAll(url, 2)
  const first = []
  const warm = []
  for (let i = 0; i < 1000; i++) {
    const headers = await openSession(a.url)
    for (const waits of [first, warm]) {
      const began = performance.now()
      await call({ url: b.url, headers })
      waits.push(performance.now() - began)
    }
  }
  await stopAll([a, b])
  const rows = Object.entries({ first, warm }).map(([name, waits]) => ({
    call: name,
    'p50 ms': quantile(waits, 0.5),
    'p99 ms': quantile(waits, 0.99),
  }))
  console.log('\nthe first call of a session in a process, and the next one')
  console.table(rows)
  return rows
}

/** From the answer that is posted in one process to the end of the call in another. */
async function answeredElsewhere(url) {
  const [a, b] = await startAll(url, 2)
  const headers = await openSession(a.url)
  await call({ url: b.url, headers })
  const waits = []
  let failed = 0
  for (let i = 0; i < questions; i++) {
    let began = 0
    const text = await post(a.url, headers, message(i, 'tools/call', { name: 'ask', arguments: {} }), said => {
      const [, id] = /"id":"(causeway\.[^"]+)","method":"elicitation/.exec(said) ?? []
      if (id === undefined || began > 0) return
      began = performance.now()
      const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: `n${i}` } } }
      void post(b.url, headers, answer)
    })
    waits.push(performance.now() - began)
    if (!text.includes(`Hello n${i}`)) failed += 1
  }
  await stopAll([a, b])
  const row = { questions, failed, 'p50 ms': quantile(waits, 0.5), 'p99 ms': quantile(waits, 0.99) }
  console.log('\nquestions asked in one process and answered in another')
  console.table([row])
  return row
}

/** What a session that does nothing takes in Redis. */
async function memory(url, redis) {
  const cluster = await startAll(url, 1)
  const count = Math.min(10_000, sessions)
  await redis.flushall()
  const before = await usedMemory(redis)
  await many(count, () => openSession(cluster[0].url))
  const each = (await usedMemory(redis)) - before
  await stopAll(cluster)
  const row = { sessions: count, 'bytes each': Math.round(each / count) }
  console.log('\nmemory in Redis')
  console.table([row])
  return row
}

/** Sessions opened in one process, used in another, and left to expire. */
async function turnover(url, redis) {
  const idleMs = 5000
  const http = { sessionIdleMs: idleMs, maxSessions: 20_000, maxSessionsPerPrincipal: 20_000 }
  const [a, b] = await startAll(url, 2, { http })
  await redis.flushall()
  let failed = 0
  const began = performance.now()
  await many(sessions, async () => {
    const headers = await openSession(a.url)
    const said = await post(b.url, headers, message(1, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } }))
    if (!said.includes('"3"')) failed += 1
  })
  const took = (performance.now() - began) / 1000
  const ended = performance.now()
  let left = Infinity
  while (left > 0 && performance.now() - ended < 6 * idleMs) {
    await pause(200)
    left = (await redis.keys('cw:session:*')).length
  }
  const expired = (performance.now() - ended) / 1000
  await stopAll([a, b])
  const row = {
    sessions,
    failed,
    'made and used, s': round(took),
    'left over': left,
    'expired after, s': round(expired),
  }
  console.log('\nsessions made, used elsewhere, expired')
  console.table([row])
  return row
}

function start(program, args) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  return child
}

function startAll(url, size, options = {}) {
  const one = async () => {
    const child = start(process.execPath, [server, url, JSON.stringify(options)])
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
    return { child, url: `http://127.0.0.1:${Number(line)}` }
  }
  return Promise.all(Array.from({ length: size }, one))
}

async function stopAll(cluster) {
  for (const { child } of cluster) {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
}

/** So many, as many at once as there are connections. */
async function many(count, work) {
  let begun = 0
  const worker = async () => {
    while (begun < count) {
      begun += 1
      await work()
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

function message(id, method, params) {
  return { jsonrpc: '2.0', id, method, params }
}

async function openSession(url) {
  let id
  await post(url, {}, message('hello', 'initialize', hello), (_, headers) => (id = headers['mcp-session-id']))
  if (id === undefined) throw new Error('No session was opened')
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': version }
  await post(url, headers, { jsonrpc: '2.0', method: 'notifications/initialized' })
  return headers
}

async function call({ url, headers }) {
  const params = { name: 'add', arguments: { a: 1, b: 2 }, ...(!headers && { _meta: meta }) }
  const said = await post(url, headers ?? mirrored, message(1, 'tools/call', params))
  if (!said.includes('"3"')) throw new Error(`A call failed: ${said}`)
}

function post(url, headers, body, hear) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const all = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': Buffer.byteLength(text),
      'x-keep-alive': '1',
      ...headers,
    }
    const sending = request(`${url}/mcp`, { method: 'POST', agent, headers: all }, response => {
      let said = ''
      response.setEncoding('utf8').on('data', chunk => {
        said += chunk
        hear?.(said, response.headers)
      })
      response.once('end', () => resolve(said))
      response.once('error', reject)
    })
    sending.once('error', reject)
    sending.end(text)
  })
}

/** Milliseconds of CPU that a process has used. */
function cpuOf({ pid }) {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13)
  return (Number(user) + Number(system)) * 10
}

async function usedMemory(redis) {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
}

function freePort() {
  return new Promise(resolve => {
    const listener = createServer().listen(0, '127.0.0.1', () => {
      const { port } = listener.address()
      listener.close(() => resolve(port))
    })
  })
}

function sum(numbers) {
  return numbers.reduce((all, one) => all + one, 0)
}

function quantile(numbers, at) {
  const sorted = numbers.toSorted((x, y) => x - y)
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0)
}

function round(number) {
  return Math.round(number * 100) / 100
}
