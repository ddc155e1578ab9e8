// Clients of the gateway under soak, until somebody kills them: gateway-client.js URL SEED COUNT
import { RemoteServer, httpTransport } from '@causeway/engine/client'

const [url, seed, count] = process.argv.slice(2)
let state = Number(seed) >>> 0

/** A number from 0 up to 1 (mulberry32). */
function next() {
  state = (state + 0x6d2b79f5) >>> 0
  let t = state
  t = Math.imul(t ^ (t >>> 15), t | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
}
const pick = choices => choices[Math.floor(next() * choices.length)]
const pause = ms => new Promise(resolve => void setTimeout(resolve, ms))

const VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', undefined]
const accept = { action: 'accept', content: { value: 'yes' } }

/** Some answer at once, some late, some never. */
function answer({ method }) {
  if (next() < 0.2) return new Promise(() => {})
  const answers = {
    'roots/list': { roots: [{ uri: 'file:///home' }] },
    'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hm' } },
  }
  return pause(next() * 500).then(() => answers[method] ?? accept)
}

const UPSTREAMS = ['one', 'two', 'far', 'plain', 'crashes', 'missing']
const DEEDS = [
  client => client.list('tools/list'),
  client => client.callTool(`${pick(UPSTREAMS)}__echo`, { text: 'x'.repeat(next() * 10_000) }),
  client => client.callTool(`${pick(['one', 'two', 'far'])}__steps`, {}, { onProgress: () => {} }),
  client => client.callTool(`${pick(['one', 'two', 'far'])}__ask`, {}, { timeoutMs: 5000 }),
  client => client.callTool(`${pick(['one', 'two', 'far'])}__think`, {}, { timeoutMs: 5000 }),
  client => client.callTool(`${pick(['one', 'far'])}__forever`, {}, { timeoutMs: 500 + next() * 1000 }),
  client => client.request('resources/read', { uri: `note://more/${Math.floor(next() * 100)}` }),
  client => client.subscribe('note://one'),
  client => client.callTool('one__touch'),
]

async function live() {
  for (;;) {
    const headers = { authorization: `Bearer ${pick(['ada', 'bob', 'cy', 'dee', 'eve'])}` }
    try {
      const client = await RemoteServer.connect(
        { open: () => httpTransport({ url: `${url}/mcp`, headers }) },
        { client: { name: 'soak', version: '1' }, version: pick(VERSIONS), answer, onChange: () => {} },
      )
      for (let i = 0; i < 10; i++) await pick(DEEDS)(client).catch(() => {})
      if (next() < 0.5) await client.close()
    } catch {
      await pause(100)
    }
  }
}

for (let i = 0; i < Number(count); i++) void live()
