import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT, Spawned } from '../support/spawned.ts'
import { ways } from './carriers.ts'
import type { Target, Way } from './carriers.ts'
import { Conversation } from './conversation.ts'
import type { Json } from './conversation.ts'
import { isAlive } from './http-carrier.ts'
import type { Carrier } from './http-carrier.ts'
import { Messages } from './messages.ts'
import type { Catalog } from './messages.ts'
import { Random } from './random.ts'
import { anyValue } from './values.ts'

// Fuzzes every way into every kind of server: npm run fuzz -- [--seconds 60] [--seed N] [--jobs 3] [--way NAME]

const STATEFUL = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
const STATELESS = '2026-07-28'
const MESSAGES = 60
const ANSWER_MS = 60_000
const MOST_MB = 900

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    jobs: { type: 'string', default: '3' },
    way: { type: 'string' },
  },
})

interface Running extends Target {
  readonly name: string
  readonly server: Spawned
  readonly catalog: Catalog
}

const folder = mkdtempSync(join(tmpdir(), 'causeway-fuzz-'))
writeFileSync(join(folder, 'package.json'), '{"name":"fuzzed","scripts":{"test":"true"}}')
writeFileSync(join(folder, 'main.c'), 'int main(void) { return 0; }\n')

/** The servers that are fuzzed: every preset, both lifecycles, and one that asks its clients. */
const KINDS: readonly { name: string; flags: readonly string[]; script?: string }[] = [
  { name: 'all', flags: ['--preset', 'all', '--rate-limit', 'off'] },
  { name: 'strict', flags: ['--lifecycle', 'strict', '--read-only', '--max-inflight', '4'] },
  { name: 'lenient', flags: ['--lifecycle', 'lenient', '--audit', 'stderr'] },
  ...['workstation', 'basics', 'cassini', 'toolkit', 'threats'].map(preset => ({
    name: preset,
    flags: ['--preset', preset],
  })),
  { name: 'everything', flags: [], script: `${ROOT}conformance/everything/main.js` },
]

async function start({ name, flags, script }: (typeof KINDS)[number]): Promise<Running> {
  const common = script === undefined ? ['--root', folder, '--data', folder, ...flags] : flags
  const serve = script === undefined ? ['serve', '--http', '--port', '0', ...common] : ['--port', '0']
  const server = new Spawned(serve, script === undefined ? {} : { script })
  const url = await server.until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(server.stderr + server.lines.join('\n'))?.[0])
  const stdio = script === undefined ? ['serve', '--stdio', ...common] : undefined
  const catalog = await catalogOf(url)
  return { name, server, url, stdio, catalog, ...(script !== undefined && { script }) }
}

async function catalogOf(url: string): Promise<Catalog> {
  const list = async (kind: string): Promise<Json[]> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: `${kind}/list` })
    const response = await fetch(`${url}/rpc`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    const { result } = (await response.json()) as { result?: Record<string, Json[]> }
    return result?.[kind] ?? []
  }
  // What waits for a person, for minutes or for a new connection would only slow the fuzzing down.
  const tools = (await list('tools')).filter(({ name }) => !/^ci_|sleep|slow|long|wait|reconnection/.test(String(name)))
  return { tools, prompts: await list('prompts'), resources: await list('resources') }
}

/** One conversation, from the handshake to the end; what was wrong with it. */
async function talk(running: Running, way: Way, random: Random): Promise<string[]> {
  const version = way.stateless ? STATELESS : way.handshake ? random.pick(STATEFUL) : '2025-03-26'
  const marker = `mk-${random.below(0x1_0000_0000).toString(16).padStart(8, '0')}`
  const conversation = new Conversation(`${running.name} over ${way.name}`, version, marker)
  const carrier = await way.open(conversation, running)
  conversation.reply = question => void carrier.send(JSON.stringify(answerTo(question, random)))
  if (way.handshake) await initialize(carrier, conversation)
  const messages = new Messages(random, running.catalog, conversation, way)
  const sending: Promise<void>[] = []
  for (let i = 0; i < MESSAGES; i++) {
    const text = messages.next()
    conversation.note(text)
    const sent = carrier.send(text)
    sending.push(sent)
    if (random.chance(0.3)) await Promise.race([sent, new Promise(resolve => void setTimeout(resolve, 50))])
  }
  const abrupt = random.chance(0.2)
  const owed = abrupt ? [] : await conversation.finished(ANSWER_MS)
  conversation.close()
  if (!(await carrier.close())) conversation.problems.push('the server is not well')
  const problems = [...conversation.problems, ...(owed.length > 0 ? [`never answered: ${owed.join(', ')}`] : [])]
  if (problems.length === 0) return []
  return [
    `${conversation.name}, ${version}`,
    ...problems.slice(0, 5),
    ...conversation.sent
      .filter(text => owed.some(id => text.includes(`"id":${JSON.stringify(id)}`)))
      .map(text => `  owed > ${text}`),
    ...conversation.sent.slice(-20).map(text => `  > ${text}`),
  ]
}

async function initialize(carrier: Carrier, conversation: Conversation): Promise<void> {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} }
  const params = { protocolVersion: conversation.version, capabilities, clientInfo: { name: 'fuzz', version: '1' } }
  conversation.expect('hello', 'initialize')
  void carrier.send(JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params }))
  await conversation.finished(ANSWER_MS)
  await carrier.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
}

function answerTo({ id, method }: Json, random: Random): Json {
  if (random.chance(0.2)) return { jsonrpc: '2.0', id, error: { code: -32000, message: 'no' } }
  if (random.chance(0.3)) return { jsonrpc: '2.0', id, result: anyValue(random) }
  const results: Record<string, Json> = {
    'roots/list': { roots: [] },
    'elicitation/create': { action: random.pick(['accept', 'decline', 'cancel']), content: {} },
    'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'ok' }, model: 'm' },
  }
  return { jsonrpc: '2.0', id, result: results[String(method)] ?? {} }
}

const serves = ({ stdio }: Target, { name }: Way): boolean => stdio !== undefined || !name.startsWith('stdio')

function memoryOf(server: Spawned): number {
  return server.process.exitCode === null ? server.peak() : 0
}

const seed = Number(options.seed)
const random = new Random(seed)
const chosen = ways.filter(({ name }) => options.way === undefined || name === options.way)
const running = await Promise.all(KINDS.map(start))
const deadline = performance.now() + Number(options.seconds) * 1000
const findings: string[][] = []
let conversations = 0

async function work(mine: Random): Promise<void> {
  while (performance.now() < deadline && findings.length < 5) {
    const way = mine.pick(chosen)
    const target = mine.pick(running.filter(one => serves(one, way)))
    const found = await talk(target, way, mine.fork())
    conversations += 1
    if (found.length > 0) findings.push(found)
  }
}

await Promise.all(Array.from({ length: Number(options.jobs) }, () => work(random.fork())))
for (const { name, server, url } of running) {
  if (!(await isAlive(url))) findings.push([`${name} does not answer`, server.stderr.slice(-2000)])
  const megabytes = memoryOf(server)
  if (megabytes > MOST_MB) findings.push([`${name} used ${megabytes.toFixed(0)} MB`])
  server.process.kill('SIGTERM')
  const { code, signal } = await server.ended
  if (code !== 0) findings.push([`${name} ended with ${String(code ?? signal)}`, server.stderr.slice(-2000)])
}
rmSync(folder, { recursive: true, force: true })
const messages = conversations * MESSAGES
console.log(`fuzz: seed ${seed}, ${conversations} conversations, ${messages} messages, ${findings.length} findings`)
for (const finding of findings) console.log(`\n${finding.join('\n')}`)
process.exitCode = findings.length > 0 ? 1 : 0
