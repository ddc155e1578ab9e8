// A server of a few lines, as strange as its arguments say:
//   plain.js [--tools FILE] [--hostile] [--hang] [--crash MS] [--flood] [--garbage] [--complain TEXT]
// A tool named pid tells its process, one named change says that the list changed.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    tools: { type: 'string' },
    hostile: { type: 'boolean' },
    leaf: { type: 'boolean' },
    hang: { type: 'boolean' },
    crash: { type: 'string' },
    flood: { type: 'boolean' },
    garbage: { type: 'boolean' },
    complain: { type: 'string' },
  },
})

if (values.hostile || values.leaf) {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
  setInterval(() => {}, 1000)
}
if (values.hostile) {
  const leaf = [process.argv[1], '--leaf']
  spawn(process.execPath, leaf, { stdio: 'ignore' })
  spawn(process.execPath, leaf, { stdio: 'ignore', detached: true }).unref()
}
if (values.complain !== undefined) process.stderr.write(`${values.complain}\n`)
if (values.crash !== undefined) setTimeout(() => process.exit(9), Number(values.crash))

const say = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const tools = () =>
  values.tools === undefined
    ? [
        {
          name: 'echo',
          description: 'Says it again.',
          inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
        },
      ]
    : JSON.parse(readFileSync(values.tools, 'utf8'))

const said = ({ name, arguments: args = {} }) => (name === 'pid' ? process.pid : JSON.stringify(args))

function answer({ id, method, params }) {
  if (id === undefined || values.hang || values.leaf) return
  if (values.garbage) process.stdout.write('this is no message\n{"also": "none"}\n\u0000\n')
  if (method === 'initialize') {
    const { protocolVersion } = params
    say({
      id,
      result: {
        protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'plain', version: '1' },
      },
    })
  } else if (method === 'tools/list') say({ id, result: { tools: tools() } })
  else if (method === 'tools/call' && params.name === 'change') {
    say({ method: 'notifications/tools/list_changed' })
    say({ id, result: { content: [] } })
  } else if (method === 'tools/call') {
    say({
      id,
      result: {
        content: [{ type: 'text', text: `${params.name} ${said(params)}` }],
        unknown: { kept: true },
      },
    })
  } else say({ id, error: { code: -32601, message: 'Method not found' } })
}

if (values.flood) setInterval(() => process.stdout.write(`${'x'.repeat(100_000)}\n`.repeat(10)), 1)
createInterface({ input: process.stdin }).on('line', line => answer(JSON.parse(line)))
