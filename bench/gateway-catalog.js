import { createServer, tool } from '@causeway/engine'
import { memoryTransport } from '@causeway/engine/client'
import { Gateway, readServers } from '@causeway/gateway'
import { median } from './report.js'

const timed = async work => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const around = { file: '/servers.json', variables: () => undefined, readText: () => undefined }

/** A gateway to servers that are reached as the bench says. */
async function gatewayTo(names, reach, options = {}) {
  const server = createServer({ name: 'bench', version: '1', log: () => {}, ...options })
  const gateway = new Gateway(server, { reach })
  const entry = { url: 'http://127.0.0.1:9/mcp', limits: { inFlight: 1_000_000 } }
  const mcpServers = Object.fromEntries(names.map(name => [name, entry]))
  await gateway.apply(readServers({ mcpServers }, around).upstreams)
  await Promise.all([...gateway.servers.values()].map(managed => managed.refresh()))
  return { server, gateway }
}

/** A connection to a server that answers every call at once, so that only the gateway's own work is left. */
function echoTransport() {
  const answers = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'echo', version: '1' },
    }),
    'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'hi' }] }),
  }
  return {
    kind: 'memory',
    bound: false,
    open: async () => {},
    useRevision: () => {},
    request({ id, method, params }, sink) {
      const answer = answers[method]
      const message = answer
        ? { jsonrpc: '2.0', id, result: answer(params) }
        : { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
      queueMicrotask(() => sink.onResponse(message))
    },
    cancel: () => {},
    send: () => {},
    close: async () => {},
  }
}

/** What JavaScript costs a forwarded call: µs of processor time between the message that comes and the answer that goes. */
export async function forwarded(calls) {
  const { server, gateway } = await gatewayTo(['up'], () => ({ open: echoTransport }))
  const link = {
    transport: 'bench',
    session: undefined,
    calls: { add() {}, delete() {}, cancel() {}, cancelAll() {}, listen: () => () => {} },
    strict: false,
    direct: false,
    signal: new AbortController().signal,
    send: () => {},
  }
  const params = { name: 'up__echo', arguments: { text: 'hi' } }
  const burst = async count => {
    for (let i = 0; i < count; i += 32) {
      const many = Array.from({ length: 32 }, (_, at) =>
        server.handle({ jsonrpc: '2.0', id: i + at, method: 'tools/call', params }, link),
      )
      const [first] = await Promise.all(many.map(answer => Promise.resolve(answer)))
      if (first.result?.content?.[0].text !== 'hi') throw new Error(`The answer was ${JSON.stringify(first)}`)
    }
  }
  await burst(calls / 5)
  const before = process.cpuUsage()
  await burst(calls)
  const { user, system } = process.cpuUsage(before)
  await gateway.close()
  return (user + system) / calls
}

/** A hundred servers with a hundred tools each: a page of the list, warm, and one server whose list changed. */
export async function catalog() {
  const input = { type: 'object', properties: { a: { type: 'string', description: 'something '.repeat(20) } } }
  const toolsOf = n =>
    Array.from({ length: 100 }, (_, i) =>
      tool({ name: `t${i}`, description: `Does the work of ${i} for ${n} and look_up_${i}`, input }, () => ''),
    )
  const servers = new Map()
  const reach = ({ name }) => {
    const inner = createServer({ name, version: '1', log: () => {}, listChanged: false }).add(...toolsOf(0))
    servers.set(name, inner)
    return { open: () => memoryTransport(inner) }
  }
  const { server, gateway } = await gatewayTo(
    Array.from({ length: 100 }, (_, i) => `s${i}`),
    reach,
    { pageSize: 1000 },
  )
  const transport = memoryTransport(server, { strict: false })
  await transport.open({ onMessage: () => {}, onClose: () => {} })
  let id = 0
  const page = params =>
    new Promise((resolve, reject) => {
      transport.request(
        { jsonrpc: '2.0', id: ++id, method: 'tools/list', params },
        { onMessage: () => {}, onResponse: ({ result }) => resolve(result), onLost: reject },
      )
    })
  const first = await page({})
  if (first.tools.length !== 1000) throw new Error(`The page has ${first.tools.length} tools`)
  const link = { transport: 'bench', session: undefined, strict: false, direct: false, calls: {}, send: () => {} }
  const list = () => server.handle({ jsonrpc: '2.0', id: ++id, method: 'tools/list', params: {} }, link)
  await list()
  const warm = []
  for (let i = 0; i < 20; i++) warm.push(await timed(async () => JSON.stringify(await list())))
  const [managed] = gateway.servers.values()
  const inner = servers.get(managed.config.name)
  const rebuilt = []
  for (let i = 1; i <= 10; i++) {
    for (const { name } of toolsOf(0)) inner.remove('tool', name)
    inner.add(...toolsOf(i))
    rebuilt.push(await timed(() => managed.refresh()))
  }
  await transport.close()
  await gateway.close()
  return { warmPageMs: median(warm), rebuildMs: median(rebuilt) }
}
