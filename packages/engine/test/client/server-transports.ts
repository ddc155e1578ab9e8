import { PassThrough } from 'node:stream'
import { createServer, prompt, resource, serveStdio, template, tool } from '@causeway/engine'
import type { Feature, Server } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import {
  httpTransport,
  SseTransport,
  StdioTransport,
  WebSocketTransport,
  memoryTransport,
} from '@causeway/engine/client'
import type { ClientTransport } from '@causeway/engine/client'

const VALUE = { type: 'object', properties: { value: { type: 'string' } } } as const

const tools = (): Feature[] => [
  tool(
    {
      name: 'echo',
      input: { type: 'object', properties: { text: { type: 'string', 'x-mcp-header': 'Text' } } } as never,
    },
    ({ text }) => String(text),
  ),
  tool({ name: 'steps' }, async (_, ctx) => {
    ctx.progress(1, 'one', 2)
    ctx.log('warning', { step: 1 }, 'steps')
    ctx.progress(2, 'two', 2)
    return 'done'
  }),
  tool({ name: 'name' }, async (_, ctx) => {
    const first = await ctx.elicit('first', {
      message: 'First?',
      schema: VALUE,
    })
    const last = await ctx.elicit('last', {
      message: 'Last?',
      schema: VALUE,
    })
    return JSON.stringify([first, last])
  }),
  tool({ name: 'think' }, async (_, ctx) => {
    const { content } = await ctx.sample('thought', {
      messages: [{ role: 'user', content: { type: 'text', text: 'Hm?' } }],
      maxTokens: 5,
    })
    return JSON.stringify(content)
  }),
  tool({ name: 'folders' }, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join()),
  tool(
    { name: 'forever' },
    (_, ctx) =>
      new Promise((_resolve, reject) => {
        running.add(ctx.signal)
        ctx.signal.addEventListener('abort', () => {
          running.delete(ctx.signal)
          reject(new Error('stopped'))
        })
      }),
  ),
  tool({ name: 'fails' }, () => {
    throw new Error('It broke.')
  }),
]

/** A server that can do everything a client may notice. */
export function everything(): Server {
  const server = createServer({ name: 'far', version: '1.2.3', title: 'Far', instructions: 'Be kind.', pageSize: 2 })
  server.add(...tools())
  server.add(
    resource({ uri: 'note://one', name: 'one' }, () => 'first note'),
    template({ uriTemplate: 'note://more/{n}', name: 'more' }, ({ n }) => `note ${n}`),
    prompt(
      { name: 'greet', arguments: [{ name: 'who', complete: ['Ada', 'Alan'] }] },
      ({ who }) => `Hello ${String(who)}`,
    ),
  )
  return server
}

/** The calls of `forever` that nobody stopped. */
export const running: Set<AbortSignal> = new Set()

/** A way to reach a server, and to be done with it. */
export interface Reached {
  open(): ClientTransport
  stop(): Promise<void>
}

type ServerTransport = (server: Server) => Promise<Reached>

const overHttp =
  (path: string, make: (url: string) => ClientTransport): ServerTransport =>
  async (server: Server): Promise<Reached> => {
    const service = await serveHttp(server, { port: 0 })
    const { origin } = new URL(service.url)
    return { open: () => make(origin + path), stop: () => service.close() }
  }

/** Every transport a client can be on. */
export const SERVER_TRANSPORTS: Readonly<Record<string, (server: Server) => Promise<Reached>>> = {
  memory: async server => ({ open: () => memoryTransport(server), stop: async () => {} }),
  stdio: async server => {
    const served: Promise<void>[] = []
    return {
      open() {
        const [input, output] = [new PassThrough(), new PassThrough()]
        served.push(serveStdio(server, { input, output }))
        return new StdioTransport({ input: output, output: input, end: async () => {} })
      },
      // Not at the end of the transport: a server that drains waits for its calls.
      stop: async () => void (await Promise.all(served)),
    }
  },
  http: overHttp('/mcp', url => httpTransport({ url })),
  sse: overHttp('/sse', url => new SseTransport({ url })),
  websocket: overHttp('/ws', url => new WebSocketTransport({ url: url.replace('http', 'ws') })),
}
