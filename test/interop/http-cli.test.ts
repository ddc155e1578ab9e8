import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { Stateful, Stateless, ask, call } from '../../packages/engine/test/support/http-client.ts'
import { JSON_HEADERS, exchange, open } from '../../packages/engine/test/support/http-exchange.ts'
import { Raw, spelled } from '../../packages/engine/test/support/raw-http.ts'
import { WsClient } from '../../packages/engine/test/support/ws-client.ts'
import { Spawned } from '../support/spawned.ts'
import { listeningAt } from './listening.ts'

const started: Spawned[] = []
const folders: string[] = []

function run(...args: string[]): Spawned {
  const spawned = new Spawned(args)
  started.push(spawned)
  return spawned
}
const serve = (...args: string[]): Spawned => run('serve', '--http', '--port', '0', '--pack', 'basics', ...args)

afterEach(async () => {
  for (const { process } of started) process.kill('SIGKILL')
  await Promise.all(started.splice(0).map(({ ended }) => ended))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const fileWith = (name: string, text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-http-'))
  folders.push(folder)
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const ping = (url: string, headers: object = {}): Promise<{ status: number }> =>
  exchange(url, { path: '/rpc', headers: { ...JSON_HEADERS, ...headers }, body: ask(1, 'ping') })

/** Resolves when no new connection is taken any more. */
async function takesNothing(url: string): Promise<void> {
  const answer = (): Promise<unknown> =>
    ping(url).then(
      ({ status }) => status,
      () => 'refused',
    )
  await expect.poll(answer, { interval: 5 }).toBe('refused')
}

describe('causeway serve --http', () => {
  test('a frame that is too large is told so while it is still being sent, every time', async () => {
    const url = await listeningAt(serve('--max-request', '100kb'))
    const frame = 'x'.repeat(11 * 1024 * 1024)
    for (let time = 0; time < 15; time++) {
      const socket = await WsClient.open(url)
      socket.ws.send(frame)
      expect(await socket.closed).toBe(1009)
    }
  })

  test('a proxy on this machine may pass on the names that were allowed, and no others', async () => {
    const url = await listeningAt(serve('--allow-host', 'mcp.example.org', '--public-url', 'https://tools.example.org'))
    for (const host of ['mcp.example.org', 'MCP.example.org:443', 'tools.example.org', 'localhost'])
      expect(await ping(url, { host })).toMatchObject({ status: 200 })
    for (const host of ['evil.example.com', 'mcp.example.org.evil.example.com', 'x.mcp.example.org'])
      expect(await ping(url, { host })).toMatchObject({ status: 403 })
    expect(await ping(url, { origin: 'https://tools.example.org' })).toMatchObject({ status: 200 })
    expect(await ping(url, { origin: 'https://mcp.example.org' })).toMatchObject({ status: 403 })
  })

  test('says where it listens, what there is, and what to paste where', async () => {
    const served = serve()
    const url = await listeningAt(served)
    await served.until(() => served.lines.find(line => line.includes('Ctrl-C')))
    const said = served.lines.join('\n')
    for (const door of ['/mcp', '/sse', '/rpc', '/health/live']) expect(said).toContain(`${url}${door}`)
    expect(said).toContain(`${url.replace('http', 'ws')}/ws`)
    expect(said).toContain(`claude mcp add --transport http causeway ${url}/mcp`)
    const json = (line: string): unknown => JSON.parse(line.slice(line.indexOf('{')))
    const entry = { causeway: { type: 'http', url: `${url}/mcp` } }
    expect(json(served.lines.find(line => line.startsWith('VS Code')) ?? '')).toEqual({ servers: entry })
    expect(json(served.lines.find(line => line.startsWith('Cursor')) ?? '')).toEqual({
      mcpServers: { causeway: { url: `${url}/mcp` } },
    })
    expect(await ping(url)).toMatchObject({ status: 200 })
  })

  test('SIGTERM: who listens gets the last result, streams end, calls in flight finish, and it ends with 0', async () => {
    const served = serve()
    const url = await listeningAt(served)
    const session = await Stateful.open(url)
    const listen = ask('l', 'subscriptions/listen', { notifications: { toolsListChanged: true } })
    const streams = [
      await session.listen(),
      await open(url, { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } }),
      await new Stateless(url).stream(listen),
    ]
    await Promise.all(streams.slice(1).map(stream => stream.reads(() => stream.events.length > 0)))
    const socket = await WsClient.open(url)
    // A call whose end is still to come is a call in flight.
    const text = spelled({
      headers: session.headers(),
      body: JSON.stringify(call(7, 'add_numbers', { number1: 5, number2: 3 })),
    })
    const half = await Raw.open(Number(new URL(url).port))
    half.write(text.slice(0, -9))
    expect(await ping(url)).toMatchObject({ status: 200 })
    served.process.kill('SIGTERM')
    await takesNothing(url)
    half.write(text.slice(-9))
    await half.reads(() => half.text.includes('{\\"result\\":8}'))
    await Promise.all(streams.map(stream => stream.ended))
    expect(streams[2]?.messages.at(-1)).toMatchObject({
      id: 'l',
      result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 'l' } },
    })
    expect(await socket.closed).toBe(1001)
    expect(await served.ended).toEqual({ code: 0, signal: null })
    expect(served.stderr).not.toMatch(/"level":"(warn|error)"/)
    half.hangUp()
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('%s with nothing going on ends it at once with 0', async signal => {
    const served = serve()
    await listeningAt(served)
    served.process.kill(signal)
    expect(await served.ended).toEqual({ code: 0, signal: null })
  })

  test('a second signal does not wait for anyone', async () => {
    const served = serve()
    const url = await listeningAt(served)
    const half = await Raw.open(Number(new URL(url).port))
    half.write(spelled({ path: '/rpc', headers: { ...JSON_HEADERS, 'content-length': '100' } }))
    await ping(url)
    served.process.kill('SIGTERM')
    await takesNothing(url)
    served.process.kill('SIGTERM')
    expect(await served.ended).toEqual({ code: 1, signal: null })
    half.hangUp()
  })

  test('a port in use: says so, says what to do, ends with 2', async () => {
    const taken = createServer()
    await new Promise<void>(resolve => void taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    const served = run('serve', '--http', '--port', String(port))
    expect(await served.ended).toEqual({ code: 2, signal: null })
    expect(served.stderr).toContain(`Port ${port} on 127.0.0.1 is in use. Choose another with --port N`)
    expect(served.lines).toEqual([])
    taken.close()
  })

  const refused: readonly [string, string[], RegExp, number][] = [
    ['beyond this machine without tokens', ['--host', '0.0.0.0'], /--token-file FILE.*--allow-anonymous/, 2],
    ['an address that is not there', ['--host', '192.0.2.1', '--allow-anonymous'], /no address 192\.0\.2\.1/, 2],
    ['a port that is none', ['--port', '70000'], /--port must be a number from 0 to 65535/, 2],
    ['a file of tokens that is not there', ['--token-file', '/no/such/file'], /--token-file \/no\/such\/file/, 4],
    ['both transports', ['--stdio'], /exclude each other/, 2],
  ]
  test.each(refused)('%s is refused', async (_, args, words, code) => {
    const served = serve(...args)
    expect(await served.ended).toEqual({ code, signal: null })
    expect(served.stderr).toMatch(words)
    expect(served.lines).toEqual([])
  })

  test('beyond this machine with leave', async () => {
    const served = serve('--host', '0.0.0.0', '--allow-anonymous', '--allow-host', 'tools.example.com')
    const { port } = new URL(await listeningAt(served))
    const at = (host: string): ReturnType<typeof ping> => ping(`http://127.0.0.1:${port}`, { host })
    expect(await at('tools.example.com')).toMatchObject({ status: 200 })
    expect(await at(`192.0.2.1:${port}`)).toMatchObject({ status: 200 })
    // A page whose name leads here must not use what needs no token.
    expect(await at('rebound.example.com')).toMatchObject({ status: 403 })
  })

  test('--allow-origin lets pages in', async () => {
    const served = serve('--allow-origin', 'https://a.example.com', '--allow-origin', 'https://b.example.com')
    const url = await listeningAt(served)
    const statuses = ['a', 'b', 'c'].map(async x => (await ping(url, { origin: `https://${x}.example.com` })).status)
    expect(await Promise.all(statuses)).toEqual([200, 200, 403])
  })

  test('--max-request and --max-sessions hold', async () => {
    const served = serve('--max-request', '1kb', '--max-sessions', '1')
    const url = await listeningAt(served)
    const large = await exchange(url, { path: '/rpc', headers: JSON_HEADERS, body: ' '.repeat(1025) })
    expect(large.status).toBe(413)
    const session = await Stateful.open(url)
    const stream = await session.listen()
    await expect(Stateful.open(url)).rejects.toThrow(/503/)
    stream.hangUp()
  })
})

describe('causeway token', () => {
  test('makes a token that its line lets in, and that alone', async () => {
    const made = run('token', 'ada')
    expect(await made.ended).toEqual({ code: 0, signal: null })
    const [token = ''] = made.lines
    const line = made.stderr.split('\n').find(text => text.startsWith('ada sha256:')) ?? ''
    expect(line).not.toContain(token)
    const served = serve('--token-file', fileWith('tokens', `# who may\n${line}\n`), '--host', '0.0.0.0')
    const { port } = new URL(await listeningAt(served))
    const url = `http://127.0.0.1:${port}`
    const statuses = [{}, { authorization: 'Bearer wrong' }, { authorization: `Bearer ${token}` }].map(
      async headers => (await ping(url, headers)).status,
    )
    expect(await Promise.all(statuses)).toEqual([401, 401, 200])
    expect(served.lines.join('\n')).toContain('Authorization: Bearer TOKEN')
    expect(served.lines.join('\n') + served.stderr).not.toContain(token)
  })

  test.each([[[]], [['two', 'names']], [['no/slash']]])('token %j is refused', async names => {
    const made = run('token', ...names)
    expect(await made.ended).toEqual({ code: 2, signal: null })
  })

  test('a line that is none ends the server with 4, and says which', async () => {
    const served = serve('--token-file', fileWith('tokens', '# first\nada secret\n'))
    expect(await served.ended).toEqual({ code: 4, signal: null })
    expect(served.stderr).toMatch(/line 2 .*causeway token NAME/)
  })
})
