import { createServer, tool } from '@causeway/engine'
import type { Params } from '@causeway/engine'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Stateful, Stateless, ask, call, hello } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf } from '../support/http-exchange.ts'
import type { Answer } from '../support/http-exchange.ts'
import { raw } from '../support/raw-http.ts'
import { openShop } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'

let shop: Shop
let session: Stateful
beforeAll(async () => {
  shop = await openShop()
  session = await Stateful.open(shop.url)
})
afterAll(() => shop.close())

const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`

describe('[S-HDR-04] [S-HDR-05] Mcp-Name', () => {
  const taken: readonly [string, string, string][] = [
    ['as it is', 'note://one', 'note://one'],
    ['with white space around it', 'note://one', '  note://one \t'],
    ['in base64', 'note://one', base64('note://one')],
    ['in base64, beyond ASCII', 'note://by/Zoë', base64('note://by/Zoë')],
  ]
  test.each(taken)('%s is taken', async (_, uri, name) => {
    const answer = await new Stateless(shop.url).post(ask(1, 'resources/read', { uri }), { 'mcp-name': name })
    expect(answer).toMatchObject({ status: 200 })
  })

  const refused: readonly [string, string][] = [
    ['of something else, in base64', base64('note://two')],
    ['in base64 without its padding', `=?base64?${btoa('note://one').replace(/=+$/, '')}?=`],
    ['in base64 with letters that are none', '=?base64?bm90!!!ZTovL29uZQ==?='],
    ['in base64 that is no UTF-8', `=?base64?${Buffer.from([0xff, 0xfe]).toString('base64')}?=`],
    ['with its marker in upper case', `=?BASE64?${btoa('note://one')}?=`],
    ['with its case changed', 'NOTE://ONE'],
  ]
  test.each(refused)('%s is refused', async (_, name) => {
    const read = ask(1, 'resources/read', { uri: 'note://one' })
    const answer = await new Stateless(shop.url).post(read, { 'mcp-name': name })
    expect(answer).toMatchObject({ status: 400 })
    expect(messageOf(answer)).toMatchObject({ id: 1, error: { code: -32020 } })
  })

  test('[S-HDR-04] names of headers have no case', async () => {
    const { headers, body } = new Stateless(shop.url).sent(call(1, 'echo'))
    const shouted = Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, value]) => [name.toUpperCase(), value]),
    )
    expect(await exchange(shop.url, { headers: shouted, body })).toMatchObject({ status: 200 })
  })
})

describe('[S-HDR-05] [S-HDR-06] [S-HDR-07] [S-HDR-09] Mcp-Param-*', () => {
  const served: readonly [string, Params, Record<string, string>][] = [
    ['a string', { region: 'eu' }, { region: 'eu' }],
    ['a string in base64', { region: 'Hello' }, { region: base64('Hello') }],
    ['a string that only looks like base64', { region: 'SGVsbG8=' }, { region: 'SGVsbG8=' }],
    ['a marker that is not closed is a literal', { region: '=?base64?SGVsbG8=' }, { region: '=?base64?SGVsbG8=' }],
    ['an ending without its marker is a literal', { region: 'SGVsbG8=?=' }, { region: 'SGVsbG8=?=' }],
    ['an integer', { count: 42 }, { count: '42' }],
    ['an integer, spelled otherwise', { count: 42 }, { count: '42.0' }],
    ['zero', { count: 0 }, { count: '0' }],
    ['false', { dry: false }, { dry: 'false' }],
    ['all of them', { region: 'eu', count: -1, dry: true }, { region: 'eu', count: '-1', dry: 'true' }],
    ['none of them', {}, {}],
    ['a header nobody knows', {}, { planet: 'earth' }],
  ]
  const mirrored = (said: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(said).map(([name, value]) => [`mcp-param-${name}`, value]))

  test.each(served)('%s is served', async (_, args, said) => {
    const answer = await new Stateless(shop.url).post(call(1, 'region', args), mirrored(said))
    expect(messageOf(answer)).toMatchObject({ result: { content: [{ text: `served ${JSON.stringify(args)}` }] } })
    expect(answer.status).toBe(200)
  })

  const refused: readonly [string, Params, Record<string, string>][] = [
    ['a missing one', { region: 'eu' }, {}],
    ['another value', { region: 'eu' }, { region: 'us' }],
    ['another case', { region: 'eu' }, { region: 'EU' }],
    ['base64 without padding', { region: 'Hello' }, { region: '=?base64?SGVsbG8?=' }],
    ['base64 with letters that are none', { region: 'Hello' }, { region: '=?base64?SGVs!!!bG8=?=' }],
    ['one without an argument', {}, { region: 'eu' }],
    ['one beside null', { region: null }, { region: 'null' }],
    ['another number', { count: 42 }, { count: '43' }],
    ['a number that is no integer', { count: 4.5 }, { count: '4.5' }],
    ['a number beyond what is safe', { count: 2 ** 53 }, { count: String(2 ** 53) }],
    ['an empty number', { count: 0 }, { count: ' ' }],
    ['another truth', { dry: true }, { dry: 'TRUE' }],
    ['something that is no plain value', { region: { deep: [1] } }, { region: '[object Object]' }],
    ['a list', { region: ['eu'] }, { region: 'eu' }],
  ]
  test.each(refused)('%s is refused', async (_, args, said) => {
    const answer = await new Stateless(shop.url).post(call(1, 'region', args), mirrored(said))
    expect(answer).toMatchObject({ status: 400 })
    expect(messageOf(answer)).toMatchObject({ id: 1, error: { code: -32020 } })
  })

  test('[S-HDR-10] a tool that is not there is the first thing to be said', async () => {
    const answer = await new Stateless(shop.url).post(call(1, 'nobody', { region: 'eu' }))
    expect(messageOf(answer)).toMatchObject({ error: { code: -32602 } })
  })
})

describe('[S-HDR-08] annotations that clients would refuse are refused when the tool is added', () => {
  const wrong: readonly [string, Params][] = [
    ['an empty name', { a: { type: 'string', 'x-mcp-header': '' } }],
    ['a name with a space', { a: { type: 'string', 'x-mcp-header': 'My Region' } }],
    ['a name that is none', { a: { type: 'string', 'x-mcp-header': 7 } }],
    ['a number', { a: { type: 'number', 'x-mcp-header': 'A' } }],
    ['an object', { a: { type: 'object', 'x-mcp-header': 'A' } }],
    [
      'the same name twice but for its case',
      { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
    ],
    ['an item of a list', { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }],
    ['one of several shapes', { a: { anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] } }],
    [
      'something below one of several shapes',
      { a: { oneOf: [{ type: 'object', properties: { b: { type: 'string', 'x-mcp-header': 'A' } } }] } },
    ],
  ]
  test.each(wrong)('%s', (_, properties) => {
    const add = (): unknown =>
      createServer({ name: 's', version: '1' }).add(
        tool({ name: 't', input: { type: 'object', properties } }, () => ''),
      )
    expect(add).toThrow(/x-mcp-header/)
  })

  test('a default or an example that looks like an annotation is none', async () => {
    const properties = { 'x-mcp-header': { type: 'string' }, b: { type: 'object', default: { 'x-mcp-header': 'A' } } }
    shop.server.add(tool({ name: 'unannotated', input: { type: 'object', properties } }, () => ''))
    expect(await new Stateless(shop.url).post(call(1, 'unannotated', {}))).toMatchObject({ status: 200 })
  })

  test('one below another argument counts', async () => {
    const inner = { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } } as const
    const input = { type: 'object', properties: { place: inner } } as const
    shop.server.add(tool({ name: 'nested', input }, ({ place }) => place?.zone ?? 'nowhere'))
    const client = new Stateless(shop.url)
    const body = call(1, 'nested', { place: { zone: 'b' } })
    expect(await client.post(body)).toMatchObject({ status: 400 })
    expect(await client.post(body, { 'mcp-param-zone': 'b' })).toMatchObject({ status: 200 })
  })
})

describe('[S-HTTP-02] Accept of a POST', () => {
  const both = async (accept: string | undefined): Promise<Answer[]> => [
    await exchange(shop.url, { headers: { ...JSON_HEADERS, accept }, body: hello() }),
    await new Stateless(shop.url).post(ask(1, 'tools/list'), { accept }),
  ]
  const taken: readonly (string | undefined)[] = [
    'application/json, text/event-stream',
    'text/event-stream,application/json',
    '*/*',
    'application/*, text/*',
    'APPLICATION/JSON; q=0.5, Text/Event-Stream;charset=utf-8',
    '*/*;q=0, application/json, text/event-stream',
    undefined,
  ]
  test.each(taken)('%s is taken', async accept => {
    expect((await both(accept)).map(({ status }) => status)).toEqual([200, 200])
  })

  const refused = [
    'application/json',
    'text/event-stream',
    'text/html',
    'application/jsonp, text/event-stream',
    'xapplication/json, text/event-stream',
    'application/json, text/event-stream;q=0',
    '*/*, text/event-stream;q=0',
  ]
  test.each(refused)('%s is refused', async accept => {
    const answers = await both(accept)
    expect(answers.map(({ status }) => status)).toEqual([406, 406])
    expect(answers.map(messageOf)).toMatchObject([{ error: { code: -32000 } }, { error: { code: -32000 } }])
  })
})

describe('[S-HTTP-09] Accept of a GET', () => {
  const accepts: readonly [string | undefined, number][] = [
    ['text/event-stream', 200],
    ['text/*', 200],
    ['*/*', 200],
    [undefined, 200],
    ['application/json', 406],
    ['*/*, text/event-stream;q=0.0', 406],
  ]
  test.each(accepts)('%s → %i', async (accept, status) => {
    const answer = await raw(shop.port, {
      method: 'GET',
      headers: { ...session.headers({ 'content-type': undefined }), accept },
    })
    expect(answer.status).toBe(status)
  })
})

describe('[S-HTTP-03] Content-Type', () => {
  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    '%s is JSON on every endpoint',
    async type => {
      const legacy = await exchange(shop.url, { headers: { ...JSON_HEADERS, 'content-type': type }, body: hello() })
      const plain = await exchange(shop.url, { path: '/rpc', headers: { 'content-type': type }, body: ask(1, 'ping') })
      expect([legacy.status, plain.status]).toEqual([200, 200])
    },
  )
})

test('[S-SSE-08] the head of a stream keeps proxies from holding it back', async () => {
  const stream = await new Stateless(shop.url).stream(call(1, 'big', { size: 1 }, { progressToken: 1 }))
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  expect(stream.headers).not.toHaveProperty('content-encoding')
  await stream.ended
})
