import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildCalls, checkAnswers } from './calls.js'
import { drive as driveHttp, openClients, portOf } from './http-load.js'
import { drive, handshake, within } from './load.js'

const startMs = 120_000
const connections = 8
const basics = ['--preset', 'basics', '--rate-limit', 'off']
const overHttp = ['--http', '--port', '0', '--preset', 'all', '--rate-limit', 'off']

/**
 * The calls that are counted: `flags` of the server for a build and a folder of its own, and `open`, which gives a
 * function that makes so many calls and resolves when each is answered and checked.
 */
export const cases = [
  { name: 'stdio, 1 in flight', flags: () => ['--stdio', ...basics], open: overPipe(1) },
  { name: 'stdio, 128 in flight', flags: () => ['--stdio', ...basics], open: overPipe(128) },
  { name: 'HTTP stateless', flags: () => overHttp, open: overSockets('stateless') },
  { name: 'HTTP stateful', flags: () => overHttp, open: overSockets('stateful') },
  { name: 'forwarded over stdio', flags: gateway, open: overPipe(1, 'far__add_numbers') },
]

function gateway(script) {
  const servers = join(mkdtempSync(join(tmpdir(), 'causeway-gate-')), 'mcp.json')
  const far = { command: process.execPath, args: [script, 'serve', '--stdio', ...basics], trust: 'trusted' }
  writeFileSync(servers, JSON.stringify({ mcpServers: { far } }))
  return ['--stdio', '--pack', 'none', '--servers', servers, '--rate-limit', 'off', '--log-level', 'error']
}

function overPipe(depth, tool) {
  return async server => {
    await handshake(server)
    let next = 1
    return async count => {
      const flight = buildCalls((next += count) - count, count, { tool })
      checkAnswers(flight, (await drive(server, flight, depth)).answers)
    }
  }
}

// The clients of a turn are new, since each keeps the bytes of all its calls.
function overSockets(era) {
  return async server => {
    const port = await within(server, startMs, portOf(server))
    return async count => {
      const clients = await openClients(server, port, { era, connections, calls: Math.ceil(count / connections) })
      await driveHttp(server, clients, startMs / 1000)
      for (const { socket } of clients) socket.destroy()
    }
  }
}
