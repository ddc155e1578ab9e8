// A server on the official SDK 1.x, which asks in the middle of a call: `node sdk-v1.js` on stdio, `--http` on a port it prints.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'

const text = value => ({ content: [{ type: 'text', text: value }] })
const form = { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] }
let runs = 0
let stopped = 0

function build() {
  const server = new McpServer(
    { name: 'sdk-v1', version: '1.0.0' },
    { capabilities: { logging: {}, resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } } },
  )
  let count = 0
  server.registerTool(
    'echo',
    { inputSchema: { text: z.string() }, annotations: { readOnlyHint: true } },
    ({ text: said }) => text(said),
  )
  server.registerTool('counter', {}, () => text(String(++count)))
  server.registerTool('runs', {}, () => text(String(runs)))
  server.registerTool('stopped', {}, () => text(String(stopped)))
  server.registerTool('pid', {}, () => text(String(process.pid)))
  server.registerTool('die', {}, () => process.exit(3))
  server.registerTool('structured', { outputSchema: { n: z.number() } }, () => ({
    ...text('{"n":1}'),
    structuredContent: { n: 1 },
    extra: 'kept',
  }))
  server.registerTool('ask', { inputSchema: { who: z.string().optional() } }, async ({ who = '' }, extra) => {
    runs += 1
    extra.signal.addEventListener('abort', () => (stopped += 1))
    const ask = message =>
      extra.sendRequest({ method: 'elicitation/create', params: { message, requestedSchema: form } }, z.any(), {
        timeout: 600_000,
      })
    const first = await ask(`First${who}?`)
    const last = await ask(`Last${who}?`)
    return text(JSON.stringify([first, last]))
  })
  server.registerTool('think', {}, async extra => {
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Hm?' } }], maxTokens: 5 }
    const { content } = await extra.sendRequest({ method: 'sampling/createMessage', params }, z.any())
    return text(JSON.stringify(content))
  })
  server.registerTool('folders', {}, async extra => {
    const { roots } = await extra.sendRequest({ method: 'roots/list', params: {} }, z.any())
    return text(roots.map(({ uri }) => uri).join())
  })
  server.registerTool('steps', {}, async ({ _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken
    for (const progress of [1, 2])
      if (progressToken !== undefined)
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 2, message: `step ${progress}` },
        })
    await sendNotification({
      method: 'notifications/message',
      params: { level: 'warning', logger: 'steps', data: { done: true } },
    })
    return text('done')
  })
  server.registerTool(
    'forever',
    {},
    ({ signal, _meta, sendNotification }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped += 1
          reject(new Error('stopped'))
        })
        const params = { progressToken: _meta?.progressToken, progress: 1 }
        if (params.progressToken !== undefined) void sendNotification({ method: 'notifications/progress', params })
      }),
  )
  server.registerTool('touch', {}, async () => {
    await server.server.sendResourceUpdated({ uri: 'note://one' })
    server.registerTool(`extra-${randomUUID().slice(0, 8)}`, {}, () => text('extra'))
    return text('touched')
  })
  server.registerResource('one', 'note://one', {}, uri => ({ contents: [{ uri: uri.href, text: 'first note' }] }))
  server.registerResource('more', new ResourceTemplate('note://more/{n}', { list: undefined }), {}, (uri, { n }) => ({
    contents: [{ uri: uri.href, text: `note ${String(n)}` }],
  }))
  server.registerPrompt('greet', { argsSchema: { who: z.string() } }, ({ who }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }],
  }))
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}))
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}))
  return server
}

if (process.argv.includes('--http')) {
  const sessions = new Map()
  const handle = async (req, res) => {
    if (req.url === '/sessions' || req.url === '/forget-all') {
      if (req.url === '/forget-all') sessions.clear()
      res.end(String(sessions.size))
      return
    }
    const id = req.headers['mcp-session-id']
    let transport = sessions.get(id)
    if (id !== undefined && !transport) {
      res.writeHead(404).end()
      return
    }
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: opened => void sessions.set(opened, transport),
        onsessionclosed: closed => void sessions.delete(closed),
      })
      await build().connect(transport)
    }
    if (req.url === '/forget') sessions.clear()
    await transport.handleRequest(req, res)
  }
  const listener = createServer((req, res) => void handle(req, res))
  listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}/mcp`))
} else await build().connect(new StdioServerTransport())
