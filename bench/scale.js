// Several processes over one Redis: throughput, first calls, questions answered elsewhere, memory, sessions that come and go.
// node bench/scale.js [--seconds 3] [--rounds 5] [--connections 32] [--sessions 100000] [--questions 1000] [--calls 10000] [--json FILE] [--write]
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { machine, readCount } from './options.js'
import { median } from './report.js'
import {
  adds,
  call,
  cleanUp,
  cpuOf,
  many,
  memoryOf,
  message,
  openSession,
  post,
  startAll,
  startRedis,
  stopAll,
} from './scale-cluster.js'
import { verdict, writeFigures } from './sizing.js'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    sessions: { type: 'string', default: '100000' },
    questions: { type: 'string', default: '1000' },
    calls: { type: 'string', default: '10000' },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const seconds = readCount('seconds', values.seconds, 600)
const rounds = readCount('rounds', values.rounds, 100)
const connections = readCount('connections', values.connections, 1000)
const sessions = readCount('sessions', values.sessions, 1_000_000)
const questions = readCount('questions', values.questions, 100_000)
const calls = readCount('calls', values.calls, 1_000_000)

// What is asked of it.
const warmRatio = 1.05
const firstMs = 2
const questionMs = 20
// So many turns a round, where two are compared; and so many sessions that are not counted, while code is compiled.
const turns = 6
const uncounted = 200

const result = { date: new Date().toISOString(), machine, seconds, rounds, connections }

try {
  console.log(machine)
  const server = await startRedis()
  const redis = new Redis({ port: server.port, retryStrategy: () => 50 })
  redis.on('error', () => {})
  await redis.ping()
  const { url } = server
  result.throughput = await throughput(url, server.child)
  result.warm = await warmCalls(url)
  result.first = await firstCalls(url)
  result.questions = await answeredElsewhere(url)
  result.scattered = await scattered(url)
  result.memory = await memory(url, redis)
  result.turnover = await turnover(url, redis)
  redis.disconnect()
  if (values.json) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
  if (values.write) writeFigures(figures(result))
} finally {
  cleanUp()
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
  const clients = await clientsOf(cluster, era)
  const { waits, cpu, redisCpu } = await drive(clients, cluster, { redisServer })
  await stopAll(cluster)
  return {
    era,
    store: store ? 'redis' : 'memory',
    processes: size,
    'calls/s': Math.round(waits.length / seconds),
    'server CPU µs/call': cpu,
    'redis CPU µs/call': redisCpu,
    'p99 ms': quantile(waits, 0.99),
  }
}

function clientsOf(cluster, era) {
  const open = async (_, i) => {
    const { url } = cluster[i % cluster.length]
    const client = { url, headers: era === 'stateful' ? await openSession(url) : undefined }
    await call(client)
    return client
  }
  return Promise.all(Array.from({ length: connections }, open))
}

/** Let all clients call for some seconds: how long each call took, and the CPU of one. */
async function drive(clients, cluster, { redisServer, turnSeconds = seconds } = {}) {
  const measured = [...cluster.map(({ child }) => child), redisServer].filter(Boolean)
  const before = measured.map(cpuOf)
  const waits = []
  const until = performance.now() + turnSeconds * 1000
  const work = async client => {
    while (performance.now() < until) {
      const began = performance.now()
      await call(client)
      waits.push(performance.now() - began)
    }
  }
  await Promise.all(clients.map(work))
  const used = measured.map((child, i) => ((cpuOf(child) - before[i]) * 1000) / waits.length)
  const redisCpu = redisServer ? round(used.pop()) : 0
  return { waits, cpu: round(used.reduce((all, one) => all + one, 0)), redisCpu }
}

/** A stateful call that needs nothing of Redis, in a process that has one and in one that has not, in turn. */
async function warmCalls(url) {
  const kinds = await Promise.all(
    Object.entries({ memory: '', redis: url }).map(async ([name, store]) => {
      const cluster = await startAll(store, 1)
      return { name, cluster, clients: await clientsOf(cluster, 'stateful'), cpu: [] }
    }),
  )
  // Short turns, since the machine's speed drifts; the first ones are for the compiler.
  for (let i = -turns; i < rounds * turns; i++) {
    for (const { clients, cluster, cpu } of i % 2 ? kinds : kinds.toReversed()) {
      const driven = await drive(clients, cluster, { turnSeconds: seconds / turns })
      if (i >= 0) cpu.push(driven.cpu)
    }
  }
  for (const { cluster } of kinds) await stopAll(cluster)
  const [memory, redis] = kinds.map(({ cpu }) => round(median(cpu)))
  const row = { memory, redis, ratio: round(redis / memory), turns: rounds * turns }
  console.log('\na warm stateful call: µs of server CPU, without Redis and with it')
  console.table([row])
  verdict('with Redis it takes', row.ratio, { most: warmRatio, unit: 'times as much' })
  return row
}

/** What the first call of a session costs in a process that did not open it, beside one that follows. */
async function firstCalls(url) {
  const [a, b] = await startAll(url, 2)
  const first = []
  const warm = []
  for (let i = -Math.min(uncounted, calls); i < Math.min(1000, calls); i++) {
    const headers = await openSession(a.url)
    for (const waits of [first, warm]) {
      const began = performance.now()
      await call({ url: b.url, headers })
      if (i >= 0) waits.push(performance.now() - began)
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
  const added = round(rows[0]['p99 ms'] - rows[1]['p99 ms'])
  verdict('at p99 the first one adds', added, { most: firstMs, unit: 'ms' })
  return { rows, added }
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
  verdict('at p99 an answer takes', row['p99 ms'], { most: questionMs, unit: 'ms' })
  verdict('questions that failed:', failed, { most: 0, unit: '' })
  return row
}

/** Calls of twenty sessions, each in another process than the one before. */
async function scattered(url) {
  const cluster = await startAll(url, 3)
  const clients = await Promise.all(Array.from({ length: 20 }, (_, i) => openSession(cluster[i % 3].url)))
  let failed = 0
  await many(calls, connections, async i => {
    const client = { url: cluster[i % 3].url, headers: clients[i % clients.length] }
    if (!(await adds(client).catch(() => false))) failed += 1
  })
  await stopAll(cluster)
  console.log('\ncalls scattered over three processes')
  console.table([{ calls, failed }])
  verdict('calls that failed:', failed, { most: 0, unit: '' })
  return { calls, failed }
}

/** What a session that does nothing takes in Redis, and in the process that knows it. */
async function memory(url, redis) {
  const [one] = await startAll(url, 1)
  const count = Math.min(8000, sessions)
  // What the first ones need is not theirs alone.
  await many(Math.min(500, count), connections, () => openSession(one.url))
  await redis.flushall()
  const before = [await usedMemory(redis), memoryOf(one.child)]
  await many(count, connections, () => openSession(one.url))
  const each = [(await usedMemory(redis)) - before[0], memoryOf(one.child) - before[1]]
  await stopAll([one])
  const [inRedis, inProcess] = each.map(bytes => Math.round(bytes / count))
  const row = { sessions: count, 'bytes each in Redis': inRedis, 'bytes each in the process': inProcess }
  console.log('\nmemory of sessions; nothing is collected by force')
  console.table([row])
  return { count, inRedis, inProcess }
}

/** Sessions opened in one process, used in another, and left to expire. */
async function turnover(url, redis) {
  const idleMs = 5000
  const http = { sessionIdleMs: idleMs, maxSessions: 20_000, maxSessionsPerPrincipal: 20_000 }
  const [a, b] = await startAll(url, 2, { http })
  await redis.flushall()
  let failed = 0
  const began = performance.now()
  await many(sessions, connections, async () => {
    const headers = await openSession(a.url)
    if (!(await adds({ url: b.url, headers }))) failed += 1
  })
  const took = round((performance.now() - began) / 1000)
  const ended = performance.now()
  let left = Infinity
  while (left > 0 && performance.now() - ended < 6 * idleMs) {
    await pause(200)
    left = (await redis.keys('cw:session:*')).length
  }
  const expired = round((performance.now() - ended) / 1000)
  await stopAll([a, b])
  const row = { sessions, failed, 'made and used, s': took, 'left over': left, 'expired after, s': expired }
  console.log('\nsessions made, used elsewhere, expired')
  console.table([row])
  verdict('sessions that failed or stayed:', failed + left, { most: 0, unit: '' })
  return { sessions, failed, took, left, expired }
}

/** What docs/deploy.md says about all this. */
function figures({ warm, first, questions: asked, scattered: calls, memory: used, turnover: made }) {
  const number = value => value.toLocaleString('en-US')
  return {
    'a warm stateful call with Redis, to one without': `${warm.ratio} times (${warm.redis} and ${warm.memory} µs of server CPU)`,
    'the first call of a session in a process, more than the next': `${first.added} ms at p99`,
    'a question answered in another process': `${asked['p50 ms']} ms at p50, ${asked['p99 ms']} ms at p99; ${number(asked.questions)} asked, ${asked.failed} failed`,
    'calls scattered over three processes': `${number(calls.calls)}, ${calls.failed} failed`,
    'sessions made in one process, used in another, expired': `${number(made.sessions)} in ${made.took} s, ${made.failed} failed, ${made.left} left over`,
    'memory per session in Redis': `${used.inRedis} bytes (${number(used.count)} sessions)`,
    'memory per session in a process that knows it': `${(used.inProcess / 1000).toFixed(1)} kB (resident, nothing collected by force)`,
  }
}

async function usedMemory(redis) {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
}

function quantile(numbers, at) {
  const sorted = numbers.toSorted((x, y) => x - y)
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0)
}

function round(number) {
  return Math.round(number * 100) / 100
}
