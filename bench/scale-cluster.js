// Processes that share a Redis, and a client that speaks to them, for bench/scale.js.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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
const agent = new Agent({ keepAlive: true, noDelay: true })
const children = new Set()
const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'))

/** End everything that was started, and leave nothing. */
export function cleanUp() {
  agent.destroy()
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

/** A Redis of our own. */
export async function startRedis() {
  const port = await freePort()
  const child = start('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', folder])
  // What it says of itself is nothing to us, but has to go somewhere.
  child.stdout.resume()
  return { child, port, url: `redis://127.0.0.1:${port}/0` }
}

/** So many servers over one Redis, or each for itself where the URL is empty. */
export function startAll(url, size, options = {}) {
  const one = async () => {
    const child = start(process.execPath, [server, url, JSON.stringify(options)])
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
    return { child, url: `http://127.0.0.1:${Number(line)}` }
  }
  return Promise.all(Array.from({ length: size }, one))
}

export async function stopAll(cluster) {
  for (const { child } of cluster) {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    children.delete(child)
  }
}

function start(program, args) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  children.add(child)
  return child
}

/** So many times, by so many at once. */
export async function many(count, atOnce, work) {
  let begun = 0
  const worker = async () => {
    while (begun < count) await work(begun++)
  }
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, worker))
}

/** A JSON-RPC request. */
export function message(id, method, params) {
  return { jsonrpc: '2.0', id, method, params }
}

/** Make a handshake; the headers for what follows. */
export async function openSession(url) {
  let id
  await post(url, {}, message('hello', 'initialize', hello), (_, headers) => (id = headers['mcp-session-id']))
  if (id === undefined) throw new Error('No session was opened')
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': version }
  await post(url, headers, { jsonrpc: '2.0', method: 'notifications/initialized' })
  return headers
}

/** Call `add`, in the session of these headers or in none; does the answer fit? */
export async function adds({ url, headers }) {
  const params = { name: 'add', arguments: { a: 1, b: 2 }, ...(!headers && { _meta: meta }) }
  return (await post(url, headers ?? mirrored, message(1, 'tools/call', params))).includes('"3"')
}

/** The same, where a wrong answer ends everything. */
export async function call(client) {
  if (!(await adds(client))) throw new Error('A call failed')
}

/** Post a message; all that was said in answer, which `hear` is given as it comes. */
export function post(url, headers, body, hear) {
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

/** Milliseconds of CPU that the threads of a process have used; finer than the ticks of /proc/PID/stat. */
export function cpuOf({ pid }) {
  const used = thread => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + used(thread), 0) / 1e6
}

/** Bytes of memory that a process has. */
export function memoryOf({ pid }) {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

function freePort() {
  return new Promise(resolve => {
    const listener = createServer().listen(0, '127.0.0.1', () => {
      const { port } = listener.address()
      listener.close(() => resolve(port))
    })
  })
}
