import { createServer, RpcError, text, tool } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isObject, isRequest, isResponse, Malformed, parseJson, toMessage } from '../../src/jsonrpc/message.ts'

const json = fc.jsonValue({ maxDepth: 3 })
const odd = fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '\0', '\u2028', '\ud800')
const method = fc.oneof(
  fc.constantFrom('ping', 'initialize', 'tools/list', 'tools/call', 'server/discover', 'echo', 'rpc.discover'),
  fc.constantFrom('notifications/initialized', 'notifications/cancelled', 'notifications/progress'),
  odd,
  json,
)
const id = fc.oneof(fc.integer(), fc.constantFrom(0, -0, '', null, 1.5, 1e300, 2 ** 53), fc.string(), json)
const envelope = fc.record(
  {
    'io.modelcontextprotocol/protocolVersion': fc.oneof(fc.constant('2026-07-28'), json),
    'io.modelcontextprotocol/clientCapabilities': fc.oneof(fc.constant({}), json),
    'io.modelcontextprotocol/logLevel': fc.oneof(fc.constant('debug'), json),
    progressToken: json,
  },
  { requiredKeys: [] },
)
const params = fc.oneof(
  json,
  fc.record(
    {
      name: fc.oneof(fc.constant('echo'), odd, json),
      arguments: json,
      _meta: fc.oneof(envelope, json),
      requestId: id,
      cursor: json,
      inputResponses: json,
      requestState: json,
    },
    { requiredKeys: [] },
  ),
)
/** Things that look more or less like messages. */
const almost = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: json }),
    id,
    method,
    params,
    result: json,
    error: json,
  },
  { requiredKeys: [] },
)

describe('parseJson', () => {
  test('gives what JSON.parse gives', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  test('throws a parse error at anything else, and only that', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(['parsed', REFUSED]).toContain(parsing(text))
      }),
    )
  })

  test('refuses what is nested more than a thousand levels deep, and nothing else', () => {
    const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
    const maps = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    expect([1000, 1001, 100_000].map(depth => parsing(lists(depth)))).toEqual(['parsed', REFUSED, REFUSED])
    expect([1000, 1001, 100_000].map(depth => parsing(maps(depth)))).toEqual(['parsed', REFUSED, REFUSED])
    expect(parsing(`[${'[],'.repeat(10_000)}[]]`)).toBe('parsed')
    expect(parsing(JSON.stringify('['.repeat(10_000)))).toBe('parsed')
  })

  test('refuses what has more values than can be read at once, whatever they are (R-H5)', () => {
    const most = 250_000
    const lists = (count: number): string => `[${Array(count).fill('1').join(',')}]`
    expect([most, most + 1].map(count => parsing(lists(count)))).toEqual(['parsed', REFUSED])
    const maps = Array.from({ length: 130_000 }, (_, i) => `{"k${i}":[]}`).join(',')
    expect(parsing(`[${maps}]`)).toBe(REFUSED)
    expect(parsing(JSON.stringify(['a,[{'.repeat(most)]))).toBe('parsed')
  })

  test('does not mistake brackets in strings for nesting', () => {
    const awkward = fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', ']', '\n', 'x') })
    fc.assert(
      fc.property(fc.array(awkward, { maxLength: 5 }), fc.integer({ min: 990, max: 1010 }), (words, depth) => {
        const text = '['.repeat(depth - 1) + JSON.stringify(words) + ']'.repeat(depth - 1)
        expect(parsing(text)).toBe(depth > 1000 ? REFUSED : 'parsed')
      }),
    )
  })

  test('does not repeat a long text', () => {
    const long = fault(() => parseJson(`["${'x'.repeat(100_000)}`))
    expect(long).toBeInstanceOf(RpcError)
    expect(JSON.stringify(long).length).toBeLessThan(500)
  })
})

function fault(run: () => unknown): unknown {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}

const REFUSED = '-32700 Parse error'

function parsing(text: string): string {
  const error = fault(() => parseJson(text))
  return error instanceof RpcError ? `${error.code} ${error.message}` : error === undefined ? 'parsed' : 'wrong error'
}

const isGoodId = (id: unknown): boolean => typeof id === 'string' || Number.isSafeInteger(id)

/** What is wrong with what was made of a value. */
function complaints(value: unknown): string[] {
  const message = toMessage(value)
  const checks: Record<string, boolean> =
    message instanceof Malformed
      ? {
          'the code': message.error.code === -32600,
          'the words': message.error.message.startsWith('Invalid Request: '),
          'the id': message.id === (isObject(value) && isGoodId(value.id) ? value.id : undefined),
        }
      : {
          'not the value itself': message === value,
          'a response with nothing in it': !isResponse(message) || 'result' in message || 'error' in message,
          'no 2.0': isResponse(message) || message.jsonrpc === '2.0',
          'no method': isResponse(message) || typeof message.method === 'string',
          'a bad id': !isRequest(message) || isGoodId(message.id),
        }
  return Object.keys(checks).filter(name => !checks[name])
}

describe('toMessage', () => {
  test('takes any JSON value, and gives a message or says what is wrong', () => {
    fc.assert(
      fc.property(fc.oneof(almost, json), value => {
        expect(complaints(value)).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  test('names the id of a malformed request if it can be read', () => {
    expect(toMessage({ jsonrpc: '1.0', id: 7, method: 'x' })).toMatchObject({ id: 7 })
    expect(toMessage({ jsonrpc: '2.0', id: '', method: 1 })).toMatchObject({ id: '' })
    expect(toMessage({ jsonrpc: '2.0', id: 1.5, method: 'x' })).toMatchObject({ id: undefined })
  })
})

const server = createServer({ name: 'parsing', version: '1.0.0' }).add(
  tool({ name: 'echo', input: { type: 'object' } }, given => ({ content: [text(JSON.stringify(given))] })),
)

/** Is it an answer, and none that says something broke inside? */
function isAnswer(value: unknown): boolean {
  if (!isObject(value) || value.jsonrpc !== '2.0') return false
  const { error, id } = value
  if ('result' in value) return !('error' in value) && isGoodId(id)
  return isObject(error) && Number.isInteger(error.code) && error.code !== -32603 && typeof error.message === 'string'
}

function isProper(text: string | undefined): boolean {
  if (text === undefined) return true
  const value: unknown = JSON.parse(text)
  return !text.includes('\n') && (Array.isArray(value) ? value.length > 0 && value.every(isAnswer) : isAnswer(value))
}

describe('whatever text comes in', () => {
  const settings = { numRuns: 300 }

  test('what goes out is one line of JSON-RPC, or nothing', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      almost.map(value => JSON.stringify(value)),
      fc.array(almost, { maxLength: 4 }).map(values => JSON.stringify(values)),
    )
    const holds = fc.asyncProperty(texts, async sent => {
      const answer = await connect(server, { direct: true }).raw(sent)
      expect(isProper(answer)).toBe(true)
    })
    await fc.assert(holds, settings)
  })

  test('a request is answered under its own id, with its JSON type', async () => {
    const goodId = fc.oneof(fc.integer(), fc.constantFrom(0, ''), fc.string(), odd)
    const holds = fc.asyncProperty(goodId, method, params, async (id, method, params) => {
      const client = connect(server)
      const answer = await client.raw(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      expect(JSON.parse(String(answer))).toHaveProperty('id', Object.is(id, -0) ? 0 : id)
    })
    await fc.assert(holds, settings)
  })

  test('a notification is never answered', async () => {
    const client = connect(server, { direct: true })
    const name = method.filter(value => typeof value === 'string')
    const holds = fc.asyncProperty(name, params, async (method, params) => {
      expect(await client.raw(JSON.stringify({ jsonrpc: '2.0', method, params }))).toBeUndefined()
    })
    await fc.assert(holds, settings)
  })

  test('an answer nobody asked for is ignored', async () => {
    const client = connect(server)
    const result = fc.record({ jsonrpc: fc.constant('2.0'), id, result: json })
    const error = fc.record({ jsonrpc: fc.constant('2.0'), id, error: json })
    const holds = fc.asyncProperty(fc.oneof(result, error), async answer => {
      expect(await client.raw(JSON.stringify(answer))).toBeUndefined()
    })
    await fc.assert(holds, settings)
  })
})
