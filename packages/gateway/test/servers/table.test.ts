import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, prompt, resource, tool, versions } from '@causeway/engine'
import type { Params, Server } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import type { RemoteServer, ServerChange } from '@causeway/engine/client'
import { expect, test, vi } from 'vitest'
import { answer, clientOf, gatewayTo, later, textOf } from '../support/world.ts'

const VALUE = { type: 'object', properties: { value: { type: 'string' } } } as const

function upstream(): Server {
  return createServer({ name: 'up', version: '1' }).add(
    tool({ name: 'sum', output: { type: 'object', properties: { n: { type: 'number' } } } }, () => ({ n: 3 })),
    tool({ name: 'form' }, async (_, ctx) => (await ctx.elicit('q', { message: 'Q?', schema: VALUE })).action),
    tool(
      { name: 'page' },
      async (_, ctx) => (await ctx.elicit('q', { message: 'Q?', url: 'https://example.com' })).action,
    ),
    tool({ name: 'think' }, async (_, ctx) => {
      const message = { role: 'user', content: { type: 'text', text: 'Hm?' } } as const
      return JSON.stringify((await ctx.sample('q', { messages: [message], maxTokens: 5 })).content)
    }),
    tool({ name: 'roots' }, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join()),
    tool({ name: 'steps' }, (_, ctx) => {
      ctx.progress(1)
      ctx.log('warning', 'said')
      return 'done'
    }),
    resource({ uri: 'note://one', name: 'one' }, () => 'first note'),
    prompt(
      { name: 'greet', arguments: [{ name: 'who', complete: ['Ada', 'Alan'] }] },
      ({ who }) => `Hello ${String(who)}`,
    ),
  )
}

interface World {
  readonly client: RemoteServer
  readonly far: Server
  readonly changes: ServerChange[]
}

const says = async ({ client }: World, name: string): Promise<string> => textOf(await client.callTool(`up__${name}`))

const FEATURES: Readonly<Record<string, (world: World) => Promise<boolean>>> = {
  tools: async ({ client }) => (await client.callTool('up__sum')).isError !== true,
  'structured output': async ({ client }) => (await client.callTool('up__sum')).structuredContent !== undefined,
  resources: async ({ client }) => 'contents' in (await client.request('resources/read', { uri: 'note://one' })),
  prompts: async ({ client }) =>
    'messages' in (await client.request('prompts/get', { name: 'up__greet', arguments: { who: 'x' } })),
  completion: async ({ client }) => {
    const ref = { type: 'ref/prompt', name: 'up__greet' }
    const { completion } = await client.request('completion/complete', { ref, argument: { name: 'who', value: 'Al' } })
    return JSON.stringify(completion).includes('Alan')
  },
  progress: async ({ client }) => {
    const heard: Params[] = []
    await client.callTool('up__steps', {}, { onProgress: said => heard.push(said) })
    return heard.length === 1
  },
  logging: async ({ client }) => {
    const heard: Params[] = []
    await client.setLogLevel('info')
    const spy = { logLevel: 'info', onLog: (said: Params) => heard.push(said) } as const
    await client.callTool('up__steps', {}, spy)
    return heard.length > 0 || logs.length > 0
  },
  forms: async world => (await says(world, 'form')) === 'accept',
  'pages to visit': async world => (await says(world, 'page')) === 'accept',
  sampling: async world => (await says(world, 'think')).includes('Hm!'),
  roots: async world => (await says(world, 'roots')) === 'file:///home',
  subscriptions: async ({ client, far, changes }) => {
    await client.subscribe('note://one')
    await vi.waitFor(() => {
      far.updated('note://one')
      if (!changes.some(change => 'uri' in change)) throw new Error('not yet')
    }, 5000)
    return true
  },
  'list changes': async ({ far, changes }) => {
    far.add(tool({ name: 'more' }, () => 'more'))
    await vi.waitFor(() => {
      if (!changes.some(change => 'list' in change && change.list === 'tools')) throw new Error('not yet')
    }, 5000)
    return true
  },
}

let logs: Params[] = []

/** What works, for a client of one revision in front of a server of another. */
async function cell(version: string, revision: string): Promise<string[]> {
  const far = upstream()
  const service = await serveHttp(far, { port: 0 })
  later(() => service.close())
  const { server, gateway } = await gatewayTo({ up: { url: new URL('/mcp', service.url).href, revision } })
  await gateway.servers.get('up')?.refresh()
  const changes: ServerChange[] = []
  logs = []
  const client = await clientOf(server, {
    version,
    answer,
    onChange: change => changes.push(change),
    onLog: log => logs.push(log),
  })
  const works: string[] = []
  for (const [feature, tried] of Object.entries(FEATURES)) {
    if (await tried({ client, far, changes }).catch(() => false)) works.push(feature)
  }
  return works
}

const page = new URL('../../../../docs/gateway.md', import.meta.url)

test('the table of the documentation is what happens', async () => {
  const rows: string[] = []
  for (const version of versions) {
    for (const revision of versions) {
      const works = await cell(version, revision)
      const missing = Object.keys(FEATURES).filter(feature => !works.includes(feature))
      rows.push(
        `| ${version} | ${revision} | ${missing.length === 0 ? 'everything' : `all but ${missing.join(', ')}`} |`,
      )
    }
  }
  const table = ['| client | server | works |', '|---|---|---|', ...rows].join('\n')
  const text = readFileSync(page, 'utf8')
  const [start, end] = [text.indexOf('<!-- cells -->\n') + 15, text.indexOf('\n<!-- /cells -->')]
  if (process.env.UPDATE_DOCS) writeFileSync(page, text.slice(0, start) + table + text.slice(end))
  const shown = readFileSync(page, 'utf8')
  expect(shown, 'run: npm run docs').toContain(`<!-- cells -->\n${table}\n<!-- /cells -->`)
}, 120_000)
