import { spawn } from 'node:child_process'
import { toFlight } from './calls.js'
import { root } from './targets.js'

const newline = 10
const stderrKept = 2000
const live = new Set()

// 'exit' also comes after an uncaught error, so no server outlives the benchmark.
process.on('exit', () => live.forEach(child => child.kill('SIGKILL')))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))

/** The two halves of the handshake. */
export const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '0.0.0' } },
}
export const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }

/**
 * Spawns a command (Node by default) on pipes; `ended` gives its exit code, or rejects if it cannot start. What runs
 * under another program may take `patience` times as long.
 */
export function launch({ name, command = process.execPath, args, stdio = 'pipe', patience = 1 }) {
  const child = spawn(command, args, { cwd: root, stdio })
  const server = { name, child, patience, stderr: '' }
  live.add(child)
  child.stdin.on('error', () => {}) // a write to a dead server: `ended` tells the story
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', text => (server.stderr = (server.stderr + text).slice(-stderrKept)))
  server.ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', resolve)
  }).finally(() => live.delete(child))
  server.ended.catch(() => {})
  return server
}

/** Kills a server and waits until it is gone, so that it cannot disturb the next measurement. */
export async function stop(server) {
  server.child.kill('SIGKILL')
  await server.ended.catch(() => {})
}

/** Does the MCP handshake and returns once `initialize` is answered. */
export async function handshake(server) {
  const { answers } = await drive(server, toFlight([initialize]), 1)
  if (!JSON.parse(answers).result) throw new Error(`${server.name}: initialize failed: ${answers}`)
  server.child.stdin.write(toFlight([initialized]).bytes)
}

/**
 * Sends a flight with up to `depth` requests unanswered and times it from the first byte out to the last answer in;
 * `busy` is the share of that time this process spent on a CPU.
 */
export function drive(server, flight, depth) {
  return within(server, 10_000 + flight.count, exchange(server.child, flight, depth))
}

/** Waits for `work`, but no longer than `milliseconds`, with the patience for this server, or than the server lives. */
export async function within(server, milliseconds, work) {
  const limit = milliseconds * server.patience
  let timer
  const tooLate = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${server.name}: not done after ${limit} ms`)), limit)
  })
  const died = server.ended.then(code => {
    throw new Error(`${server.name}: ended with code ${code}\n${server.stderr}`)
  })
  try {
    return await Promise.race([work, died, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

function exchange({ stdin, stdout }, flight, depth) {
  return new Promise(resolve => {
    const chunks = []
    let sent = 0
    let answered = 0

    const send = count => {
      const upTo = Math.min(sent + count, flight.count)
      if (upTo > sent) stdin.write(flight.bytes.subarray(flight.offsets[sent], flight.offsets[upTo]))
      sent = upTo
    }

    // Answers are only counted while the clock runs; reading them would measure this client.
    const receive = chunk => {
      chunks.push(chunk)
      const count = countLines(chunk)
      answered += count
      if (answered < flight.count) return send(count)
      const ms = performance.now() - start
      const { user, system } = process.cpuUsage(cpu)
      stdout.off('data', receive)
      resolve({ ms, busy: (user + system) / 1000 / ms, answers: Buffer.concat(chunks).toString() })
    }

    stdout.on('data', receive)
    const cpu = process.cpuUsage()
    const start = performance.now()
    send(depth)
  })
}

function countLines(chunk) {
  let count = 0
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) count++
  return count
}
