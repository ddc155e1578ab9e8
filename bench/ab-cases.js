import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildCalls, checkAnswers } from './calls.js'
import { onOneCore } from './core.js'
import { drive as driveHttp, openClients, portOf } from './http-load.js'
import { drive, handshake, launch, stop, within } from './load.js'

const startMs = 20_000
const connections = 32
// More than any server here answers in a second, so that the calls of a server do not run out.
const mostPerSecond = 60_000

/** What is compared: how a server is started, and one turn of calls that gives wall time and CPU per call. */
export const cases = [
  stdioCase('stdio, 1 in flight', { depth: 1, calls: 2000, warm: 20_000 }),
  stdioCase('stdio, 128 in flight', { depth: 128, calls: 16_000, warm: 120_000 }),
  httpCase('HTTP stateless, 32 connections', 'stateless'),
  httpCase('HTTP stateful, 32 connections', 'stateful'),
]

function stdioCase(name, { depth, calls, warm }) {
  return {
    name,
    async open(folder) {
      const server = started(folder, ['--stdio', '--preset', 'basics'])
      await handshake(server)
      let next = 1
      const turn = async count => {
        const flight = buildCalls((next += count) - count, count)
        const before = cpuNs(server.child.pid)
        const { ms, answers } = await drive(server, flight, depth)
        const cpu = cpuNs(server.child.pid) - before
        checkAnswers(flight, answers)
        return perCall(ms, cpu, count)
      }
      const pinned = count => (depth === 1 ? onOneCore(server.child.pid, () => turn(count)) : turn(count))
      await pinned(warm)
      return { turn: () => pinned(calls), close: () => stop(server) }
    },
  }
}

function httpCase(name, era) {
  const seconds = 0.4
  const warmSeconds = 3
  return {
    name,
    async open(folder, turns) {
      const server = started(folder, ['--http', '--port', '0', '--preset', 'all'])
      const port = await within(server, startMs, portOf(server))
      const calls = Math.ceil((mostPerSecond * (warmSeconds + seconds * turns)) / connections)
      const clients = await openClients(server, port, { era, connections, calls })
      const turn = async duration => {
        const before = cpuNs(server.child.pid)
        const { count, ms } = await driveHttp(server, clients, duration)
        return perCall(ms, cpuNs(server.child.pid) - before, count)
      }
      await turn(warmSeconds)
      const close = async () => {
        for (const { socket } of clients) socket.destroy()
        await stop(server)
      }
      return { turn: () => turn(seconds), close }
    },
  }
}

function started(folder, flags) {
  const script = join(folder, 'packages/cli/bin/causeway.js')
  return launch({ name: folder, args: [script, 'serve', ...flags, '--rate-limit', 'off'] })
}

function perCall(ms, cpu, count) {
  return { wall: (ms * 1000) / count, cpu: cpu / 1000 / count }
}

/** What all threads of a process have used of the CPU so far, in nanoseconds (Linux; elsewhere not a number). */
export function cpuNs(pid) {
  if (process.platform !== 'linux') return Number.NaN
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).reduce((sum, task) => sum + runtimeOf(join(tasks, task, 'schedstat')), 0)
}

function runtimeOf(file) {
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[0])
  } catch {
    return 0 // the thread ended meanwhile
  }
}
