// A server on the official SDK 2.x, whose questions are results: `node sdk-v2.js` on stdio, `--http` on a port it prints.
import { createServer } from 'node:http'
import { McpServer, ResourceTemplate, createMcpHandler, inputRequired } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'

const text = value => ({ content: [{ type: 'text', text: value }] })
const form = { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] }
let runs = 0
let stopped = 0

function build() {
  const server = new McpServer(
    { name: 'sdk-v2', version: '1.0.0' },
    { capabilities: { logging: {}, resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } } },
  )
  server.registerTool(
    'echo',
    { inputSchema: z.object({ text: z.string() }), annotations: { readOnlyHint: true } },
    async ({ text: said }) => text(said),
  )
  server.registerTool('runs', {}, async () => text(String(runs)))
  server.registerTool('stopped', {}, async () => text(String(stopped)))
  server.registerTool('pid', {}, async () => text(String(process.pid)))
  server.registerTool('structured', { outputSchema: z.object({ n: z.number() }) }, async () => ({
    ...text('{"n":1}'),
    structuredContent: { n: 1 },
  }))
  server.registerTool('ask', { inputSchema: z.object({ who: z.string().optional() }) }, async ({ who = '' }, ctx) => {
    const { inputResponses = {}, requestState } = ctx.mcpReq
    const state = typeof requestState === 'function' ? requestState() : requestState
    const first = state === undefined ? inputResponses.first : JSON.parse(state)
    if (!first) {
      runs += 1
      return inputRequired({
        inputRequests: { first: inputRequired.elicit({ message: `First${who}?`, requestedSchema: form }) },
      })
    }
    if (!inputResponses.last) {
      return inputRequired({
        inputRequests: { last: inputRequired.elicit({ message: `Last${who}?`, requestedSchema: form }) },
        requestState: JSON.stringify(first),
      })
    }
    return text(JSON.stringify([first, inputResponses.last]))
  })
  server.registerTool('think', {}, async ctx => {
    const { inputResponses = {} } = ctx.mcpReq
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Hm?' } }], maxTokens: 5 }
    if (!inputResponses.thought)
      return inputRequired({ inputRequests: { thought: inputRequired.createMessage(params) } })
    return text(JSON.stringify(inputResponses.thought.content))
  })
  server.registerTool('folders', {}, async ctx => {
    const { inputResponses = {} } = ctx.mcpReq
    if (!inputResponses.roots) return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } })
    return text(inputResponses.roots.roots.map(({ uri }) => uri).join())
  })
  server.registerTool('steps', {}, async ctx => {
    const progressToken = ctx.mcpReq._meta?.progressToken
    for (const progress of [1, 2])
      if (progressToken !== undefined)
        await ctx.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 2, message: `step ${progress}` },
        })
    await ctx.mcpReq.log('warning', { done: true }, 'steps')
    return text('done')
  })
  server.registerTool(
    'forever',
    {},
    ctx =>
      new Promise((_resolve, reject) => {
        ctx.mcpReq.signal.addEventListener('abort', () => {
          stopped += 1
          reject(new Error('stopped'))
        })
        const params = { progressToken: ctx.mcpReq._meta?.progressToken, progress: 1 }
        if (params.progressToken !== undefined) void ctx.mcpReq.notify({ method: 'notifications/progress', params })
      }),
  )
  server.registerResource('one', 'note://one', {}, async uri => ({ contents: [{ uri: uri.href, text: 'first note' }] }))
  server.registerResource(
    'more',
    new ResourceTemplate('note://more/{n}', { list: undefined }),
    {},
    async (uri, { n }) => ({
      contents: [{ uri: uri.href, text: `note ${String(n)}` }],
    }),
  )
  server.registerPrompt('greet', { argsSchema: z.object({ who: z.string() }) }, async ({ who }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }],
  }))
  return server
}

/** An HTTP request as the platform's own, and its response written out as it comes. */
async function handled(handler, req, res) {
  const chunks = []
  for await (const chunk of req) chunks.push(chunk)
  const ending = new AbortController()
  res.on('close', () => ending.abort())
  const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined
  const request = new Request(`http://${req.headers.host}${req.url}`, {
    method: req.method,
    headers: req.headers,
    body,
    signal: ending.signal,
  })
  const response = await handler.fetch(request)
  res.writeHead(response.status, Object.fromEntries(response.headers))
  res.flushHeaders()
  try {
    for await (const chunk of response.body ?? []) res.write(chunk)
  } catch {
    // The client hung up.
  }
  res.end()
}

if (process.argv.includes('--http')) {
  const handler = createMcpHandler(build, { legacy: 'reject' })
  const listener = createServer((req, res) => void handled(handler, req, res))
  listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}/mcp`))
} else serveStdio(build)
