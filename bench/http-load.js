import { once } from 'node:events'
import { connect } from 'node:net'
import { buildCalls, checkAnswers, toFlight } from './calls.js'
import { initialize, initialized, within } from './load.js'

const patienceMs = 10_000
const noSession = '0'.repeat(32)
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '0.0.0' },
}
const mirrored = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'add_numbers' }

/** The ways to call: with a session, or with requests that describe themselves. */
export const eras = ['stateful', 'stateless']

/** The port a server says it listens on. */
export async function portOf(server) {
  const [port] = await portsOf(server, 1)
  return port
}

/** The ports of the listeners that a server names, once it named so many. */
export async function portsOf(server, count) {
  let said = ''
  for await (const text of server.child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += text
    const ports = [...said.matchAll(/http:\/\/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port))
    if (ports.length >= count) return ports
  }
  throw new Error(`${server.name}: ended without naming its URL\n${server.stderr}`)
}

/**
 * Opens connections, each with `calls` of its own and, in the stateful era, with a session of its own; `shift` gives it
 * the session that was opened on another connection, so many places further; `headers` go with every request.
 */
export function openClients(server, port, options) {
  return within(server, patienceMs, opened(port, options))
}

async function opened(port, { era, connections, calls, shift = 0, headers: own = {} }) {
  const isStateful = era === 'stateful'
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)))
  const headers = await Promise.all(
    sockets.map(async socket => ({ ...own, ...(isStateful ? await openSession(socket, port, own) : mirrored) })),
  )
  return sockets.map((socket, at) => {
    const frame = framing(port, headers[(at + shift) % connections])
    const extra = isStateful ? {} : { _meta: meta }
    return { socket, flight: buildCalls(1 + at * calls, calls, { extra, frame }), sent: 0 }
  })
}

/** A connected socket. */
export async function openSocket(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.on('error', () => {}) // 'close' tells the story
  return socket
}

/** Opens a session on a connection and gives the headers its requests carry. */
export async function openSession(socket, port, own = {}) {
  const answer = await post(socket, port, own, initialize)
  if (!JSON.parse(bodyOf(answer)).result) throw new Error(`initialize failed: ${answer}`)
  const [, id = noSession] = /^mcp-session-id: (\S+)/im.exec(answer) ?? []
  const headers = { 'MCP-Protocol-Version': initialize.params.protocolVersion, 'Mcp-Session-Id': id }
  await post(socket, port, { ...own, ...headers }, initialized)
  return headers
}

/** Whether a session still answers. */
export async function ping(socket, port, headers) {
  const answer = await post(socket, port, headers, { jsonrpc: '2.0', id: 1, method: 'ping' })
  return answer.startsWith('HTTP/1.1 200 ')
}

/** Opens the event stream of a session; `received` grows with what it brings. */
export async function openStream(port, headers) {
  const stream = { socket: await openSocket(port), received: '' }
  const first = once(stream.socket, 'data')
  stream.socket.on('data', chunk => (stream.received += chunk.latin1Slice()))
  stream.socket.write(
    `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n${lines(headers)}\r\n`,
  )
  await first
  if (!stream.received.startsWith('HTTP/1.1 200 ')) throw new Error(`no event stream: ${stream.received}`)
  return stream
}

async function post(socket, port, headers, message) {
  const flight = toFlight([message], framing(port, headers))
  const { answers } = await exchange({ socket, flight, sent: 0 }, 0)
  return answers[0]
}

function framing(port, headers) {
  const head =
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/json, text/event-stream\r\n` +
    `Content-Type: application/json\r\n${lines(headers)}Content-Length: `
  return body => `${head}${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function lines(headers) {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}

/**
 * Calls on every connection, one at a time, for so many seconds (or until the calls run out) and checks each answer
 * once the clock has stopped; `busy` is the share of the time this process spent on a CPU.
 */
export async function drive(server, clients, seconds) {
  const from = clients.map(({ sent }) => sent)
  const cpu = process.cpuUsage()
  const start = performance.now()
  const until = start + seconds * 1000
  const runs = await within(
    server,
    seconds * 1000 + patienceMs,
    Promise.all(clients.map(client => exchange(client, until))),
  )
  const { user, system } = process.cpuUsage(cpu)
  const ms = Math.max(...runs.map(run => run.end)) - start
  clients.forEach(({ flight, sent }, at) => {
    const made = { first: flight.first + from[at], count: sent - from[at] }
    checkAnswers(made, runs[at].answers.map(answer => `${bodyOf(answer)}\n`).join(''))
  })
  const waits = runs.flatMap(run => run.waits)
  return { count: waits.length, ms, busy: (user + system) / 1000 / ms, waits }
}

function exchange(client, until) {
  const { socket, flight } = client
  return new Promise((resolve, reject) => {
    const answers = []
    const waits = []
    let rest = ''
    let sentAt

    const send = now => {
      sentAt = now
      socket.write(flight.bytes.subarray(flight.offsets[client.sent], flight.offsets[++client.sent]))
    }

    // Answers are only measured while the clock runs; reading them would measure this client.
    const receive = chunk => {
      rest += chunk.latin1Slice()
      if (!isWhole(rest)) return
      answers.push(rest)
      rest = ''
      const now = performance.now()
      waits.push(now - sentAt)
      if (now < until && client.sent < flight.count) return send(now)
      socket.off('data', receive)
      socket.off('close', fail)
      resolve({ answers, waits, end: now })
    }

    const fail = () => reject(new Error(`the connection was closed after: ${answers.at(-1)}${rest}`))

    socket.on('data', receive)
    socket.once('close', fail)
    send(performance.now())
  })
}

function isWhole(answer) {
  const end = answer.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = /content-length: (\d+)/i.exec(answer)
  return length ? answer.length >= end + 4 + Number(length[1]) : answer.endsWith('\r\n0\r\n\r\n')
}

function bodyOf(answer) {
  const end = answer.indexOf('\r\n\r\n')
  const head = answer.slice(0, end)
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`refused: ${answer}`)
  const body = Buffer.from(answer.slice(end + 4), 'latin1').toString()
  return /transfer-encoding: chunked/i.test(head) ? joinChunks(body) : body
}

// Good enough for the servers here: their answers are ASCII, so a chunk's bytes are its characters.
function joinChunks(text) {
  let body = ''
  for (let at = 0; ;) {
    const start = text.indexOf('\r\n', at) + 2
    const size = Number.parseInt(text.slice(at, start), 16)
    if (size === 0) return body
    body += text.slice(start, start + size)
    at = start + size + 2
  }
}
