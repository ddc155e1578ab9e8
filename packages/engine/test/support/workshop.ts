import { createServer, prompt, resource, template, tool } from '@causeway/engine'
import type { Server, ServerOptions, Tool } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import type { HttpOptions, HttpService } from '@causeway/engine/http'
import { onTestFinished } from 'vitest'
import { isFetch, serveFetch } from './fetch-service.ts'
import { Gates } from './gates.ts'

const TWO = {
  type: 'object',
  properties: { number1: { type: 'number' }, number2: { type: 'number' } },
  required: ['number1', 'number2'],
} as const
const KEY = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] } as const
const SIZE = { type: 'object', properties: { size: { type: 'number' } }, required: ['size'] } as const
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
const MIRRORED = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
  },
} as const

const sum: Tool = tool({ name: 'add_numbers', input: TWO }, ({ number1, number2 }) => ({ result: number1 + number2 }))
const echo: Tool = tool({ name: 'echo', input: { type: 'object' } }, given => ({
  content: [{ type: 'text', text: JSON.stringify(given) }],
  structuredContent: given,
}))
const fail: Tool = tool({ name: 'fail' }, () => {
  throw new Error('it broke')
})

/** Tools that wait where the test can see them. */
const waiting = (gates: Gates): Tool[] => [
  tool({ name: 'hold', input: KEY }, async ({ key }, ctx) => {
    await gates.pass(key, ctx.signal)
    return `released ${key}`
  }),
  tool({ name: 'steps', input: KEY }, async ({ key }, ctx) => {
    ctx.progress(1, `${key} begins`, 2)
    ctx.log('info', `${key} begins`)
    await gates.pass(key, ctx.signal)
    ctx.progress(2, `${key} ends`, 2)
    return `done ${key}`
  }),
  tool({ name: 'silent_then_steps', input: KEY }, async ({ key }, ctx) => {
    await gates.pass(key, ctx.signal)
    ctx.progress(1, `${key} at last`)
    return `done ${key}`
  }),
  tool({ name: 'later', input: KEY }, async ({ key }, ctx) => {
    ctx.detach()
    await gates.pass(key, ctx.signal)
    return `fetched ${key}`
  }),
]

/** Tools that ask the client. */
const asking: Tool[] = [
  tool({ name: 'greet', input: KEY }, async ({ key }, ctx) => {
    const answer = await ctx.elicit('name', { message: `Who is ${key}?`, schema: NAME })
    return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : `No name: ${answer.action}`
  }),
  tool({ name: 'visit' }, async (_, ctx) => {
    const { action } = await ctx.elicit('page', { message: 'Sign in', url: 'https://example.com/sign-in' })
    return `visited: ${action}`
  }),
  tool({ name: 'think' }, async (_, ctx) => {
    const { content } = await ctx.sample('thought', {
      messages: [{ role: 'user', content: { type: 'text', text: 'Think' } }],
      maxTokens: 10,
    })
    return `thought: ${JSON.stringify(content)}`
  }),
  tool({ name: 'folders' }, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join(' ')),
]

/** Tools that tell what they see of their request. */
const telling: Tool[] = [
  tool({ name: 'whoami' }, (_, ctx) => ctx.principal?.name ?? 'nobody'),
  tool({ name: 'trace' }, (_, ctx) => ({ ...ctx.trace })),
  tool({ name: 'region', input: MIRRORED }, given => `served ${JSON.stringify(given)}`),
  tool({ name: 'big', input: SIZE }, ({ size }, ctx) => {
    ctx.progress(1)
    return 'x'.repeat(size)
  }),
  tool({ name: 'plain_big', input: SIZE }, ({ size }) => 'x'.repeat(size)),
]

/** A server with a tool for everything HTTP has to carry. */
export function workshop(gates: Gates, options: Partial<ServerOptions> = {}): Server {
  const server = createServer({ name: 'workshop', version: '1.0.0', ...options })
  const extra = tool({ name: 'extra' }, () => 'here')
  return server.add(
    sum,
    echo,
    fail,
    ...waiting(gates),
    ...asking,
    ...telling,
    tool({ name: 'change' }, () => {
      if (!server.remove('tool', 'extra')) server.add(extra)
      return 'changed'
    }),
    tool({ name: 'touch' }, () => {
      server.updated('note://one')
      return 'touched'
    }),
    resource({ uri: 'note://one', name: 'one' }, () => 'first note'),
    template({ uriTemplate: 'note://by/{name}', name: 'by name' }, ({ name }) => `note of ${name}`),
    prompt(
      { name: 'brief', arguments: [{ name: 'topic', complete: ['tides', 'tiles'] }] },
      ({ topic = 'all' }) => topic,
    ),
  )
}

/** A workshop that is being served. */
export interface Shop {
  readonly url: string
  readonly port: number
  readonly gates: Gates
  readonly server: Server
  readonly service: HttpService
  close(): Promise<void>
}

/** Serve a workshop on a free port of this machine. */
export async function openShop(options: HttpOptions = {}, serving: Partial<ServerOptions> = {}): Promise<Shop> {
  const gates = new Gates()
  const server = workshop(gates, serving)
  const serve = isFetch ? serveFetch : serveHttp
  const service = await serve(server, { port: 0, drainMs: 2000, ...options })
  const close = async (): Promise<void> => {
    gates.openAll()
    await service.close()
  }
  return { url: service.url, port: service.port, gates, server, service, close }
}

/** The same, closed at the end of the test that calls it. */
export async function shopForTest(options: HttpOptions = {}, serving: Partial<ServerOptions> = {}): Promise<Shop> {
  const shop = await openShop(options, serving)
  onTestFinished(() => shop.close())
  return shop
}
