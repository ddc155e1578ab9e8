import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ways } from '../fuzz/carriers.ts'
import { Conversation } from '../fuzz/conversation.ts'
import type { Json } from '../fuzz/conversation.ts'
import { Messages } from '../fuzz/messages.ts'
import type { Catalog } from '../fuzz/messages.ts'
import { Random } from '../fuzz/random.ts'
import { ROOT } from '../support/spawned.ts'
import { curve } from './curve.ts'
import type { Sample } from './curve.ts'

// Random clients for minutes, then everything must be back: npm run soak -- [--minutes 3] [--seed N] [--jobs 6]

const STATELESS = '2026-07-28'
const STATEFUL = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
// A question to a client that left is waited for ten minutes, and idle sessions are looked for once a minute.
const SETTLE_MS = 12 * 60_000
// What caches and compiled code may add for good.
const MOST_MORE_HEAP_MB = 40
const MOST_MORE_FILES = 4

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    jobs: { type: 'string', default: '6' },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'causeway-soak-'))
writeFileSync(join(folder, 'main.ts'), 'export const answer = 42\n')
const child = fork(`${ROOT}test/soak/server.js`, [folder], { execArgv: ['--expose-gc'], stdio: 'pipe' })
child.stderr?.setEncoding('utf8').on('data', (text: string) => process.stderr.write(text))
const [{ url }] = (await once(child, 'message')) as [{ url: string }]

async function measure(): Promise<Sample> {
  child.send('measure')
  const [sample] = (await once(child, 'message')) as [Omit<Sample, 'children'>]
  return { ...sample, children: childrenOf(child.pid ?? 0).length }
}

/** Processes whose parent is this one. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(name => {
      try {
        return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1]) === parent
      } catch {
        return false
      }
    })
    .map(Number)
}

async function list(kind: string): Promise<Json[]> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: `${kind}/list` })
  const response = await fetch(`${url}/rpc`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  const { result } = (await response.json()) as { result?: Record<string, Json[]> }
  return result?.[kind] ?? []
}

const catalog: Catalog = {
  tools: [
    ...(await list('tools')).filter(({ name }) => !String(name).startsWith('ci_')),
    // More of what lasts, fails, asks and leaves children.
    ...['soak_deaf', 'soak_asks', 'soak_extra'].map(name => ({ name, inputSchema: { type: 'object' } })),
    ...['sleep 2', 'sleep 30', 'yes', `sh -c 'sleep 40 & sleep 50 & wait'`].map(command => ({
      name: 'run_command',
      inputSchema: { type: 'object', properties: { command: { const: command } }, required: ['command'] },
    })),
  ],
  prompts: await list('prompts'),
  resources: await list('resources'),
}

let calls = 0
const problems: string[] = []

/** One client: some messages, then a polite end or none at all. */
async function client(random: Random): Promise<void> {
  const way = random.pick(ways.filter(({ name }) => !name.startsWith('stdio')))
  const version = way.stateless ? STATELESS : way.handshake ? random.pick(STATEFUL) : '2025-03-26'
  const conversation = new Conversation(
    way.name,
    version,
    `mk-${random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0')}`,
  )
  const carrier = await way.open(conversation, { url, stdio: undefined })
  conversation.reply = ({ id }) => {
    const answer = { jsonrpc: '2.0', id, result: { action: 'decline' } }
    if (random.chance(0.7)) void carrier.send(JSON.stringify(answer))
  }
  if (way.handshake) {
    const clientInfo = { name: 'soak', version: '1' }
    const params = { protocolVersion: version, capabilities: { elicitation: {} }, clientInfo }
    conversation.expect('hello', 'initialize')
    await carrier.send(JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params }))
    await conversation.finished(10_000)
    await carrier.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  }
  const messages = new Messages(random, catalog, conversation, way)
  for (let i = 0; i < 20; i++) {
    const sent = carrier.send(messages.next())
    calls += 1
    if (random.chance(0.5)) await Promise.race([sent, new Promise(resolve => void setTimeout(resolve, 20))])
  }
  // Half of them leave in the middle, and leave their session behind.
  const polite = random.chance(0.5)
  if (polite) await conversation.finished(5000)
  conversation.close()
  if (!(await carrier.close(polite))) problems.push(`the server was not well after ${way.name}`)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}

/** Now and then a child is killed, or the list of tools changes. */
function disturb(random: Random): void {
  const children = childrenOf(child.pid ?? 0)
  if (children.length > 0 && random.chance(0.5)) kill(random.pick(children))
  if (random.chance(0.3)) child.send('reload')
}

const random = new Random(Number(options.seed))
for (let i = 0; i < 20; i++) await client(random.fork())
const before = await settled({ heapMb: Infinity, files: Infinity })
const samples: Sample[] = [before]
const deadline = performance.now() + Number(options.minutes) * 60_000
const clock = setInterval(() => disturb(random), 500)
const sampling = setInterval(() => void measure().then(sample => samples.push(sample)), 5000)

async function work(mine: Random): Promise<void> {
  while (performance.now() < deadline && child.exitCode === null) {
    try {
      await client(mine.fork())
    } catch (error) {
      problems.push(`a client failed: ${String(error)}`)
    }
  }
}
await Promise.all(Array.from({ length: Number(options.jobs) }, () => work(random.fork())))
clearInterval(clock)
clearInterval(sampling)

/** Measured again until everything is back, or the time for that is over. */
async function settled(limits: { heapMb: number; files: number }): Promise<Sample> {
  const end = performance.now() + SETTLE_MS
  for (;;) {
    const now = await measure()
    const isBack = now.sessions === 0 && now.streams === 0 && now.sockets === 0 && now.children === 0
    if ((isBack && now.heapMb <= limits.heapMb && now.files <= limits.files) || performance.now() > end) return now
    await new Promise(resolve => void setTimeout(resolve, 500))
  }
}

const limits = { heapMb: before.heapMb + MOST_MORE_HEAP_MB, files: before.files + MOST_MORE_FILES }
const after = await settled(limits)
samples.push(after)
for (const key of ['sessions', 'streams', 'sockets', 'children'] as const) {
  if (after[key] > 0) problems.push(`${after[key]} ${key} are left`)
}
if (after.heapMb > limits.heapMb) problems.push(`the heap grew from ${before.heapMb} to ${after.heapMb} MB`)
if (after.files > limits.files) {
  const kinds = [before, after].map(({ kindsOfFiles }) => JSON.stringify(kindsOfFiles))
  problems.push(`open files grew from ${before.files} to ${after.files}: ${kinds.join(' to ')}`)
}
child.send('end')
const [code] = (await once(child, 'exit')) as [number | null]
if (code !== 0) problems.push(`the server ended with ${String(code)}`)
rmSync(folder, { recursive: true, force: true })
console.log(curve(samples))
console.log(`soak: seed ${options.seed}, ${calls} messages, ${problems.length} problems`)
for (const problem of problems.slice(0, 20)) console.log(problem)
process.exitCode = problems.length > 0 ? 1 : 0
