// Times the three paths of the README from an empty folder, with the packed packages: what a new user does, as a new user.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { versions } from '../packages/engine/dist/index.js'
import { installInto, packAll } from './release/packages.js'

const MOST_MS = 60_000
const folder = mkdtempSync(join(tmpdir(), 'causeway-paths-'))
const home = join(folder, 'home')
mkdirSync(home)
// Only what a machine with Node and git has; the client's file goes into an empty home.
const env = { PATH: process.env.PATH, HOME: home }

const run = (cwd, ...args) =>
  execFileSync('npx', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

function useTheTools(packed, tarballs, cwd) {
  installInto(cwd, packed, tarballs, 'causeway-mcp')
  run(cwd, 'causeway-mcp', 'install', 'claude-code')
  return run(cwd, 'causeway-mcp', 'call', 'add_numbers', 'number1=5', 'number2=3')
}

function putServersBehind(packed, tarballs, cwd) {
  installInto(cwd, packed, tarballs, 'causeway-mcp')
  const server = { command: 'npx', args: ['causeway-mcp', '--pack', 'basics', '--log-level', 'silent'] }
  writeFileSync(join(cwd, 'mcp.json'), JSON.stringify({ mcpServers: { sums: server } }))
  return run(cwd, 'causeway-mcp', 'list', '--servers', 'mcp.json', '--pack', 'none')
}

const SERVER = `import { createServer, serveStdio, tool } from '@causeway/engine'
await serveStdio(createServer({ name: 'mine', version: '1.0.0' }).add(tool({ name: 'hello' }, () => 'Hello!')))
`

function writeServer(packed, tarballs, cwd) {
  installInto(cwd, packed, tarballs, '@causeway/engine')
  writeFileSync(join(cwd, 'server.mjs'), SERVER)
  const messages = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: versions[1], capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'hello', arguments: {} } },
  ]
  const input = messages.map(message => `${JSON.stringify(message)}\n`).join('')
  return execFileSync(process.execPath, ['server.mjs'], {
    cwd,
    env,
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}

const PATHS = [
  { name: 'use the tools', follow: useTheTools, expected: /"result":8/ },
  { name: 'put my servers behind it', follow: putServersBehind, expected: /add_numbers/ },
  { name: 'write a server', follow: writeServer, expected: /Hello!/ },
]

try {
  const tarballs = join(folder, 'tarballs')
  const packed = packAll(tarballs)
  for (const { name, follow, expected } of PATHS) {
    const cwd = join(folder, name.replaceAll(' ', '-'))
    mkdirSync(cwd)
    const began = performance.now()
    const said = follow(packed, tarballs, cwd)
    const ms = performance.now() - began
    if (!expected.test(said)) throw new Error(`${name}: ${said.slice(0, 500)}`)
    console.log(`${name}: ${(ms / 1000).toFixed(1)} s`)
    if (ms > MOST_MS) process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
