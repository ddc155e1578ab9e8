import { createHmac } from 'node:crypto'
import { tool } from '@causeway/engine'
import type { View } from '@causeway/engine'
import { bearerTokens, newToken, resourceServer, scopeRules } from '@causeway/engine/http'
import { requireScopes } from '@causeway/engine/policies'
import type { AuthenticationRequest } from '@causeway/engine/http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { everyEndpoint } from '../support/endpoints.ts'
import { Stateful, Stateless, ask, call, hello } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf, open } from '../support/http-exchange.ts'
import { raw } from '../support/raw-http.ts'
import type { RawSent } from '../support/raw-http.ts'
import { TokenIssuer, newKey } from '../support/token-issuer.ts'
import type { IssuerKey, TokenSpec } from '../support/token-issuer.ts'
import { openShop } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'
import { WsClient } from '../support/ws-client.ts'

const rules = scopeRules({
  tools: { 'add_*': ['math'], echo: ['read'], fail: ['write', 'read'] },
  resources: { 'note://by/ada': ['notes'] },
  prompts: { brief: ['read'] },
  implies: { admin: ['all'], all: ['read', 'write', 'math', 'notes'] },
})
const part: View = { name: 'part', offers: (kind, key) => kind === 'tools' && /^(echo|whoami)$/.test(key) }
const listed = newToken('machine', ['admin'])

let issuer: TokenIssuer
let other: TokenIssuer
let stranger: IssuerKey
let rsa: IssuerKey
let shop: Shop
let session: Stateful

beforeAll(async () => {
  stranger = await newKey('nobody')
  rsa = await newKey('two', 'RS256')
  issuer = await TokenIssuer.start()
  issuer.keys = [...issuer.keys, rsa.jwk]
  other = await TokenIssuer.start(await newKey('theirs'))
  const authenticator = resourceServer({
    issuers: [
      {
        issuer: issuer.name,
        audience: 'api://workshop',
        introspection: { clientId: 'workshop', clientSecret: 'a secret' },
      },
      { issuer: other.name },
    ],
    tokens: bearerTokens(listed.line),
    scopes: rules,
  })
  const views = { names: ['part'], find: (name: string) => (name === 'part' ? part : undefined) }
  shop = await openShop({ authenticator, scopes: rules, views })
  shop.server.use(requireScopes(rules, shop.server))
  session = await Stateful.open(shop.url, { token: await issuer.sign(`${shop.url}/mcp`) })
})
afterAll(() => Promise.all([shop.close(), issuer.close(), other.close()]))

/** Every way in, with the endpoint that it belongs to. */
function doors(): Record<string, RawSent & { readonly served: number; readonly endpoint: string }> {
  const stateless = (path: string): RawSent => {
    const { headers, body } = new Stateless('').sent(ask(1, 'tools/list'))
    return { path, ...(headers && { headers }), body: JSON.stringify(body) }
  }
  const { 'GET /nothing': _, ...own } = everyEndpoint(session)
  const all = {
    ...own,
    'POST /mcp, stateless': { ...stateless('/mcp'), served: 200 },
    'POST /mcp/part': { ...stateless('/mcp/part'), served: 200 },
    'GET /mcp/part': { method: 'GET', path: '/mcp/part', headers: { accept: 'text/event-stream' }, served: 400 },
    'DELETE /mcp/part': { method: 'DELETE', path: '/mcp/part', served: 400 },
  }
  const endpointOf = ({ path = '/mcp' }: RawSent): string => path.replace(/\?.*/, '').replace('/messages', '/sse')
  return Object.fromEntries(Object.entries(all).map(([name, door]) => [name, { ...door, endpoint: endpointOf(door) }]))
}

const READ_BY_PART = 'read'
const ALL = 'math read write notes'
const challengeAt = (endpoint: string, ...more: readonly string[]): string => {
  const metadata = `resource_metadata="${shop.url}/.well-known/oauth-protected-resource${endpoint}"`
  return `Bearer ${[...more, metadata, `scope="${endpoint === '/mcp/part' ? READ_BY_PART : ALL}"`].join(', ')}`
}

type Authorize = (resource: string, endpoint: string) => Promise<string | undefined> | string | undefined

/** What every door answers to a client: the status, and the challenge. */
async function tried(authorize: Authorize, query = ''): Promise<Record<string, unknown>> {
  const answers = Object.entries(doors()).map(async ([name, { path = '/mcp', endpoint, served: _, ...sent }]) => {
    const authorization = await authorize(shop.url + endpoint, endpoint)
    const asked = path + (query && `${path.includes('?') ? '&' : '?'}${query}`)
    const head = await raw(shop.port, { ...sent, path: asked, headers: { ...sent.headers, authorization } })
    return [name, [head.status, head.headers['www-authenticate']]] as const
  })
  return Object.fromEntries(await Promise.all(answers))
}
const refusedEverywhere = (...more: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(doors()).map(([name, { endpoint }]) => [name, [401, challengeAt(endpoint, ...more)]]),
  )
const servedEverywhere = (): Record<string, unknown> =>
  Object.fromEntries(Object.entries(doors()).map(([name, { served }]) => [name, [served, undefined]]))

const signed =
  (spec: TokenSpec | (() => TokenSpec)): Authorize =>
  async resource =>
    `Bearer ${await issuer.sign(resource, typeof spec === 'function' ? spec() : spec)}`
const seconds = (from: number): number => Math.floor(Date.now() / 1000) + from

/** A token that is put together by hand. */
function forged(resource: string, header: object, sign: (text: string) => string): string {
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encoded(header)}.${encoded({ iss: issuer.name, sub: 'ada', aud: resource, exp: seconds(3600) })}`
  return `Bearer ${text}.${sign(text)}`
}
const hmac = (resource: string): string =>
  forged(resource, { alg: 'HS256', kid: rsa.kid }, text =>
    createHmac('sha256', rsa.pem).update(text).digest('base64url'),
  )

const BAD_KEY = 'The token is signed with a key or an algorithm that is not accepted'
const FOREIGN = 'The token was issued by an authorization server that is not accepted here'
const NO_ACCESS_TOKEN = 'This is not an access token: send the access token, not an ID or refresh token'

describe('[S-AUTH-04] [S-AUTH-07] a token that is not taken, on every door', () => {
  test('none: the challenge says where to get one, and which scopes it may need', async () => {
    expect(await tried(() => undefined)).toEqual(refusedEverywhere())
  })

  test('[S-AUTH-08] in the query it is none', async () => {
    const token = await issuer.sign([`${shop.url}/mcp`])
    expect(await tried(() => undefined, `access_token=${token}`)).toEqual(refusedEverywhere())
  })

  const rows: readonly (readonly [string, string, Authorize])[] = [
    ['malformed', 'The token is malformed', () => 'Bearer a.b.c'],
    ['unknown and opaque', 'The token is unknown, expired or revoked', () => 'Bearer opaque'],
    ['one of ours that does not exist', 'The token is not known here', () => 'Bearer cw_nobody'],
    ['expired', 'The token has expired', signed(() => ({ claims: { exp: seconds(-1) } }))],
    ['not yet valid', 'The token is not valid yet', signed(() => ({ claims: { nbf: seconds(600) } }))],
    ['without an end', 'The token has no expiry', signed({ claims: { exp: undefined } as never })],
    ['of a wrong issuer', FOREIGN, signed({ claims: { iss: 'https://evil.example' } })],
    ['of no issuer', FOREIGN, signed({ claims: { iss: undefined } as never })],
    ['an ID token with a nonce', NO_ACCESS_TOKEN, signed({ claims: { nonce: 'n' }, header: { typ: 'JWT' } })],
    ['an ID token with at_hash', NO_ACCESS_TOKEN, signed({ claims: { at_hash: 'h' }, header: { typ: undefined } })],
    ['an ID token of Keycloak', NO_ACCESS_TOKEN, signed({ claims: { typ: 'ID' }, header: { typ: 'JWT' } })],
    ['a refresh token of Keycloak', NO_ACCESS_TOKEN, signed({ claims: { typ: 'Refresh' }, header: { typ: 'JWT' } })],
    ['a logout token', NO_ACCESS_TOKEN, signed({ header: { typ: 'logout+jwt' } })],
    ['alg none', BAD_KEY, resource => forged(resource, { alg: 'none' }, () => '')],
    ['HMAC with the public key', BAD_KEY, hmac],
    ['of an unknown key', BAD_KEY, signed(() => ({ key: stranger }))],
    ['of an unknown key with a known name', BAD_KEY, signed(() => ({ key: { ...stranger, kid: 'one' } }))],
    ['of the key of another issuer', BAD_KEY, signed(() => ({ key: other.key }))],
    [
      'bound to a key',
      'The token is bound to a key, which is not supported here',
      signed({ claims: { cnf: { jkt: 'a' } } }),
    ],
    [
      'bound to a certificate',
      'The token is bound to another certificate than that of this connection',
      signed({ claims: { cnf: { 'x5t#S256': 'a' } } }),
    ],
    [
      'bound in another way',
      'The token is bound to its client in a way that is not supported',
      signed({ claims: { cnf: { kid: 'a' } } }),
    ],
    ['without a subject', 'The token has no subject', signed({ claims: { sub: undefined } as never })],
  ]
  test.each(rows)('%s', async (_, description, authorize) => {
    const said = ['error="invalid_token"', `error_description="${description}"`]
    expect(await tried(authorize)).toEqual(refusedEverywhere(...said))
  })

  const foreign: readonly (readonly [string, (resource: string) => string | undefined])[] = [
    ['another server', () => 'https://other.example/mcp'],
    ['nothing', () => undefined],
    ['the server, but no endpoint', () => shop.url],
    ['another endpoint', resource => (resource.endsWith('/mcp') ? `${shop.url}/mcp/part` : `${shop.url}/mcp`)],
    ['the endpoint, with a slash', resource => `${resource}/`],
  ]
  test.each(foreign)('for %s', async (_, audience) => {
    const answers = await tried(async resource => `Bearer ${await issuer.sign(audience(resource))}`)
    const expected = Object.entries(doors()).map(([name, { endpoint }]) => {
      const hint = `The token is not for this endpoint: get one for the resource ${shop.url}${endpoint}`
      return [name, [401, challengeAt(endpoint, 'error="invalid_token"', `error_description="${hint}"`)]]
    })
    expect(answers).toEqual(Object.fromEntries(expected))
  })

  test('an audience that was named for one issuer is not one of another', async () => {
    const answers = await tried(async () => `Bearer ${await other.sign('api://workshop')}`)
    for (const answer of Object.values(answers)) expect(answer).toMatchObject([401, expect.any(String)])
  })
})

describe('a token that is taken, on every door', () => {
  const rows: readonly (readonly [string, Authorize])[] = [
    ['an access token', signed({})],
    ['typ JWT', signed({ header: { typ: 'JWT' } })],
    ['no typ', signed({ header: { typ: undefined } })],
    ['RS256', signed(() => ({ key: rsa }))],
    ['ours as the second audience', async resource => `Bearer ${await issuer.sign(['https://a.example', resource])}`],
    ['the audience that was named for the issuer', async () => `Bearer ${await issuer.sign('api://workshop')}`],
    [
      'a nonce, but declared as an access token',
      signed({ claims: { nonce: 'n', typ: 'Bearer' }, header: { typ: 'JWT' } }),
    ],
    [
      'a client without a user',
      async resource => `Bearer ${await issuer.sign(resource, { claims: { client_id: 'ada' } })}`,
    ],
  ]
  test.each(rows)('%s', async (name, authorize) => {
    // The session is ada's.
    expect(await tried(authorize), name).toEqual(servedEverywhere())
  })

  test('one that its issuer knows, and no longer once it is revoked', async () => {
    const known = { active: true, sub: 'ada', exp: seconds(3600) }
    const authorize: Authorize = (resource, endpoint) => {
      const token = `known-${endpoint.replaceAll('/', '-')}`
      issuer.opaque.set(token, { ...known, aud: resource })
      return `Bearer ${token}`
    }
    expect(await tried(authorize)).toEqual(servedEverywhere())
    issuer.opaque.set('revoked', { active: false })
    const [answer] = Object.values(await tried(() => 'Bearer revoked'))
    expect(answer).toMatchObject([401, expect.stringContaining('revoked')])
  })

  test('one of the file, beside them', async () => {
    const headers = { ...JSON_HEADERS, authorization: `Bearer ${listed.token}` }
    const answer = await exchange(shop.url, { path: '/rpc', headers, body: call(1, 'whoami') })
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('machine') })
  })

  test('it is verified once, and its keys are fetched once', async () => {
    const token = await issuer.sign(`${shop.url}/rpc`)
    const headers = { ...JSON_HEADERS, authorization: `Bearer ${token}` }
    const before = issuer.requests.length
    for (let i = 0; i < 5; i++) await exchange(shop.url, { path: '/rpc', headers, body: ask(1, 'ping') })
    expect(issuer.requests.length).toBe(before)
    expect(issuer.count('/.well-known/oauth-authorization-server')).toBe(1)
  })
})

test('what a connection showed before is compared as a whole, and ends with its token', async () => {
  const authenticator = resourceServer({ issuers: [{ issuer: issuer.name }], dpop: 'allow' })
  const connection = {}
  const [mcp, rpc] = ['https://a.example/mcp', 'https://a.example/rpc']
  const shown = (authorization: string, resource = mcp): AuthenticationRequest => ({
    method: 'POST',
    path: '/mcp',
    url: resource,
    resource,
    address: 'local',
    token: /^Bearer (.+)$/.exec(authorization)?.[1],
    dpopToken: /^DPoP (.+)$/.exec(authorization)?.[1],
    tlsPeer: undefined,
    connection,
    header: name => (name === 'authorization' ? authorization : undefined),
  })
  const ends = seconds(3600)
  const [hers, his] = await Promise.all(['ada', 'bob'].map(sub => issuer.sign(mcp, { claims: { sub, exp: ends } })))
  const who = async (authorization: string, resource?: string): Promise<unknown> => {
    const found = await authenticator.authenticate(shown(authorization, resource))
    return found && 'name' in found ? found.name.replace(/.*#/, '') : found
  }
  const refused = { refused: expect.any(String) }
  // The second time it is known, the third time it is remembered.
  for (let i = 0; i < 3; i++) expect(await who(`Bearer ${hers}`)).toBe('ada')
  expect(await who(`Bearer ${hers}`, rpc), 'another endpoint').toMatchObject(refused)
  expect(await who(`Bearer ${his}`)).toBe('bob')
  expect(await who(`Bearer ${hers}x`)).toMatchObject(refused)
  expect(await who(`DPoP ${hers}`), 'not bound').toMatchObject(refused)
  expect(await who(`Bearer ${hers}`)).toBe('ada')
  vi.useFakeTimers({ toFake: ['Date'], now: (ends + 1) * 1000 })
  try {
    expect(await who(`Bearer ${hers}`)).toMatchObject(refused)
  } finally {
    vi.useRealTimers()
  }
})

describe('[S-AUTH-10] the principal is issuer and subject together', () => {
  test('the same subject of another issuer is somebody else', async () => {
    const token = await other.sign(`${shop.url}/mcp`)
    const answer = await new Stateful(shop.url, session.session, { token }).post(ask(1, 'ping'))
    expect(answer.status).toBe(404)
    const mine = new Stateful(shop.url, session.session, { token: await issuer.sign(`${shop.url}/mcp`) })
    expect((await mine.post(ask(1, 'ping'))).status).toBe(200)
    expect(JSON.stringify(await mine.call('whoami'))).toContain(`${issuer.name}#ada`)
  })

  test('a client is not a user of the same name', async () => {
    const claims = { sub: undefined, client_id: 'ada' } as never
    const token = await issuer.sign(`${shop.url}/mcp`, { claims })
    expect((await new Stateful(shop.url, session.session, { token }).post(ask(1, 'ping'))).status).toBe(404)
  })
})

describe('[S-AUTH-01] [S-AUTH-02] [S-AUTH-03] every endpoint has metadata', () => {
  const metadataOf = async (path: string, headers = {}): Promise<unknown> => {
    const answer = await exchange(shop.url, {
      method: 'GET',
      path: `/.well-known/oauth-protected-resource${path}`,
      headers,
    })
    return { status: answer.status, cors: answer.headers['access-control-allow-origin'], ...JSON.parse(answer.text) }
  }
  test.each([
    ['', '/mcp'],
    ['/mcp', '/mcp'],
    ['/mcp/part', '/mcp/part'],
    ['/sse', '/sse'],
    ['/ws', '/ws'],
    ['/rpc', '/rpc'],
  ])('at %s', async (path, endpoint) => {
    expect(await metadataOf(path)).toEqual({
      status: 200,
      cors: '*',
      resource: shop.url + endpoint,
      resource_name: 'workshop',
      authorization_servers: [issuer.name, other.name],
      bearer_methods_supported: ['header'],
      scopes_supported: (endpoint === '/mcp/part' ? READ_BY_PART : ALL).split(' '),
    })
  })

  test('under the name that the client uses, if it is one of this machine', async () => {
    const local = `localhost:${shop.port}`
    expect(await metadataOf('', { host: local })).toMatchObject({ resource: `http://${local}/mcp` })
    // Another port is another server.
    expect(await metadataOf('', { host: 'localhost:1' })).toMatchObject({ resource: `${shop.url}/mcp` })
    expect(await metadataOf('', { host: 'evil.example' })).toMatchObject({ resource: `${shop.url}/mcp` })
  })

  test('for pages of any origin, with a preflight', async () => {
    const headers = { origin: 'https://anywhere.example', 'access-control-request-headers': 'mcp-protocol-version' }
    expect(await metadataOf('/mcp', headers)).toMatchObject({ status: 200, cors: '*' })
    const path = '/.well-known/oauth-protected-resource/mcp'
    const asked = await exchange(shop.url, { method: 'OPTIONS', path, headers })
    expect(asked).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': '*' } })
    expect((await exchange(shop.url, { method: 'POST', path, body: '{}' })).status).toBe(405)
  })

  test('elsewhere there is none', async () => {
    expect(await metadataOf('/metrics')).toMatchObject({ status: 404 })
  })
})

describe('[S-AUTH-05] [S-AUTH-11] a call that needs more scopes', () => {
  const tokenFor = (endpoint: string, scopes: object = {}): Promise<string> =>
    issuer.sign(shop.url + endpoint, { claims: { ...scopes } })
  const forbidden = (endpoint: string, scope: string): string =>
    `Bearer error="insufficient_scope", error_description="The token lacks scopes that this needs", resource_metadata="${shop.url}/.well-known/oauth-protected-resource${endpoint}", scope="${scope}"`

  test('is a 403 with all of them, before a stream is begun', async () => {
    const posted = async (path: string): Promise<unknown> => {
      const headers = { ...JSON_HEADERS, authorization: `Bearer ${await tokenFor(path, { scope: 'write' })}` }
      const { status, headers: got } = await exchange(shop.url, { path, headers, body: call(1, 'fail') })
      return [status, got['www-authenticate']]
    }
    const stateful = await Stateful.open(shop.url, { token: await tokenFor('/mcp') })
    const stateless = new Stateless(shop.url, { token: await tokenFor('/mcp') })
    for (const client of [stateful, stateless]) {
      const { status, headers } = await client.post(call(1, 'fail'))
      expect([status, headers['www-authenticate']]).toEqual([403, forbidden('/mcp', 'write read')])
    }
    expect(await posted('/rpc')).toEqual([403, forbidden('/rpc', 'write read')])
    expect(await posted('/sse')).toEqual([403, forbidden('/sse', 'write read')])
  })

  test('over HTTP+SSE, where it was posted and on the stream', async () => {
    const headers = { authorization: `Bearer ${await tokenFor('/sse')}` }
    const stream = await open(shop.url, {
      method: 'GET',
      path: '/sse',
      headers: { ...headers, accept: 'text/event-stream' },
    })
    await stream.reads(() => stream.events.length > 0)
    const path = stream.events[0]?.data ?? ''
    const post = (body: unknown, token?: string): ReturnType<typeof exchange> =>
      exchange(shop.url, { path, body, headers: { ...JSON_HEADERS, authorization: token ?? headers.authorization } })
    expect(await post(hello())).toMatchObject({ status: 202 })
    const refused = await post(call(2, 'echo'))
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([403, forbidden('/sse', 'read')])
    await stream.reads(() => stream.text.includes('requiredScopes'))
    // The token that comes with a message counts, not that of the stream.
    expect(await post(call(3, 'echo'), `Bearer ${await tokenFor('/sse', { scp: ['read'] })}`)).toMatchObject({
      status: 202,
    })
    await stream.reads(() => stream.text.includes('"id":3'))
    stream.hangUp()
  })

  test('in a batch refuses all of it, before anything of it runs', async () => {
    const ran: string[] = []
    const note = tool({ name: 'add_note', input: { type: 'object' } }, () => void ran.push('note'))
    const free = tool({ name: 'free', input: { type: 'object' } }, () => void ran.push('free'))
    shop.server.add(note, free)
    const members = [call(1, 'free'), call(2, 'echo'), call(3, 'add_note'), ask(4, 'ping'), call(5, 'fail')]
    const all = 'read math write'
    const refusal = { id: null, error: { code: -32005, data: { requiredScopes: all.split(' ') } } }
    const post = async (path: string, scope: string, batch: unknown, more = {}): ReturnType<typeof exchange> => {
      const authorization = `Bearer ${await tokenFor(path.replace(/\?.*/, '').replace('/messages', '/sse'), { scope })}`
      return exchange(shop.url, { path, headers: { ...JSON_HEADERS, authorization, ...more }, body: batch })
    }
    const stateful = await Stateful.open(shop.url, { token: await tokenFor('/mcp'), version: '2025-03-26' })
    const inSession = { 'mcp-session-id': stateful.session, accept: 'application/json, text/event-stream' }
    const doorsOfBatches = [
      ['/rpc', {}],
      ['/sse', {}],
      ['/mcp', inSession],
    ] as const
    for (const [path, more] of doorsOfBatches) {
      // The scopes that it has are named too: clients ask for exactly those of the challenge.
      const refused = await post(path, 'read math', members, more)
      expect([refused.status, refused.headers['www-authenticate']], path).toEqual([403, forbidden(path, all)])
      expect(JSON.parse(refused.text), path).toMatchObject(refusal)
      expect(ran, 'nothing ran').toEqual([])
      const served = await post(path, all, members, more)
      expect(served.status, path).toBe(200)
      for (const id of [1, 2, 3, 4, 5]) expect(served.text, path).toContain(`"id":${id}`)
      expect(ran.splice(0).toSorted()).toEqual(['free', 'note'])
    }
    const many = Array.from({ length: 100 }, (_, i) => call(i, 'free'))
    expect((await post('/rpc', 'read', [...many, call(100, 'fail')])).status).toBe(403)
    expect(ran).toEqual([])
    expect((await post('/rpc', 'read', [...many, call(100, 'echo')])).status).toBe(200)
    expect(ran).toHaveLength(100)
  })

  test('on a WebSocket it is an error that names them', async () => {
    const headers = { authorization: `Bearer ${await tokenFor('/ws')}` }
    const socket = await WsClient.open(shop.url, 'mcp', { headers })
    socket.send(call(1, 'echo'))
    expect(await socket.answered(1)).toMatchObject({ error: { code: -32005, data: { requiredScopes: ['read'] } } })
    await socket.close()
  })

  test.each([
    { scope: 'other read' },
    { scp: 'read' },
    { scp: ['other', 'read'] },
    { scopes: ['read'] },
    { scope: 'admin' },
  ])('is served with %j', async scopes => {
    const client = new Stateless(shop.url, { token: await tokenFor('/mcp', scopes) })
    expect(await client.call('echo')).toMatchObject({ result: {} })
  })

  test('the token of a session may be another one of the same principal', async () => {
    const stateful = await Stateful.open(shop.url, { token: await tokenFor('/mcp') })
    expect((await stateful.post(call(1, 'echo'))).status).toBe(403)
    const more = new Stateful(shop.url, stateful.session, { token: await tokenFor('/mcp', { scope: 'read' }) })
    expect(messageOf(await more.post(call(2, 'echo')))).toMatchObject({ result: {} })
  })

  test('of resources and prompts, however they are spelled', async () => {
    const client = new Stateless(shop.url, { token: await tokenFor('/mcp') })
    const codes = [
      await client.request('resources/read', { uri: 'note://by/ada' }),
      await client.request('resources/read', { uri: 'note://by/%61da' }),
      await client.request('resources/read', { uri: 'note://by/bob' }),
      await client.request('prompts/get', { name: 'brief' }),
      await client.request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'brief' },
        argument: { name: 'topic', value: 't' },
      }),
    ].map(({ error }) => error?.code)
    expect(codes).toEqual([-32005, -32005, undefined, -32005, -32005])
  })
})
