import { bearerTokens, newToken } from '@causeway/engine/http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { openShop, shopForTest } from '../../packages/engine/test/support/workshop.ts'
import type { Shop } from '../../packages/engine/test/support/workshop.ts'
import type { Answer, CallOptions } from './clients.ts'
import { httpModes } from './http-clients.ts'
import type { HttpTalk } from './http-clients.ts'

// The official WebSocket transport is written for what browsers and later versions of Node have.
vi.stubGlobal('WebSocket', WebSocket)

const textOf = ({ content }: Answer): unknown => (content as { text: string }[] | undefined)?.[0]?.text
const keyOf = (name: string): string => name.replaceAll(/\W+/g, '-')

describe.each(httpModes)('$name', ({ name, version, connect }) => {
  let shop: Shop
  let talk: HttpTalk
  beforeAll(async () => {
    shop = await openShop()
    talk = await connect(shop.url, { name: 'Ada' })
  })
  afterAll(async () => {
    await talk.close()
    await shop.close()
  })

  test('agrees on a version', () => {
    expect([talk.version, talk.server]).toEqual([version, 'workshop'])
  })

  test('lists and calls tools, reads a resource, gets a prompt', async () => {
    expect(await talk.tools()).toEqual(expect.arrayContaining(['add_numbers', 'greet', 'steps']))
    expect(textOf(await talk.call('add_numbers', { number1: 5, number2: 3 }))).toBe('{"result":8}')
    expect(await talk.read('note://one')).toMatchObject({ contents: [{ text: 'first note' }] })
    expect(await talk.prompt('brief')).toMatchObject({ messages: [{ content: { text: 'all' } }] })
  })

  test('makes a hundred calls at once', async () => {
    const numbers = Array.from({ length: 100 }, (_, i) => i)
    const answers = await Promise.all(numbers.map(n => talk.call('add_numbers', { number1: n, number2: 1 })))
    expect(answers.map(textOf)).toEqual(numbers.map(n => `{"result":${n + 1}}`))
  })

  test('hears of progress', async () => {
    const heard: number[] = []
    const key = `progress-${keyOf(name)}`
    const onprogress: NonNullable<CallOptions['onprogress']> = ({ progress }) => {
      heard.push(progress)
      if (progress === 1) shop.gates.open(key)
    }
    expect(textOf(await talk.call('steps', { key }, { onprogress }))).toBe(`done ${key}`)
    expect(heard[0]).toBe(1)
  })

  test('is asked, and answers: forms, pages, models, folders', async () => {
    expect(textOf(await talk.call('greet', { key: 'you' }))).toBe('Hello, Ada!')
    expect(textOf(await talk.call('visit'))).toBe('visited: accept')
    expect(textOf(await talk.call('think'))).toContain('so be it')
    expect(textOf(await talk.call('folders'))).toBe('file:///home/ada')
  })

  test('gets what it can read when a tool fails, and an error for a tool that is not there', async () => {
    expect(await talk.call('fail')).toMatchObject({ isError: true, content: [{ text: 'it broke' }] })
    await expect(talk.call('nobody')).rejects.toMatchObject({ code: -32602 })
  })

  test('cancels a call, and the server gives it up', async () => {
    const key = `cancel-${keyOf(name)}`
    const cancelling = new AbortController()
    const call = talk.call('hold', { key }, { signal: cancelling.signal })
    await shop.gates.entered(key)
    cancelling.abort(new Error('changed my mind'))
    await expect(call).rejects.toThrow('changed my mind')
    expect(await shop.gates.cancelled(key)).toMatch(/changed my mind|disconnected/)
  })

  test('hears that the list of tools changed', async () => {
    const before = talk.changes()
    await talk.call('change')
    await expect.poll(() => talk.changes(), { interval: 5 }).toBe(before + 1)
  })

  test('takes an answer of five million letters', async () => {
    expect(textOf(await talk.call('big', { size: 5_000_000 }, { onprogress: () => {} }))).toHaveLength(5_000_000)
  })

  test('two of them keep to themselves', async () => {
    const other = await connect(shop.url, { name: 'Bo' })
    const [mine, theirs] = await Promise.all([talk.call('greet', { key: 'a' }), other.call('greet', { key: 'b' })])
    expect([textOf(mine), textOf(theirs)]).toEqual(['Hello, Ada!', 'Hello, Bo!'])
    await other.close()
  })

  test('leaves nothing open', async () => {
    const own = await shopForTest()
    const short = await connect(own.url)
    await short.tools()
    await short.close()
    await expect.poll(() => own.service.open, { interval: 5 }).toEqual({ sessions: 0, streams: 0, sockets: 0 })
  })
})

test('[S-OLD-06] a client that tries Streamable HTTP at the address of HTTP+SSE is answered there as well', async () => {
  const shop = await shopForTest()
  const client = new Client({ name: 'interop', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL('/sse', shop.url)))
  expect(client.getServerVersion()).toMatchObject({ name: 'workshop' })
  expect(textOf(await client.callTool({ name: 'add_numbers', arguments: { number1: 5, number2: 3 } }))).toBe(
    '{"result":8}',
  )
  await client.close()
})

describe.each(httpModes.filter(({ name }) => !name.includes('WebSocket')))('$name, with tokens', ({ connect }) => {
  const ada = newToken('ada')
  const authenticator = bearerTokens(ada.line)

  test('is let in with one', async () => {
    const shop = await shopForTest({ authenticator })
    const talk = await connect(shop.url, { name: 'Ada', token: ada.token })
    expect(textOf(await talk.call('whoami'))).toBe('ada')
    await talk.close()
  })

  test('is told without one', async () => {
    const shop = await shopForTest({ authenticator })
    await expect(connect(shop.url)).rejects.toThrow(/401|Unauthorized/)
    await expect(connect(shop.url, { name: 'Eve', token: 'wrong' })).rejects.toThrow(/401|Unauthorized/)
  })
})

describe.each(httpModes.filter(({ name }) => /HTTP$|legacy/.test(name)))(
  '$name, when a connection drops',
  ({ connect }) => {
    test('comes back for the answer of a tool that let it go', async () => {
      const shop = await shopForTest()
      const talk = await connect(shop.url)
      const answer = talk.call('later', { key: 'k' })
      await shop.gates.entered('k')
      shop.gates.open('k')
      expect(textOf(await answer)).toBe('fetched k')
      await talk.close()
    })

    test('is told by a server that began anew, and can begin anew itself', async () => {
      const old = await shopForTest()
      const talk = await connect(old.url)
      await old.service.close()
      const fresh = await shopForTest({ port: old.port })
      await expect(talk.tools()).rejects.toThrow(/Session not found/)
      const again = await connect(fresh.url)
      expect(await again.tools()).toContain('echo')
      await again.close()
    })
  },
)
