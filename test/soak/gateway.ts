import { fork, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { Random } from '../fuzz/random.ts'
import { ROOT } from '../support/spawned.ts'
import { curve } from './curve.ts'
import type { Sample } from './curve.ts'

// Clients of a gateway, killed at random; then everything must be back: npm run -s soak:gateway -- [--minutes 10] [--seed N] [--processes 4]

// A server is waited for for a minute, and then sessions that were idle for the few seconds set here are looked for once a
// minute, also those whose calls wait for an answer of a client that is gone.
const SETTLE_MS = 5 * 60_000
const CLIENTS_EACH = 20
// What caches and compiled code may add for good.
const MOST_MORE_HEAP_MB = 40
const MOST_MORE_FILES = 4
const ANSWER_WITHIN_MS = 10_000

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    processes: { type: 'string', default: '4' },
  },
})

const MARK = `SOAK_MARK=${randomUUID()}`
const env = { SOAK_MARK: MARK.slice('SOAK_MARK='.length) }
const script = (name: string): string => `${ROOT}test/support/upstreams/${name}.js`
const entry = (name: string, ...args: string[]): object => ({
  command: process.execPath,
  args: [script(name), ...args],
  env,
  idle: '2s',
})

/** Processes of servers, wherever they went: by a mark in their environment. */
function upstreamProcesses(): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && environmentOf(name).includes(MARK))
    .map(Number)
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

const far = spawn(process.execPath, [script('sdk-v1'), '--http'], { stdio: ['ignore', 'pipe', 'inherit'] })
const [farUrl] = (await once(createInterface({ input: far.stdout }), 'line')) as [string]
const mcpServers = {
  one: entry('sdk-v1'),
  two: entry('sdk-v2'),
  far: { url: farUrl, idle: '2s' },
  plain: entry('plain', '--hostile'),
  crashes: entry('plain', '--crash', '3000'),
  missing: { command: 'no-such-program' },
}
const gateway = fork(`${ROOT}test/soak/gateway-server.js`, [JSON.stringify(mcpServers)], {
  execArgv: ['--expose-gc'],
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
})
const [{ url }] = (await once(gateway, 'message')) as [{ url: string }]
const problems: string[] = []

type Upstreams = readonly Readonly<Record<string, unknown>>[]

interface Measured extends Sample {
  /** Calls that were given up long ago and have not ended. */
  readonly unended: number
  readonly status: Upstreams
  readonly held: Upstreams
}

async function measure(): Promise<Measured> {
  gateway.send('measure')
  const [sample] = (await once(gateway, 'message')) as [Measured]
  return { ...sample, children: upstreamProcesses().length }
}

const clients = new Set<ChildProcess>()
let started = 0

/** Clients in a process of their own, which ends when it is killed. */
async function killedClients(random: Random, lifeMs: number): Promise<void> {
  const seed = String(random.below(2 ** 32))
  const args = [`${ROOT}test/soak/gateway-client.js`, url, seed, String(CLIENTS_EACH)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  clients.add(child)
  started += CLIENTS_EACH
  const ended = once(child, 'close')
  const killing = setTimeout(() => child.kill('SIGKILL'), lifeMs)
  await ended
  clearTimeout(killing)
  clients.delete(child)
}

/** Somebody who behaves is served all the time. */
async function probe(): Promise<void> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'two__echo', arguments: { text: 'still here' } },
  })
  const headers = { 'content-type': 'application/json', authorization: 'Bearer probe' }
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
  const said = await fetch(`${url}/rpc`, { method: 'POST', body, headers, signal })
    .then(response => response.text())
    .catch(String)
  if (!said.includes('still here')) problems.push(`the probe got ${said.slice(0, 200)}`)
}

/** Measured again until everything is back, or the time for that is over. */
async function settled(limits: { heapMb: number; files: number }): Promise<Measured> {
  const end = performance.now() + SETTLE_MS
  for (;;) {
    const now = await measure()
    const isBack = now.sessions === 0 && now.streams === 0 && now.children === 0 && now.unended === 0
    if ((isBack && now.heapMb <= limits.heapMb && now.files <= limits.files) || performance.now() > end) return now
    await new Promise(resolve => void setTimeout(resolve, 500))
  }
}

const random = new Random(Number(options.seed))
process.once('exit', () => {
  for (const child of [far, gateway, ...clients]) child.kill('SIGKILL')
})
// On a busy machine a server may take long to start for the first time.
const startedBy = performance.now() + 30_000
do problems.length = 0
while ((await probe(), problems.length > 0) && performance.now() < startedBy)
const before = await settled({ heapMb: Infinity, files: Infinity })
const samples: Sample[] = [before]
const say = (words: string): void => void process.stderr.write(`soak: ${words}\n`)
say(`${options.minutes} minutes, seed ${options.seed}`)
const deadline = performance.now() + Number(options.minutes) * 60_000
const sampling = setInterval(() => void measure().then(sample => samples.push(sample)), 5000)
const probing = setInterval(() => void probe(), 3000)

async function work(mine: Random): Promise<void> {
  while (performance.now() < deadline && gateway.exitCode === null) {
    const left = deadline - performance.now()
    await killedClients(mine.fork(), Math.min(left, 1500 + mine.below(10_000)))
    // Now and then every server is ended under way.
    if (mine.chance(0.05)) gateway.send('restart')
  }
}
await Promise.all(Array.from({ length: Number(options.processes) }, () => work(random.fork())))
clearInterval(sampling)
clearInterval(probing)

say(`${started} clients killed; waiting for everything to come back, up to ${SETTLE_MS / 60_000} minutes`)
const limits = { heapMb: before.heapMb + MOST_MORE_HEAP_MB, files: before.files + MOST_MORE_FILES }
const after = await settled(limits)
samples.push(after)
for (const key of ['sessions', 'streams', 'children', 'unended'] as const) {
  if (after[key] > 0) problems.push(`${after[key]} ${key === 'unended' ? 'calls that were given up' : key} are left`)
}
if (after.children > 0)
  console.log(
    after.status.filter(({ state }) => state !== 'idle'),
    after.held,
  )
if (after.heapMb > limits.heapMb) problems.push(`the heap grew from ${before.heapMb} to ${after.heapMb} MB`)
if (after.files > limits.files) problems.push(`open files grew from ${before.files} to ${after.files}`)
gateway.send('end')
const [code] = (await once(gateway, 'exit')) as [number | null]
if (code !== 0) problems.push(`the gateway ended with ${String(code)}`)
if (upstreamProcesses().length > 0) problems.push(`${upstreamProcesses().length} processes outlived it`)
far.kill('SIGKILL')
console.log(curve(samples))
console.log(`soak: seed ${options.seed}, ${started} clients killed, ${problems.length} problems`)
for (const problem of problems.slice(0, 20)) console.log(problem)
process.exit(problems.length > 0 ? 1 : 0)
