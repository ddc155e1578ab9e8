import type { IncomingMessage } from 'node:http'
import { tool } from '@causeway/engine'
import { insufficientScope, requireScope } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Server } from '@causeway/engine'
import { bearerTokens, newToken } from '@causeway/engine/http'
import type { AuthenticationRequest, Authenticator } from '@causeway/engine/http'
import { describe, expect, test } from 'vitest'
import { tlsPeerOf } from '../../src/transports/http/node-exchange.ts'
import { Stateful, Stateless, call } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf } from '../support/http-exchange.ts'
import { shopForTest } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'
import { WsClient } from '../support/ws-client.ts'

const tokens = { reader: newToken('ada', ['read']), writer: newToken('bob', ['read', 'write']) }
const authenticator = bearerTokens(`${tokens.reader.line}\n${tokens.writer.line}`)
const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` })

const MESSAGE = "Forbidden: this needs a token with the scope 'write'"
const refusal = { code: -32005, message: MESSAGE, data: { requiredScopes: ['write'] } }
const CHALLENGE = 'Bearer error="insufficient_scope", scope="write"'

const addTools = (server: Server): Server =>
  server.add(tool({ name: 'write', use: [requireScope('write')] }, (_, { principal }) => `by ${principal?.name}`))

async function scoped(options: Partial<Authenticator> = {}): Promise<Shop> {
  const shop = await shopForTest({ authenticator: { ...authenticator, ...options } })
  addTools(shop.server)
  return shop
}

describe('a call that needs more rights than its token has', () => {
  const { reader, writer } = tokens

  test('is a 403 that asks for them: in a session, without one, and as plain JSON-RPC', async () => {
    const { url } = await scoped()
    const session = await Stateful.open(url, { token: reader.token })
    const rpc = { path: '/rpc', headers: { ...JSON_HEADERS, ...bearer(reader.token) }, body: call(1, 'write') }
    const answers = await Promise.all([
      session.post(call(1, 'write')),
      new Stateless(url, { token: reader.token }).post(call(1, 'write')),
      exchange(url, rpc),
    ])
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 403, headers: { 'www-authenticate': CHALLENGE } })
      expect(messageOf(answer)).toMatchObject({ id: 1, error: refusal })
    }
    const other = await Stateful.open(url, { token: writer.token })
    expect(await other.call('write')).toMatchObject({ result: { content: [{ text: 'by bob' }] } })
  })

  test('is an error like any other where there is no status: on a WebSocket', async () => {
    const { url } = await scoped()
    const socket = await WsClient.open(url, 'mcp', { headers: bearer(reader.token) })
    await socket.initialize()
    socket.send(call(7, 'write'))
    expect(await socket.answered(7)).toMatchObject({ error: refusal })
    socket.ws.close()
  })

  test('is challenged in the words of the authenticator', async () => {
    const { url } = await scoped({
      challenge: (why, scopes) => `Bearer realm="x", why="${why}", for="${scopes.join()}"`,
    })
    const { headers } = await new Stateless(url, { token: reader.token }).post(call(1, 'write'))
    expect(headers['www-authenticate']).toBe('Bearer realm="x", why="scope", for="write"')
  })

  test('is not refused where nobody has to show a token, but is where a principal has no scopes', async () => {
    const server = addTools((await shopForTest()).server)
    expect(await connect(server).call('write')).toBe('by undefined')
    await expect(connect(server, { principal: { name: 'ada' } }).call('write')).rejects.toThrow(MESSAGE)
  })

  test('can be refused from any policy; what is no scope never gets into the header', async () => {
    const shop = await shopForTest({ authenticator })
    shop.server.use(() => {
      throw insufficientScope(['a b', 'ok', 'x"y', 'c\r\nd'])
    })
    const { status, headers } = await new Stateless(shop.url, { token: reader.token }).post(call(1, 'write'))
    expect([status, headers['www-authenticate']]).toEqual([403, 'Bearer error="insufficient_scope", scope="ok"'])
  })
})

test('a route can want scopes', async () => {
  const routes = [
    { path: '/figures', scopes: ['write'], handle: (at: { reply(status: number): void }) => at.reply(200) },
  ]
  const { url } = await shopForTest({ authenticator, routes })
  const get = (token: string): ReturnType<typeof exchange> =>
    exchange(url, { method: 'GET', path: '/figures', headers: bearer(token) })
  expect(await get(tokens.reader.token)).toMatchObject({ status: 403, headers: { 'www-authenticate': CHALLENGE } })
  expect(await get('wrong')).toMatchObject({ status: 401 })
  expect(await get(tokens.writer.token)).toMatchObject({ status: 200 })
  const open = await shopForTest({ routes })
  expect(await exchange(open.url, { method: 'GET', path: '/figures' })).toMatchObject({ status: 200 })
})

describe('an authenticator', () => {
  test('sees the request, upgrades included, but not its body; it may name the scopes it wants', async () => {
    const seen: Partial<AuthenticationRequest>[] = []
    const watching: Authenticator = {
      authenticate: request => {
        const { method, path, address, token, tlsPeer } = request
        seen.push({ method, path, address, token, tlsPeer })
        expect(request).not.toHaveProperty('readBody')
        return request.header('x-step') === 'up' ? { wantedScopes: ['more'] } : { name: 'ada' }
      },
    }
    const { url } = await shopForTest({ authenticator: watching, prefix: '/ai' })
    const post = { path: '/ai/rpc?x=1', headers: JSON_HEADERS, body: call(1, 'echo') }
    expect(await exchange(url, { ...post, headers: { ...JSON_HEADERS, ...bearer('t') } })).toMatchObject({
      status: 200,
    })
    expect(await exchange(url, post)).toMatchObject({ status: 200 })
    const stepped = await exchange(url, { ...post, headers: { ...JSON_HEADERS, 'x-step': 'up' } })
    const challenge = 'Bearer error="insufficient_scope", scope="more"'
    expect(stepped).toMatchObject({ status: 403, headers: { 'www-authenticate': challenge } })
    const socket = await WsClient.open(`${url}/ai`)
    socket.ws.close()
    const common = { address: '127.0.0.1', tlsPeer: undefined }
    expect(seen).toEqual([
      { ...common, method: 'POST', path: '/rpc', token: 't' },
      { ...common, method: 'POST', path: '/rpc', token: undefined },
      { ...common, method: 'POST', path: '/rpc', token: undefined },
      { ...common, method: 'GET', path: '/ws', token: undefined },
    ])
  })

  test('sees the certificate of the client, and whether it is to be trusted', () => {
    const over = (socket: object): IncomingMessage => ({ socket }) as IncomingMessage
    const shown = { subject: { CN: 'ada' }, raw: Buffer.from('x') }
    expect(tlsPeerOf(over({ authorized: true, getPeerCertificate: () => shown }))).toEqual({
      certificate: shown,
      authorized: true,
    })
    expect(tlsPeerOf(over({ authorized: false, getPeerCertificate: () => ({}) }))).toBeUndefined()
    expect(tlsPeerOf(over({}))).toBeUndefined()
  })
})

describe('a file of tokens', () => {
  test('has scopes behind the hash; lines without any are read as ever', () => {
    const plain = newToken('carl')
    const file = bearerTokens(`${tokens.writer.line}\n${plain.line}`)
    expect(file.authenticate({ token: tokens.writer.token })).toMatchObject({ name: 'bob', scopes: ['read', 'write'] })
    expect(file.authenticate({ token: plain.token })).toMatchObject({ name: 'carl' })
    expect(file.authenticate({ token: undefined })).toBeUndefined()
    expect(() => bearerTokens(`${plain.line} a"b`)).toThrow('line 1 is not')
  })
})
