import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { median } from './report.js'
import { root } from './targets.js'

const causeway = join(root, 'packages/cli/bin/causeway.js')
const plain = join(root, 'test/support/upstreams/plain.js')

/** A folder with servers of twenty tools each, seen once and locked. */
function locked(folder, count) {
  const place = join(folder, `locked-${count}`)
  mkdirSync(place, { recursive: true })
  const list = join(place, 'tools.json')
  const tools = Array.from({ length: 20 }, (_, i) => ({ name: `t${i}`, inputSchema: { type: 'object' } }))
  writeFileSync(list, JSON.stringify(tools))
  const file = join(place, 'servers.json')
  const write = names => {
    const entry = { command: process.execPath, args: [plain, '--tools', list] }
    writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(names.map(name => [name, entry])) }))
  }
  write(Array.from({ length: count }, (_, i) => `s${i}`))
  const flags = ['--servers', file, '--data', place]
  const { status, stderr } = spawnSync(process.execPath, [causeway, 'lock', ...flags], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`causeway lock ended with ${status}: ${stderr}`)
  // Lists of the last run come with the first start.
  spawnSync(process.execPath, [causeway, 'list', '--pack', 'none', ...flags])
  return { flags, write }
}

/** A gateway on stdio, and a way to ask it. */
function gateway(flags) {
  const args = [causeway, 'serve', '--pack', 'none', '--log-level', 'error', '--lifecycle', 'lenient', ...flags]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map()
  createInterface({ input: child.stdout }).on('line', line => {
    const { id, result, error } = JSON.parse(line)
    waiting.get(id)?.(result ?? error)
  })
  let last = 0
  const ask = (method, params = {}) =>
    new Promise(resolve => {
      const id = ++last
      waiting.set(id, resolve)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
  const end = () =>
    new Promise(resolve => {
      child.once('close', resolve)
      child.stdin.end()
    })
  return { pid: child.pid, ask, end, greet: () => ask('initialize', hello) }
}

const isChildOf = (pid, parent) => {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]) === parent
  } catch {
    return false
  }
}
const childrenOf = parent => readdirSync('/proc').filter(name => /^\d+$/.test(name) && isChildOf(name, parent)).length

/** Twenty servers from a lock: from spawn to the list, with no process of theirs started, and the first call. */
export async function start(folder, rounds) {
  const { flags } = locked(folder, 20)
  const lists = []
  const calls = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    const { pid, ask, greet, end } = gateway(flags)
    await greet()
    const { tools } = await ask('tools/list')
    lists.push(performance.now() - began)
    if (tools.length !== 400) throw new Error(`There are ${tools.length} tools`)
    if (process.platform === 'linux' && childrenOf(pid) > 0) throw new Error('A server was started for the list')
    const asked = performance.now()
    const { content } = await ask('tools/call', { name: 's7__t3', arguments: {} })
    calls.push(performance.now() - asked)
    if (!content[0].text.startsWith('t3')) throw new Error(`The answer was ${JSON.stringify(content)}`)
    await end()
  }
  return { listMs: median(lists), coldCallMs: median(calls) }
}

const residentMb = pid => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Resident memory for each server that is known and does not run: a hundred of them against one. */
export async function memory(folder, rounds) {
  if (process.platform !== 'linux') return {}
  const of = async flags => {
    const samples = []
    for (let round = 0; round < rounds; round++) {
      const { pid, ask, greet, end } = gateway(flags)
      await greet()
      await ask('tools/list')
      await new Promise(resolve => void setTimeout(resolve, 1000))
      samples.push(residentMb(pid))
      await end()
    }
    return median(samples)
  }
  const { flags, write } = locked(folder, 100)
  const many = await of(flags)
  write(['s0'])
  return { mbPerIdleServer: (many - (await of(flags))) / 99 }
}
