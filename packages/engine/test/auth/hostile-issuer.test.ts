import { resourceServer } from '@causeway/engine/http'
import type { AuthenticationRequest, Authenticator, IssuerOptions } from '@causeway/engine/http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Refreshed } from '../../src/auth/refreshed.ts'
import { Stateless, ask } from '../support/http-client.ts'
import { TokenIssuer, newKey } from '../support/token-issuer.ts'
import { shopForTest } from '../support/workshop.ts'

const RESOURCE = 'https://mcp.example.org/mcp'
const METADATA = '/.well-known/oauth-authorization-server'

let issuer: TokenIssuer
let server: Authenticator
const guarded = (options: Partial<IssuerOptions> = {}): Authenticator =>
  resourceServer({ issuers: [{ issuer: issuer.name, ...options }] })
beforeEach(async () => {
  issuer = await TokenIssuer.start()
  server = guarded()
})
afterEach(() => issuer.close())

const shown = (token: string): AuthenticationRequest => ({
  method: 'POST',
  path: '/mcp',
  url: RESOURCE,
  resource: RESOURCE,
  address: 'local',
  token,
  dpopToken: undefined,
  tlsPeer: undefined,
  header: () => undefined,
})
const tried = async (token: string, at: Authenticator = server): Promise<unknown> => at.authenticate(shown(token))
const good = async (): Promise<unknown> => tried(await issuer.sign(RESOURCE))
const granted = { name: expect.stringContaining('#ada') }
// What a redirect or an address that is not followed is called.
const REFUSED = /https|private|too often|redirect/i
const BAD_KEY = { refused: 'The token is signed with a key or an algorithm that is not accepted' }

describe('an authorization server that does harm', () => {
  test('says that it is another', async () => {
    issuer.metadata = { ...issuer.metadata, issuer: 'https://accounts.example' }
    await expect(good()).rejects.toThrow('not of')
    // The next token does not ask again at once.
    await expect(good()).rejects.toThrow('not of')
    expect(issuer.count(METADATA)).toBe(1)
  })

  test('has metadata without end', async () => {
    issuer.hook = ({ url }, response) => {
      if (url !== METADATA) return false
      const more = (): void => {
        while (response.write('x'.repeat(64 * 1024)));
        response.once('drain', more)
      }
      more()
      return true
    }
    await expect(good()).rejects.toThrow('larger than')
  })

  test.each([
    'http://169.254.169.254/latest',
    'https://169.254.169.254/latest',
    'https://10.0.0.1/keys',
    'https://[::1]/keys',
    'http://127.0.0.1:1/keys',
    'file:///etc/passwd',
  ])('leads to %s', async target => {
    issuer.hook = ({ url }, response) => {
      if (url !== METADATA) return false
      response.writeHead(302, { location: target }).end()
      return true
    }
    await expect(good()).rejects.toThrow(REFUSED)
    issuer.hook = () => false
    server = guarded()
    issuer.metadata = { ...issuer.metadata, jwks_uri: target }
    await expect(good()).rejects.toThrow(REFUSED)
  })

  test('redirects in a circle', async () => {
    issuer.hook = ({ url }, response) => {
      if (url !== METADATA) return false
      response.writeHead(302, { location: METADATA }).end()
      return true
    }
    await expect(good()).rejects.toThrow(REFUSED)
    expect(issuer.count(METADATA)).toBeLessThan(10)
  })

  test('has a thousand keys, or keys that take long, or a secret among them', async () => {
    const [key] = issuer.keys
    issuer.keys = Array.from({ length: 1000 }, (_, i) => ({ ...key, kid: `key-${i}` }))
    await expect(good()).rejects.toThrow('more than 100 keys')
    server = guarded()
    issuer.keys = [
      { kty: 'RSA', kid: 'huge', n: 'x'.repeat(100_000), e: 'AQAB' },
      { kty: 'oct', kid: 'one', k: 'c2VjcmV0', alg: 'HS256' },
    ]
    expect(await good()).toMatchObject(BAD_KEY)
  })

  test('never answers: the client hears that its token cannot be checked, others are served', async () => {
    issuer.hook = () => true
    const impatient = resourceServer({ issuers: [{ issuer: issuer.name }], timeoutMs: 50 })
    const shop = await shopForTest({ authenticator: impatient }, { log: false })
    const token = await issuer.sign(`${shop.url}/mcp`)
    const answer = await new Stateless(shop.url, { token }).post(ask(1, 'tools/list'))
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
    expect(answer.text).not.toContain(issuer.name)
  })

  test('answers nonsense', async () => {
    issuer.hook = (_, response) => {
      response.end('[1, 2')
      return true
    }
    await expect(good()).rejects.toThrow('no metadata')
  })
})

describe('the keys of an issuer', () => {
  test('are fetched at the first token, and again at once for the first unknown key', async () => {
    expect(issuer.requests).toEqual([])
    expect(await good()).toMatchObject(granted)
    expect(issuer.requests).toEqual([METADATA, '/keys'])
    const next = await newKey('next')
    issuer.keys = [next.jwk]
    expect(await tried(await issuer.sign(RESOURCE, { key: next }))).toMatchObject(granted)
    expect(issuer.count('/keys')).toBe(2)
  })

  test('and then at most every ten seconds, however many unknown keys there are', async () => {
    await good()
    const stranger = await newKey('stranger')
    const forged = async (i: number): Promise<unknown> =>
      tried(await issuer.sign(RESOURCE, { key: { ...stranger, kid: `k${i}` } }))
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => forged(i)))
    for (const answer of answers) expect(answer).toMatchObject(BAD_KEY)
    expect(issuer.count('/keys')).toBe(2)
  })

  test('that have no name are all tried', async () => {
    const nameless = await newKey('x')
    const { kid: _, ...jwk } = nameless.jwk
    issuer.keys = [{ ...(await newKey('y')).jwk, kid: undefined } as never, jwk]
    expect(await tried(await issuer.sign(RESOURCE, { key: nameless, header: { kid: undefined } }))).toMatchObject(
      granted,
    )
  })

  test('sign only with the algorithms that were named', async () => {
    expect(await tried(await issuer.sign(RESOURCE), guarded({ algorithms: ['RS256'] }))).toMatchObject(BAD_KEY)
    expect(() => guarded({ algorithms: ['HS256'] })).toThrow('not accepted')
    expect(() => guarded({ algorithms: ['none'] })).toThrow('not accepted')
  })

  test('an old value is used while a new one is fetched, but not forever', async () => {
    let [at, fetched] = [0, 0]
    const times = { freshMs: 10, staleMs: 100, againMs: 5, now: () => at }
    const fetch = vi.fn<() => Promise<number>>(async () => ++fetched)
    const value = new Refreshed(fetch, times)
    expect(await value.get()).toBe(1)
    at = 11
    expect(await value.get()).toBe(1)
    await vi.waitFor(async () => expect(await value.get()).toBe(2))
    fetch.mockRejectedValue(new Error('away'))
    at = 50
    expect(await value.get()).toBe(2)
    await new Promise(setImmediate)
    at = 200
    await expect(value.get()).rejects.toThrow('away')
    const asked = fetch.mock.calls.length
    at = 204
    await expect(value.get()).rejects.toThrow('away')
    expect(fetch.mock.calls.length).toBe(asked)
  })
})

describe('introspection', () => {
  const client = { clientId: 'a b', clientSecret: 'c:d' }
  const asking = (): Authenticator => guarded({ introspection: client })

  test('is asked once a minute, and never beyond the end of a token', async () => {
    const known = { active: true, sub: 'ada', aud: RESOURCE, exp: Math.floor(Date.now() / 1000) + 30 }
    const seen: (string | undefined)[] = []
    issuer.hook = ({ headers, url }) => {
      if (url === '/introspect') seen.push(headers.authorization)
      return false
    }
    issuer.opaque.set('opaque', known)
    const at = asking()
    for (let i = 0; i < 3; i++) expect(await tried('opaque', at)).toMatchObject(granted)
    expect(seen).toEqual([`Basic ${btoa('a+b:c%3Ad')}`])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
    try {
      expect(await tried('opaque', at)).toMatchObject({ refused: 'The token has expired' })
    } finally {
      vi.useRealTimers()
    }
  })

  test.each([
    ['for another', { active: true, sub: 'ada', aud: 'https://other.example' }, 'not for this endpoint'],
    ['for nobody', { active: true, sub: 'ada' }, 'not for this endpoint'],
    ['of another issuer', { active: true, sub: 'ada', aud: RESOURCE, iss: 'https://other.example' }, 'not accepted'],
    [
      'to refresh with',
      { active: true, sub: 'ada', aud: RESOURCE, token_type: 'refresh_token' },
      'not an access token',
    ],
    ['of which it says nothing', { sub: 'ada', aud: RESOURCE }, 'unknown, expired or revoked'],
    ['active in words', { active: 'true', sub: 'ada', aud: RESOURCE }, 'unknown, expired or revoked'],
  ])('refuses a token %s', async (_, answer, words) => {
    issuer.opaque.set('opaque', answer)
    expect(await tried('opaque', asking())).toMatchObject({ refused: expect.stringContaining(words) })
  })

  test('an unknown token is not asked about again and again', async () => {
    const at = asking()
    for (let i = 0; i < 5; i++) await tried('nothing', at)
    expect(issuer.count('/introspect')).toBe(1)
  })

  test('only one issuer can be asked', () => {
    const issuers = [issuer.name, 'https://other.example'].map(name => ({ issuer: name, introspection: client }))
    expect(() => resourceServer({ issuers })).toThrow('Only one issuer')
  })

  test.each(['http://issuer.example', 'ftp://issuer.example', 'nonsense', 'https://issuer.example/?a=b'])(
    'and %s can be none',
    name => {
      expect(() => resourceServer({ issuers: [{ issuer: name }] })).toThrow(/https|URL|query/)
    },
  )
})
