import { copyFileSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { Certificates } from '../../../../test/support/certificates.ts'
import { needs } from '../../../../test/support/needs.ts'
import { Spawned } from '../../../../test/support/spawned.ts'

let own: Certificates
let other: Certificates
const folder = mkdtempSync(join(tmpdir(), 'causeway-https-'))
const inFolder = (name: string): string => join(folder, name)

beforeAll(() => {
  if (needs('openssl').skip) return
  own = new Certificates().issue('server', '/CN=localhost').issue('ada', '/CN=ada').issue('unit', '/O=Unit/OU=Tests')
  other = new Certificates().issue('eve', '/CN=ada').issue('server', '/CN=localhost')
})
afterAll(() => {
  own?.remove()
  other?.remove()
  rmSync(folder, { recursive: true, force: true })
})

interface Answer {
  readonly status: number
  readonly session: string
  readonly text: string
  readonly issuer: string
}

const BODY = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'system_info', arguments: {} } }
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

/** One POST of JSON-RPC, on a connection of its own. */
function ask(to: RequestOptions & { readonly secure?: boolean }, body = PING): Promise<Answer> {
  const { secure = true, ...options } = to
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(options.headers as Record<string, string> | undefined),
  }
  return new Promise((resolve, reject) => {
    const send = secure ? httpsRequest : httpRequest
    const sent = send({ path: '/rpc', method: 'POST', agent: false, ...options, headers }, response => {
      const { socket } = response as unknown as { socket: { getPeerCertificate?(): { raw?: Buffer } } }
      const issuer = socket.getPeerCertificate?.().raw?.toString('base64') ?? ''
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          session: String(response.headers['mcp-session-id']),
          text,
          issuer,
        }),
      )
    })
    sent.on('error', reject).end(body)
  })
}

async function serving(flags: readonly string[]): Promise<{ server: Spawned; port: number }> {
  const server = new Spawned(['serve', '--http', '--port', '0', '--pack', 'basics', ...flags])
  onTestFinished(() => void server.process.kill('SIGKILL'))
  const url = await server.until(() => /listening on (https?:\S+)/.exec(server.lines.join('\n'))?.[1])
  expect(url).toMatch(/^https:/)
  return { server, port: Number(new URL(url).port) }
}

describe('HTTPS', needs('openssl'), () => {
  const files = (): string[] => ['--tls-cert', inFolder('cert.pem'), '--tls-key', inFolder('key.pem')]
  const put = (from: Certificates): void => {
    copyFileSync(from.file('server.pem'), inFolder('cert.pem'))
    copyFileSync(from.file('server.key'), inFolder('key.pem'))
  }

  test.each([
    ['one process', []],
    ['workers', ['--workers', '2']],
  ])('is served by %s, WebSocket too, and another certificate is used once its files change', async (_, more) => {
    put(own)
    const { server, port } = await serving([...files(), ...more])
    const trusting = { host: 'localhost', port, ca: own.text('ca.pem') }
    const first = await ask(trusting)
    expect(first).toMatchObject({ status: 200, text: expect.stringContaining('"result":{}') })
    const socket = new WebSocket(`wss://localhost:${port}/ws`, { ca: own.text('ca.pem') })
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    socket.terminate()
    await expect(ask({ ...trusting, secure: false })).rejects.toThrow(/socket hang up|ECONNRESET/)
    // A file that cannot be used changes nothing.
    writeFileSync(inFolder('cert.pem'), 'nonsense')
    await server.until(() => /certificates cannot be used and stay as they were/.exec(server.stderr)?.[0])
    expect((await ask(trusting)).issuer).toBe(first.issuer)
    put(other)
    await vi.waitFor(async () => expect((await ask({ ...trusting, ca: other.text('ca.pem') })).status).toBe(200))
    await expect(ask(trusting)).rejects.toThrow(/certificate|self-signed/i)
  })

  test('a client certificate says who it is; without one of a trusted authority nobody is let in', async () => {
    put(own)
    const { server, port } = await serving([...files(), '--tls-client-ca', own.file('ca.pem'), '--audit', 'stderr'])
    const to = { host: 'localhost', port, ca: own.text('ca.pem') }
    const with_ = (from: Certificates, name: string): RequestOptions => ({
      ...to,
      cert: from.text(`${name}.pem`),
      key: from.text(`${name}.key`),
    })
    expect(await ask(to)).toMatchObject({ status: 401, text: expect.stringContaining('client certificate') })
    expect(await ask(with_(other, 'eve'))).toMatchObject({ status: 401, text: expect.stringContaining('not from an') })
    const calling = JSON.stringify(BODY)
    expect(await ask(with_(own, 'ada'), calling)).toMatchObject({ status: 200 })
    expect(await ask(with_(own, 'unit'), calling)).toMatchObject({ status: 200 })
    await server.until(() => /"principal":"ada"/.exec(server.stderr)?.[0])
    await server.until(() => /"principal":"O=Unit, OU=Tests"/.exec(server.stderr)?.[0])
    // They are no operators.
    expect(await ask({ ...with_(own, 'ada'), method: 'GET', path: '/metrics' }, '')).toMatchObject({ status: 403 })
  })

  test('a session of a client certificate is served by whichever worker its requests reach', async () => {
    put(own)
    const { port } = await serving([...files(), '--tls-client-ca', own.file('ca.pem'), '--workers', '2'])
    const by = (name: string, more: RequestOptions = {}): RequestOptions => {
      const shown = { cert: own.text(`${name}.pem`), key: own.text(`${name}.key`) }
      return { host: 'localhost', port, ca: own.text('ca.pem'), path: '/mcp', ...shown, ...more }
    }
    const clientInfo = { name: 'c', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const { session } = await ask(by('ada'), JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }))
    // A certificate that a client only claims to have is not believed.
    const claim = `trusted ${own.text('ada.pem').replaceAll(/-.*-|\n/g, '')}`
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18', 'x-causeway-peer': claim }
    for (let i = 0; i < 6; i++) {
      expect(await ask(by('ada', { headers }))).toMatchObject({ status: 200 })
      expect(await ask(by('unit', { headers }))).toMatchObject({ status: 404 })
      expect(await ask({ ...by('ada', { headers }), cert: undefined, key: undefined })).toMatchObject({ status: 401 })
    }
  })

  test.each([
    [['--tls-cert', 'x.pem'], /--tls-cert needs --tls-key FILE/],
    [['--tls-client-ca', 'x.pem'], /--tls-client-ca needs --tls-cert FILE and --tls-key FILE/],
    [['--tls-cert', '/nowhere.pem', '--tls-key', '/nowhere.key'], /--tls-cert \/nowhere.pem cannot be used: ENOENT/],
  ])('%j is refused with what to do', async (flags, words) => {
    const server = new Spawned(['serve', '--http', '--port', '0', ...flags])
    expect((await server.ended).code).toBeGreaterThan(0)
    expect(server.stderr).toMatch(words)
  })

  test('a key of another certificate is refused', async () => {
    const pair = ['--tls-cert', own.file('server.pem'), '--tls-key', own.file('ada.key')]
    const server = new Spawned(['serve', '--http', '--port', '0', ...pair])
    expect((await server.ended).code).toBe(4)
    expect(server.stderr).toMatch(/cannot be used together/)
  })
})

describe('a Unix socket', () => {
  const socketPath = inFolder('s.sock')
  const start = (): Spawned => {
    const flags = ['--socket', socketPath, '--pack', 'basics', '--audit', 'stderr']
    const server = new Spawned(['serve', '--http', ...flags])
    onTestFinished(() => void server.process.kill('SIGKILL'))
    return server
  }

  test('is for its user alone, who is the principal; one that was left behind is replaced, one in use is not', async () => {
    const first = start()
    await first.until(() => /listening on \S+s\.sock/.exec(first.lines.join('\n'))?.[0])
    expect(lstatSync(socketPath).mode & 0o777).toBe(0o600)
    expect(await ask({ secure: false, socketPath }, JSON.stringify(BODY))).toMatchObject({ status: 200 })
    await first.until(() => new RegExp(`"principal":"user:${process.getuid?.()}"`).exec(first.stderr)?.[0])
    expect(await ask({ secure: false, socketPath, method: 'GET', path: '/metrics' }, '')).toMatchObject({ status: 200 })
    const second = start()
    expect((await second.ended).code).toBeGreaterThan(0)
    expect(second.stderr).toMatch(/Another process listens on/)
    first.process.kill('SIGKILL')
    await first.ended
    expect(lstatSync(socketPath).isSocket()).toBe(true)
    const third = start()
    await third.until(() => /listening on \S+s\.sock/.exec(third.lines.join('\n'))?.[0])
    expect(await ask({ secure: false, socketPath })).toMatchObject({ status: 200 })
  })

  test('a file in its place is left alone', async () => {
    const file = inFolder('file')
    writeFileSync(file, 'mine')
    const server = new Spawned(['serve', '--http', '--socket', file, '--pack', 'basics'])
    expect((await server.ended).code).toBeGreaterThan(0)
    expect(server.stderr).toMatch(/exists and is not a socket/)
    expect(lstatSync(file).isFile()).toBe(true)
  })
})
