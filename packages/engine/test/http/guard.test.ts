import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { createServer } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { everyEndpoint } from '../support/endpoints.ts'
import type { EndpointSent } from '../support/endpoints.ts'
import { Stateful, Stateless, ask, call, hello } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf } from '../support/http-exchange.ts'
import type { Refusal } from '../../src/transports/http/exchange.ts'
import { createGuard } from '../../src/transports/http/origin-check.ts'
import type { GuardOptions } from '../../src/transports/http/origin-check.ts'
import { Raw, raw, spelled } from '../support/raw-http.ts'
import { isFetch } from '../support/fetch-service.ts'
import { openShop, shopForTest } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'

// Elsewhere connections are the host's business.
const CLOSING = isFetch ? {} : { connection: 'close' }

let shop: Shop
let session: Stateful
beforeAll(async () => {
  shop = await openShop({ allowedOrigins: ['https://app.example.com'] })
  session = await Stateful.open(shop.url)
})
afterAll(() => shop.close())

/** Every way in, with a request that is served when nothing is wrong with where it comes from. */
const endpoints = (): Record<string, EndpointSent> => ({
  ...everyEndpoint(session),
  'GET /health/live': { method: 'GET', path: '/health/live', served: 200 },
  'OPTIONS /mcp': { method: 'OPTIONS', served: 204 },
})

const statuses = async (headers: Record<string, string>): Promise<Record<string, number>> => {
  const tried = Object.entries(endpoints()).map(async ([name, sent]) => {
    return [name, (await raw(shop.port, { ...sent, headers: { ...sent.headers, ...headers } })).status] as const
  })
  return Object.fromEntries(await Promise.all(tried))
}
const refused = (): Record<string, number> => Object.fromEntries(Object.keys(endpoints()).map(name => [name, 403]))
const served = (): Record<string, number> =>
  Object.fromEntries(Object.entries(endpoints()).map(([name, sent]) => [name, sent.served]))

describe('[S-SEC-01] [S-SEC-02] Origin, on every endpoint', () => {
  test.each([
    'https://evil.example.com',
    'null',
    'http://localhost.evil.example.com',
    'http://127.0.0.1.evil.example.com',
    'http://evil.example.com#@localhost',
    'localhost',
    '',
    'http://app.example.com',
    'https://app.example.com:444',
    'https://app.example.com, https://evil.example.com',
  ])("'%s' is refused", async origin => {
    expect(await statuses({ origin })).toEqual(refused())
  })

  test.each(['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:8443', 'https://app.example.com'])(
    "'%s' is let in",
    async origin => {
      expect(await statuses({ origin })).toEqual(served())
    },
  )

  test('[S-SEC-02] none is let in', async () => {
    expect(await statuses({})).toEqual(served())
  })
})

describe('[S-SEC-03] Host, on every endpoint of a server that only this machine can reach', () => {
  test.each([
    'evil.example.com',
    'evil.example.com:5000',
    'localhost.evil.example.com',
    '127.0.0.1.evil.com',
    '0.0.0.0',
  ])('%s is refused', async host => {
    expect(await statuses({ host })).toEqual(refused())
  })

  test('a page that reaches for it under a name of its own is refused, whichever of the two gives it away', async () => {
    expect(await statuses({ host: 'evil.example.com', origin: 'http://localhost' })).toEqual(refused())
    expect(await statuses({ host: 'localhost', origin: 'http://evil.example.com' })).toEqual(refused())
  })

  test.each(['localhost', 'localhost:80', 'LOCALHOST:5000', '127.0.0.1:1', '[::1]:9', '127.8.9.10'])(
    '%s is let in',
    async host => {
      expect(await statuses({ host })).toEqual(served())
    },
  )

  test('[S-SEC-05] nothing of the body is read before', async () => {
    const connection = await Raw.open(shop.port)
    const headers = { ...JSON_HEADERS, host: 'evil.example.com', 'content-length': '1000000' }
    connection.write(spelled({ headers }))
    expect(await connection.head()).toMatchObject({ status: 403, headers: CLOSING })
    connection.hangUp()
  })
})

describe('[S-HDR-11] CORS', () => {
  test('a preflight is told what it may send and see', async () => {
    const asked = 'content-type, mcp-method, Mcp-Param-Region, mcp-param-evil header, x-other'
    const headers = {
      origin: 'https://app.example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked,
    }
    const { status, headers: said, text } = await exchange(shop.url, { method: 'OPTIONS', headers })
    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect(said).toMatchObject({
      'access-control-allow-origin': 'https://app.example.com',
      'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
      vary: 'Origin',
    })
    const allowed = String(said['access-control-allow-headers']).toLowerCase().split(', ')
    expect(allowed).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'last-event-id',
        'mcp-method',
        'mcp-name',
        'mcp-param-region',
        'mcp-protocol-version',
        'mcp-session-id',
      ]),
    )
    expect(allowed).not.toContain('x-other')
    expect(said).not.toHaveProperty('access-control-allow-credentials')
  })

  test('answers, refusals and streams say who may read them', async () => {
    const headers = { ...JSON_HEADERS, origin: 'https://app.example.com' }
    const expected = {
      'access-control-allow-origin': 'https://app.example.com',
      'access-control-expose-headers': 'DPoP-Nonce, Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate',
    }
    const answers = [
      await exchange(shop.url, { headers, body: hello() }),
      await exchange(shop.url, { headers, body: 'nope' }),
      await new Stateless(shop.url, { headers }).post(call(1, 'big', { size: 1 }, { progressToken: 1 })),
      await exchange(shop.url, { path: '/sse', headers, body: ask(1, 'ping') }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 200])
    expect(answers.map(answer => answer.headers)).toMatchObject([expected, expected, expected, expected])
  })

  test('without an Origin nothing is said of it', async () => {
    const { headers } = await exchange(shop.url, { headers: JSON_HEADERS, body: hello() })
    expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([])
  })

  test('`*` lets every page in, and `null` can be let in by name', async () => {
    const open = await shopForTest({ allowedOrigins: ['*'] })
    const headers = { ...JSON_HEADERS, origin: 'https://evil.example.com' }
    expect(await exchange(open.url, { headers, body: hello() })).toMatchObject({ status: 200 })
    const nulled = await shopForTest({ allowedOrigins: ['null'] })
    expect(await exchange(nulled.url, { headers: { ...headers, origin: 'null' }, body: hello() })).toMatchObject({
      status: 200,
    })
  })
})

describe('[S-SEC-04] listening beyond this machine', () => {
  const server = createServer({ name: 's', version: '1' })

  test.each(['0.0.0.0', '::', '192.0.2.1'])('%s needs tokens, or leave to do without', async host => {
    await expect(serveHttp(server, { host, port: 0 })).rejects.toThrow(/authenticator/)
  })

  test('with leave any address is answered, but names and pages have to be let in', async () => {
    const service = await serveHttp(server, { host: '0.0.0.0', port: 0, allowAnonymous: true })
    const url = `http://127.0.0.1:${service.port}`
    const post = (headers: object): Promise<{ status: number }> =>
      exchange(url, { path: '/rpc', headers: { ...JSON_HEADERS, ...headers }, body: ask(1, 'ping') })
    expect(await post({ host: 'tools.example.com' })).toMatchObject({ status: 403 })
    expect(await post({ host: '192.0.2.1' })).toMatchObject({ status: 200 })
    expect(await post({ origin: 'http://localhost' })).toMatchObject({ status: 403 })
    await service.close()
  })

  test('127.0.0.1 is where it listens unless told otherwise', async () => {
    const service = await serveHttp(server, { port: 0 })
    expect(service.url).toBe(`http://127.0.0.1:${service.port}`)
    await service.close()
  })
})

describe('a body that is too large is refused while it arrives', () => {
  const LIMIT = 4096
  const paths = ['/mcp', '/rpc', '/sse']

  test.each(paths)('%s: said beforehand, nothing is waited for', async path => {
    const small = await shopForTest({ maxBody: LIMIT })
    const connection = await Raw.open(small.port)
    connection.write(spelled({ path, headers: { ...JSON_HEADERS, 'content-length': String(LIMIT + 1) } }))
    const { status, headers } = await connection.head()
    expect({ status, connection: headers.connection }).toEqual({
      status: 413,
      connection: isFetch ? 'keep-alive' : 'close',
    })
    connection.hangUp()
  })

  test.each(paths)('%s: in chunks, as soon as it is too much', async path => {
    const small = await shopForTest({ maxBody: LIMIT })
    const connection = await Raw.open(small.port)
    connection.write(spelled({ path, headers: { ...JSON_HEADERS, 'transfer-encoding': 'chunked' } }))
    connection.write(`${LIMIT.toString(16)}\r\n${' '.repeat(LIMIT)}\r\n`)
    connection.write(`1\r\n \r\n`)
    const { status } = await connection.head()
    expect(status).toBe(413)
    connection.hangUp()
  })

  test.each(paths)('%s: a client that sends on is told too', async path => {
    const small = await shopForTest({ maxBody: LIMIT })
    const body = Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(65_536, 32)))
    const answer = await exchange(small.url, { path, headers: JSON_HEADERS, body })
    expect(answer.status).toBe(413)
    expect(messageOf(answer)).toMatchObject({ error: { code: -32600, message: expect.stringContaining('4096') } })
  })

  test('a client that sends all before it listens is told too', async () => {
    const small = await shopForTest({ maxBody: LIMIT })
    const body = ' '.repeat(10 * 1024 * 1024)
    const deaf = async (): Promise<number> => {
      const connection = await Raw.open(small.port)
      connection.socket.pause()
      const sent = new Promise(resolve => connection.socket.write(spelled({ headers: JSON_HEADERS, body }), resolve))
      expect(await sent).toBeFalsy()
      connection.socket.resume()
      const { status } = await connection.head()
      await connection.ended()
      connection.hangUp()
      return status
    }
    expect(await Promise.all(Array.from({ length: 10 }, deaf))).toEqual(Array.from({ length: 10 }, () => 413))
  })

  test('a client that never stops sending is cut off', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const small = await shopForTest({ maxBody: LIMIT })
      const connection = await Raw.open(small.port)
      connection.write(spelled({ headers: { ...JSON_HEADERS, 'content-length': '1000000000' } }))
      expect(await connection.head()).toMatchObject({ status: 413 })
      connection.write(' '.repeat(1000))
      vi.advanceTimersByTime(4900)
      connection.write(' '.repeat(1000))
      vi.advanceTimersByTime(100)
      await connection.ended()
      connection.hangUp()
    } finally {
      vi.useRealTimers()
    }
  })

  test('POST /messages too, and its stream lives on', async () => {
    const small = await shopForTest({ maxBody: LIMIT })
    const listening = await Raw.open(small.port)
    listening.write(spelled({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } }))
    await listening.reads(() => listening.text.includes('sessionId='))
    const path = /\/messages\?sessionId=[\w-]+/.exec(listening.text)?.[0] ?? ''
    const large = await exchange(small.url, { path, headers: JSON_HEADERS, body: ' '.repeat(LIMIT + 1) })
    expect(large.status).toBe(413)
    expect(await exchange(small.url, { path, headers: JSON_HEADERS, body: ask(1, 'ping') })).toMatchObject({
      status: 202,
    })
    await listening.reads(() => listening.text.includes('"result":{}'))
    listening.hangUp()
  })

  test('exactly as much as is taken is taken', async () => {
    const small = await shopForTest({ maxBody: LIMIT })
    const body = JSON.stringify(ask(1, 'ping')).padEnd(LIMIT)
    expect(await exchange(small.url, { path: '/rpc', headers: JSON_HEADERS, body })).toMatchObject({ status: 200 })
    const more = await exchange(small.url, { path: '/rpc', headers: JSON_HEADERS, body: `${body} ` })
    expect(more.status).toBe(413)
  })

  test('bytes that are no UTF-8 are no JSON', async () => {
    const body = Readable.from([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ])
    const answer = await exchange(shop.url, { path: '/rpc', headers: JSON_HEADERS, body })
    expect(answer.status).toBe(400)
    expect(messageOf(answer)).toMatchObject({ id: null, error: { code: -32700 } })
  })
})

describe('health', () => {
  test.each(['/health/live', '/health/ready'])('%s is fine while it serves', async path => {
    const answer = await exchange(shop.url, { method: 'GET', path })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '{"status":"ok"}' })
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test('there are these two', async () => {
    expect(await exchange(shop.url, { method: 'GET', path: '/health/other' })).toMatchObject({ status: 404 })
  })
})

describe('offers to speak something else', () => {
  const h2c = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA' }

  test('a client that offers HTTP/2 beside its request is served in HTTP/1.1', async () => {
    const connection = await Raw.open(shop.port)
    const headers = { ...JSON_HEADERS, ...h2c }
    connection.write(spelled({ headers, body: JSON.stringify(hello()) }))
    const { status, headers: said } = await connection.head()
    expect(status).toBe(200)
    expect(said['mcp-session-id']).toMatch(/^[\w-]{32}$/)
    await connection.reads(() => connection.text.includes('serverInfo'))
    connection.text = ''
    connection.write(spelled({ path: '/rpc', headers: JSON_HEADERS, body: JSON.stringify(ask(2, 'ping')) }))
    expect(await connection.head()).toMatchObject({ status: 200 })
    connection.hangUp()
  })

  test('a body that comes after the offer is read', async () => {
    const connection = await Raw.open(shop.port)
    const body = JSON.stringify(ask(3, 'ping'))
    const [head = ''] = spelled({ path: '/rpc', headers: { ...JSON_HEADERS, ...h2c }, body }).split('{')
    connection.write(head)
    connection.write(body.slice(0, 5))
    connection.write(body.slice(5))
    await expect(connection.reads(() => connection.text.includes('"id":3,"result":{}'))).resolves.toBeUndefined()
    connection.hangUp()
  })

  test('the guard sees it all the same', async () => {
    const headers = { ...JSON_HEADERS, ...h2c, origin: 'https://evil.example.com' }
    expect(await raw(shop.port, { headers, body: '{}' })).toMatchObject({ status: 403 })
  })
})

describe('Host, where other machines are let in without a token', () => {
  const check = (host: string, options: Partial<GuardOptions> = {}): number => {
    try {
      createGuard({ host: '0.0.0.0', ...options }).check({ header: name => (name === 'host' ? host : undefined) })
      return 200
    } catch (error) {
      return (error as Refusal).status
    }
  }

  test.each(['evil.example', 'evil.example:5000', 'evil@127.0.0.1', '127.0.0.1/x', 'localhost.evil.example', ''])(
    "'%s' is refused, since a page may have such a name lead here",
    host => {
      expect(check(host)).toBe(403)
      expect(check(host, { host: '127.0.0.1' })).toBe(403)
    },
  )

  test.each(['127.0.0.1:5000', 'localhost', '192.168.1.7:5000', '[fd00::1]:5000', '10.0.0.1'])(
    "'%s' is let in",
    host => {
      expect(check(host)).toBe(200)
    },
  )

  test('names that are allowed are let in, and any where tokens are required', () => {
    expect(check('mcp.example:443', { allowedHosts: ['mcp.example'] })).toBe(200)
    expect(check('other.example', { needsToken: true })).toBe(200)
    expect(check('other.example', { needsToken: true, host: '127.0.0.1' })).toBe(403)
  })

  test('a refusal names the flag', () => {
    const guard = createGuard({ host: '127.0.0.1' })
    expect(() => guard.check({ header: () => 'evil.example' })).toThrow('--allow-host')
  })
})

describe('what an operator reads in the log', () => {
  test('that a host is not allowed, once', async () => {
    const lines: string[] = []
    const server = createServer({
      name: 's',
      version: '1',
      log: (level, message) => void lines.push(`${level} ${message}`),
    })
    const service = await serveHttp(server, { port: 0 })
    const statuses = [1, 2, 3].map(() =>
      raw(service.port, { method: 'GET', path: '/mcp', headers: { host: 'proxy.example' } }),
    )
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([403, 403, 403])
    await service.close()
    expect(lines).toEqual(['warn request refused'])
  })

  test('that connections are refused, and they are counted', async () => {
    const lines: string[] = []
    const refused: string[] = []
    const server = createServer({
      name: 's',
      version: '1',
      log: (level, message) => void lines.push(`${level} ${message}`),
    })
    const onRefused = ({ reason }: { reason: string }): void => void refused.push(reason)
    const service = await serveHttp(server, { port: 0, maxConnections: 1, onRefused })
    const first = connect(service.port, '127.0.0.1')
    await once(first, 'connect')
    const others = [1, 2, 3].map(() => connect(service.port, '127.0.0.1').on('error', () => {}))
    await Promise.all(others.map(socket => once(socket, 'close')))
    first.destroy()
    await service.close()
    expect(refused).toHaveLength(3)
    expect(lines).toEqual(['warn connections are refused, since there are too many (--max-connections)'])
  })
})
