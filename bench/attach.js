// What `causeway attach` adds to a round trip: a client on its pipes against one on the socket of the same daemon, in turns.
//   node bench/attach.js [--rounds N] [--calls N] [--json]
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    calls: { type: 'string', default: '500' },
    json: { type: 'boolean', default: false },
  },
})
const binary = fileURLToPath(new URL('../packages/cli/bin/causeway.js', import.meta.url))
const state = mkdtempSync(join(tmpdir(), 'causeway-attach-'))
const env = { ...process.env, XDG_STATE_HOME: state }
const flags = ['--pack', 'basics', '--root', state, '--log-level', 'error', '--rate-limit', 'off']
const run = words => spawnSync(process.execPath, [binary, ...words], { env, encoding: 'utf8' }).stdout

/** Asks one thing after the other over a pair of streams; lines that come in are answers. */
function client(input, output) {
  let text = ''
  let wake = () => {}
  output.setEncoding('utf8').on('data', chunk => {
    text += chunk
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const message = JSON.parse(text.slice(0, end))
      text = text.slice(end + 1)
      wake(message)
    }
  })
  const answer = isIt => new Promise(resolve => (wake = message => isIt(message) && resolve(message)))
  return {
    say: message => void input.write(`${JSON.stringify(message)}\n`),
    answer,
    ask(method, params) {
      const done = answer(({ id }) => id === 1)
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) })}\n`)
      return done
    },
  }
}

async function initialize(one) {
  const clientInfo = { name: 'bench', version: '1' }
  await one.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  one.say({ jsonrpc: '2.0', method: 'notifications/initialized' })
}

async function median(one) {
  const samples = []
  const call = { name: 'add_numbers', arguments: { number1: 1, number2: 2 } }
  for (let i = 0; i < Number(values.calls); i++) {
    const began = performance.now()
    const { result } = await one.ask('tools/call', call)
    samples.push(performance.now() - began)
    if (result === undefined) throw new Error('No result')
  }
  return samples.toSorted((a, b) => a - b)[samples.length >> 1]
}

const middle = list => list.toSorted((a, b) => a - b)[list.length >> 1]
const attached = spawn(process.execPath, [binary, 'attach', ...flags], { env, stdio: ['pipe', 'pipe', 'inherit'] })
try {
  const through = client(attached.stdin, attached.stdout)
  await initialize(through)
  const [{ id, version }] = JSON.parse(run(['daemon', 'status', '--json'])).daemons
  const socket = connect(join(state, 'causeway', 'daemons', `${id}.sock`))
  const direct = client(socket, socket)
  direct.say({ want: 'attach', version })
  await direct.answer(({ is }) => is === 'attached')
  await initialize(direct)
  await median(through)
  await median(direct)
  const rounds = []
  for (let i = 0; i < Number(values.rounds); i++) {
    const times = { direct: await median(direct), attached: await median(through) }
    rounds.push({ ...times, added: times.attached - times.direct })
  }
  const result = Object.fromEntries(
    ['direct', 'attached', 'added'].map(key => [`${key}Ms`, Number(middle(rounds.map(r => r[key])).toFixed(4))]),
  )
  console.log(values.json ? JSON.stringify(result) : `median of ${rounds.length} rounds of ${values.calls} calls:`)
  if (!values.json) console.table(result)
  socket.destroy()
} finally {
  attached.kill()
  run(['daemon', 'stop'])
  rmSync(state, { recursive: true, force: true })
}
