import { createServer, tool } from '@causeway/engine'
import { resultBudget, resultLimit } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Params, Result, Server } from '@causeway/engine'
import type { ResultBudgetOptions } from '@causeway/engine/policies'
import type { Client } from '@causeway/engine/testing'
import { describe, expect, test, vi } from 'vitest'
import { estimateTokens } from '../../src/results/estimate-tokens.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Stateful, Stateless } from '../support/http-client.ts'
import { ALL, scenario } from '../support/scenario.ts'
import { shopForTest } from '../support/workshop.ts'

const TOKENS = 500
const line = (i: number): string => `line ${i} of the log, where 😀 nothing happens\n`
const LOG = Array.from({ length: 4000 }, (_, i) => (i === 2500 ? 'a needle in the hay\n' : line(i))).join('')
const ITEMS = {
  type: 'object',
  properties: { items: { type: 'array', items: { type: 'object' } }, total: { type: 'integer' } },
  required: ['items', 'total'],
} as const
const items = Array.from({ length: 2000 }, (_, i) => ({ id: i, name: `item ${i}` }))

const add = (server: Server): Server =>
  server.add(
    tool({ name: 'log' }, () => LOG),
    tool({ name: 'find', input: { type: 'object', properties: { query: { type: 'string' } } } }, () => LOG),
    tool({ name: 'small' }, () => 'small'),
    tool({ name: 'items', output: ITEMS }, () => ({ items, total: items.length })),
    tool(
      {
        name: 'fixed',
        output: {
          type: 'object',
          properties: { items: { type: 'array', minItems: 1500 } },
          required: ['items'],
        },
      },
      () => ({ items }),
    ),
    tool({ name: 'text', output: { type: 'object', properties: { text: { type: 'string' } } } }, () => ({ text: LOG })),
    tool({ name: 'several' }, () => ({
      content: ['short', LOG, LOG].map(text => ({ type: 'text' as const, text })),
    })),
    tool({ name: 'fails' }, () => {
      throw new Error(LOG)
    }),
  )

function serverWith(options: Partial<ResultBudgetOptions> = {}): Server {
  const server = createServer({ name: 's', version: '1' })
  const budget = resultBudget({
    tokens: TOKENS,
    definitionOf: (name, { caller }) => server.definitionOf(name, caller),
    ...options,
  })
  return add(server.use(budget.policy).add(budget.source)).add(budget.tool)
}

interface Blocks {
  readonly content: readonly { readonly type: string; readonly text: string }[]
}
const textsOf = (result: unknown): string[] => (result as Blocks).content.map(({ text }) => text)
const called = (client: Client, name: string, args: Params = {}): Promise<Result> =>
  client.request('tools/call', { name, arguments: args })
const uriIn = (result: unknown): string => /result:\/\/[\da-f]{48}/.exec(JSON.stringify(result))?.[0] ?? ''
const costOf = (result: unknown): number => estimateTokens(textsOf(result).join('\n'))

scenario('a long text becomes an excerpt, and the whole is read in ranges', { server: serverWith }, async peer => {
  const result = await peer.call('log')
  const [excerpt = '', note = ''] = textsOf(result)
  expect(costOf({ content: (result as unknown as Blocks).content.slice(0, 1) })).toBeLessThanOrEqual(TOKENS)
  expect(excerpt.startsWith(line(0))).toBe(true)
  expect(excerpt.endsWith(line(3999))).toBe(true)
  expect(excerpt).toMatch(/\n\[… \d+ characters left out, from offset \d+ to \d+ …\]\n/)
  expect(note).toContain(`of ${LOG.length} characters, to fit into ${TOKENS} tokens`)
  let uri: string | undefined = `${uriIn(result)}?limit=20000`
  let whole = ''
  while (uri !== undefined) {
    const { contents } = (await peer.result('resources/read', { uri })) as { contents: { text: string; uri: string }[] }
    expect(encodeURIComponent(contents[0]?.text ?? '')).not.toBe('')
    whole += contents[0]?.text ?? ''
    uri = contents[1]?.uri
  }
  expect(whole).toBe(LOG)
})

scenario('a structured result is cut at the ends of lists, and fits its schema', { server: serverWith }, async peer => {
  const result = await peer.call('items')
  const [json = '', note = ''] = textsOf(result)
  const cut = JSON.parse(json) as { items: unknown[]; total: number }
  expect(cut.total).toBe(2000)
  expect(cut.items).toEqual(items.slice(0, cut.items.length))
  expect(cut.items.length).toBeGreaterThan(10)
  expect(result.structuredContent ?? cut).toEqual(cut)
  expect(note).toContain(`/items has ${cut.items.length} of 2000`)
  expect(estimateTokens(json)).toBeLessThanOrEqual(TOKENS)
  const { contents } = (await peer.result('resources/read', { uri: `${uriIn(result)}?limit=3` })) as {
    contents: { mimeType: string; text: string }[]
  }
  expect(contents[0]).toMatchObject({ mimeType: 'application/json', text: '{"i' })
})

describe('an excerpt', () => {
  const client = connect(serverWith())

  test('shows what was asked for', async () => {
    const [excerpt] = textsOf(await called(client, 'find', { query: 'needle' }))
    expect(excerpt).toContain('a needle in the hay')
    expect(textsOf(await called(client, 'find', { query: '(need)(le)+ in.*' }))[0]).toContain('a needle in the hay')
    expect(textsOf(await called(client, 'find', { query: 'absent' }))[0]).not.toContain('a needle')
  })

  test('is not made of what fits, which stays the same object', async () => {
    const results: Result[] = []
    const server = createServer({ name: 's', version: '1' })
    const { policy } = resultBudget({ tokens: TOKENS })
    add(
      server.use(
        (call, next) => {
          const result = policy(call, next)
          results.push(result as Result)
          return result
        },
        (call, next) => {
          const result = next(call)
          results.push(result as Result)
          return result
        },
      ),
    )
    await connect(server).call('small')
    expect(results).toHaveLength(2)
    expect(results[0]).toBe(results[1])
  })

  test('of several texts leaves the short ones whole', async () => {
    const [short, first = '', second = '', ...notes] = textsOf(await called(client, 'several'))
    expect(short).toBe('short')
    expect(Math.abs(first.length - second.length)).toBeLessThan(500)
    expect(notes.filter(note => note?.startsWith('[An excerpt')).length).toBe(2)
  })

  test('is made of failures too', async () => {
    const result = await called(client, 'fails')
    expect(result.isError).toBe(true)
    expect(costOf(result)).toBeLessThanOrEqual(TOKENS * 1.4)
    const { contents } = await client.request('resources/read', { uri: `${uriIn(result)}?offset=5&limit=10` })
    expect(contents).toMatchObject([{ text: LOG.slice(5, 15) }, {}])
  })

  test('of a structured text is cut, where lists are not what is long', async () => {
    const { structuredContent, _meta } = await called(client, 'text')
    expect(LOG.startsWith((structuredContent as { text: string }).text)).toBe(true)
    expect(_meta).toMatchObject({ 'dev.causeway/excerpt': [{ cuts: [{ at: '/text', total: LOG.length }] }] })
  })

  test('is not made where the output schema would refuse it', async () => {
    const { structuredContent } = await called(client, 'fixed')
    expect((structuredContent as { items: unknown[] }).items).toHaveLength(2000)
  })

  test('comes before the limit of bytes where that stands outside', async () => {
    const server = createServer({ name: 's', version: '1' })
    const { policy, source } = resultBudget({ tokens: TOKENS })
    add(server.use(resultLimit(20_000), policy).add(source))
    expect(uriIn(await called(connect(server), 'log'))).not.toBe('')
    const other = add(createServer({ name: 's', version: '1' }).use(policy, resultLimit(20_000)))
    expect(textsOf(await called(connect(other), 'log'))[0]).toContain('larger than 20000 bytes')
  })
})

describe('a range', () => {
  const client = connect(serverWith())
  const read = async (query: string): Promise<unknown> => {
    const uri = uriIn(await called(client, 'log'))
    return client.request('resources/read', { uri: uri + query }).then(
      ({ contents }) => (contents as { text: string }[])[0]?.text,
      (error: Error) => error.message,
    )
  }

  test.each([
    ['?offset=-1', 'Invalid params: "offset" must be a whole number, 0 or more, got \'-1\''],
    ['?offset=1e3', 'Invalid params: "offset" must be a whole number, 0 or more, got \'1e3\''],
    ['?limit=0', 'Invalid params: "limit" must be a whole number, 1 or more, got \'0\''],
    ['?offset=999999999', `Invalid params: "offset" must be less than ${LOG.length}, the characters of the result`],
    [
      '?offset=99999999999999999999',
      'Invalid params: "offset" must be a whole number, 0 or more, got \'99999999999999999999\'',
    ],
    ['?offset=2&limit=3', LOG.slice(2, 5)],
    ['?limit=999999999', LOG.slice(0, TOKENS * 6)],
    ['', LOG.slice(0, TOKENS * 3)],
  ])('%s', async (query, expected) => {
    const answer = await read(query)
    expect(answer).toBe(expected)
  })

  test('parts no character', async () => {
    const at = LOG.indexOf('😀')
    expect(await read(`?offset=${at}&limit=1`)).toBe('😀')
    expect(await read(`?offset=${at + 1}&limit=4`)).toBe('😀 n')
    expect(await read(`?offset=${at - 1}&limit=2`)).toBe(' ')
  })
})

describe('what is kept', () => {
  const reading = (client: Client, uri: string): Promise<string> =>
    client.request('resources/read', { uri }).then(
      () => 'read',
      (error: Error) => error.message.replace(uri, 'URI').split('.')[0] ?? '',
    )
  const NONE = 'Resource not found: URI'

  test.each(ALL)('is for one principal alone, in %s', async version => {
    const server = serverWith()
    const [ada, bob] = ['ada', 'bob'].map(name => connect(server, { version, principal: { name } }))
    const uri = uriIn(await called(ada as Client, 'log'))
    expect(await reading(ada as Client, uri)).toBe('read')
    expect(await reading(bob as Client, uri)).toBe(NONE)
  })

  test('is not found by a guess', async () => {
    const client = connect(serverWith())
    const uri = uriIn(await called(client, 'log'))
    const flipped = uri.slice(0, -1) + (uri.endsWith('0') ? '1' : '0')
    for (const guess of [flipped, uri.toUpperCase(), `${uri}0`, uri.slice(0, -1), 'result://', 'result://../x'])
      expect(await reading(client, guess)).toBe(NONE)
  })

  test('ends with its session', async () => {
    const store = memoryStore()
    const server = serverWith({ store })
    const client = connect(server, { version: '2025-11-25' })
    await called(client, 'log')
    expect(store.size.values).toBe(1)
    client.close()
    await vi.waitFor(() => expect(store.size.values).toBe(0))
  })

  test('expires, later if it is read', async () => {
    let now = 0
    const client = connect(serverWith({ now: () => now, limits: { ttlMs: 1000 } }))
    const uri = uriIn(await called(client, 'log'))
    now = 900
    expect(await reading(client, uri)).toBe('read')
    now = 1800
    expect(await reading(client, uri)).toBe('read')
    now = 2801
    expect(await reading(client, uri)).toBe(NONE)
  })

  test('makes room: the oldest of a client first, then of whoever has the most', async () => {
    const server = createServer({ name: 's', version: '1' })
    const limits = { perClient: { results: 3, characters: 1e9 }, inAll: { results: 4, characters: 1e9 } }
    const budget = resultBudget({ tokens: TOKENS, limits })
    add(server.use(budget.policy).add(budget.source))
    const [ada, bob] = ['ada', 'bob'].map(name => connect(server, { principal: { name } })) as [Client, Client]
    const uris: string[] = []
    for (let i = 0; i < 4; i++) uris.push(uriIn(await called(ada, 'log')))
    expect(await Promise.all(uris.map(uri => reading(ada, uri)))).toEqual([NONE, 'read', 'read', 'read'])
    const his = [uriIn(await called(bob, 'log')), uriIn(await called(bob, 'log'))]
    expect(await Promise.all(his.map(uri => reading(bob, uri)))).toEqual(['read', 'read'])
    expect(await Promise.all(uris.map(uri => reading(ada, uri)))).toEqual([NONE, NONE, 'read', 'read'])
    expect(budget.kept.size).toEqual({ results: 4, characters: 4 * LOG.length })
  })

  test('is nothing where it is too large, or the store fails', async () => {
    const few = { results: 3, characters: 1000 }
    const small = connect(serverWith({ limits: { perClient: few } }))
    expect(textsOf(await called(small, 'log'))[1]).toContain('too large to be kept')
    const failing = Object.assign(memoryStore(), { set: () => Promise.reject(new Error('down')) })
    const broken = connect(serverWith({ store: failing }))
    expect(textsOf(await called(broken, 'log'))[1]).toContain('too large to be kept')
  })
})

test('over HTTP, neither another session nor another principal reads it', async () => {
  const names: Record<string, { name: string }> = { a: { name: 'ada' }, b: { name: 'bob' } }
  const shop = await shopForTest({ authenticator: { authenticate: ({ token = '' }) => names[token] } })
  const { policy, source } = resultBudget({ tokens: TOKENS })
  shop.server.use(policy).add(source)
  const big = { size: 500_000 }
  const ada = await Stateful.open(shop.url, { token: 'a' })
  const uri = uriIn((await ada.call('plain_big', big)).result)
  const read = async (who: Stateful | Stateless, address: string): Promise<boolean> =>
    (await who.request('resources/read', { uri: address })).result !== undefined
  expect(await read(ada, uri)).toBe(true)
  expect(await read(await Stateful.open(shop.url, { token: 'a' }), uri)).toBe(false)
  expect(await read(await Stateful.open(shop.url, { token: 'b' }), uri)).toBe(false)
  expect(await read(new Stateless(shop.url, { token: 'a' }), uri)).toBe(false)
  const free = uriIn((await new Stateless(shop.url, { token: 'a' }).call('plain_big', big)).result)
  expect(await read(new Stateless(shop.url, { token: 'a' }), free)).toBe(true)
  expect(await read(new Stateless(shop.url, { token: 'b' }), free)).toBe(false)
  await ada.end()
  expect(budgetless(await ada.call('plain_big', big))).toBe(true)
})

const budgetless = (answer: unknown): boolean => uriIn(answer) === ''

describe('reading on', () => {
  const missingIn = (result: Result): { uri: string; offset: number; limit: number } => {
    const note = (result.content as { text?: string }[])
      .map(({ text = '' }) => text)
      .find(text => text.startsWith('[An ex'))
    const [, uri = '', offset, limit] =
      /read_result, or as a resource: (result:\/\/\w+)\?offset=(\d+)&limit=(\d+)\./.exec(note ?? '') ?? []
    return { uri, offset: Number(offset), limit: Number(limit) }
  }

  test('a tool reads what is missing, for models whose host reads no resources (N H12)', async () => {
    const client = connect(serverWith())
    const excerpt = await client.request('tools/call', { name: 'log' })
    const { uri, offset, limit } = missingIn(excerpt)
    const { content } = (await client.request('tools/call', {
      name: 'read_result',
      arguments: { uri, offset, limit },
    })) as { content: readonly { text: string }[] }
    expect(content[0]?.text).toBe(LOG.slice(offset, offset + limit))
    expect(content[1]?.text).toMatch(/^\[Characters \d+ to \d+ of \d+\. Read on: result:/)
    const again = await client.request('tools/call', {
      name: 'read_result',
      arguments: { uri: `${uri}?offset=10&limit=7` },
    })
    expect((again.content as { text: string }[])[0]?.text).toBe(LOG.slice(10, 17))
    const other = connect(serverWith()).request('tools/call', { name: 'read_result', arguments: { uri } })
    await expect(other).rejects.toThrow('Resource not found')
  })

  test('the note has exactly the range that is missing (N M14)', async () => {
    const server = serverWith().add(tool({ name: 'nearly' }, () => LOG.slice(0, 2600)))
    const result = await connect(server).request('tools/call', { name: 'nearly' })
    const { offset, limit } = missingIn(result)
    const [shown = ''] = (result.content as { text: string }[]).map(({ text }) => text)
    const [, left, from, to] = /\[… (\d+) characters left out, from offset (\d+) to (\d+) …\]/.exec(shown) ?? []
    expect([offset, limit, offset + limit]).toEqual([Number(from), Number(left), Number(to)])
  })

  test('the text of an embedded resource counts, and is cut like any other', async () => {
    const resource = { uri: 'file:///log', mimeType: 'text/plain', text: LOG }
    const server = serverWith().add(
      tool({ name: 'embeds' }, () => ({ content: [{ type: 'resource' as const, resource }] })),
    )
    const result = await connect(server).request('tools/call', { name: 'embeds' })
    const [block] = result.content as { type: string; resource: { uri: string; text: string } }[]
    expect(block).toMatchObject({ type: 'resource', resource: { uri: 'file:///log' } })
    expect(estimateTokens(JSON.stringify(result.content))).toBeLessThan(TOKENS * 1.6)
    expect(missingIn(result).uri).toMatch(/^result:/)
  })
})
