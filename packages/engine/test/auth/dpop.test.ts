import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { resourceServer } from '@causeway/engine/http'
import type { AuthenticationRequest, Authenticator, DpopMode, SharedOnce } from '@causeway/engine/http'
import { NoRoom, memoryStore, onceMemory } from '@causeway/engine/stores'
import { SignJWT, calculateJwkThumbprint, exportJWK } from 'jose'
import type { JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DpopProofs } from '../../src/auth/dpop-proof.ts'
import { call } from '../support/http-client.ts'
import { JSON_HEADERS, exchange } from '../support/http-exchange.ts'
import { TokenIssuer } from '../support/token-issuer.ts'
import { shopForTest } from '../support/workshop.ts'

const RESOURCE = 'https://mcp.example.org/mcp'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })

let issuer: TokenIssuer
let jwk: JWK
let token: string
beforeAll(async () => {
  issuer = await TokenIssuer.start()
  jwk = await exportJWK(publicKey)
  token = await issuer.sign(RESOURCE, { claims: { cnf: { jkt: await calculateJwkThumbprint(jwk) } } })
})
afterAll(() => issuer.close())

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')
const now = (): number => Math.floor(Date.now() / 1000)

interface ProofSpec {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  readonly key?: typeof privateKey
}

function proof({ claims = {}, header = {}, key = privateKey }: ProofSpec = {}): Promise<string> {
  const all = { htm: 'POST', htu: RESOURCE, jti: randomUUID(), iat: now(), ath: hashOf(token), ...claims }
  return new SignJWT(all).setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk, ...header }).sign(key)
}

const request = (dpop: string | undefined, more: Partial<AuthenticationRequest> = {}): AuthenticationRequest => ({
  method: 'POST',
  path: '/mcp',
  url: RESOURCE,
  resource: RESOURCE,
  address: 'local',
  token: undefined,
  dpopToken: token,
  tlsPeer: undefined,
  header: name => (name === 'dpop' ? dpop : undefined),
  ...more,
})

const guarded = (dpop: DpopMode = 'allow', shared: SharedOnce = memoryStore()): Authenticator =>
  resourceServer({ issuers: [{ issuer: issuer.name }], dpop, shared })

/** The nonce that the server wants now. */
async function nonceOf(server: Authenticator): Promise<string> {
  const answer = await server.authenticate(request(await proof()))
  return (answer as { headers: Record<string, string> }).headers['DPoP-Nonce'] ?? ''
}

const granted = { name: expect.stringContaining('#ada') }

describe('a proof with DPoP', () => {
  test('needs a nonce of ours, which the refusal names', async () => {
    const server = guarded()
    const refused = await server.authenticate(request(await proof()))
    expect(refused).toMatchObject({ error: 'use_dpop_nonce', headers: { 'DPoP-Nonce': expect.any(String) } })
    const nonce = await nonceOf(server)
    expect(await server.authenticate(request(await proof({ claims: { nonce } })))).toMatchObject(granted)
    const other = await server.authenticate(request(await proof({ claims: { nonce: `${nonce}x` } })))
    expect(other).toMatchObject({ error: 'use_dpop_nonce' })
  })

  test('is good once, in all processes that share a store', async () => {
    const first = memoryStore({ processId: 'a' })
    const second = memoryStore({ processId: 'b', shareWith: first })
    const [one, two] = [guarded('allow', first), guarded('allow', second)]
    const used = await proof({ claims: { nonce: await nonceOf(one) } })
    expect(await one.authenticate(request(used))).toMatchObject(granted)
    expect(await two.authenticate(request(used))).toMatchObject({ refused: 'The proof was used before' })
    const next = await proof({ claims: { nonce: await nonceOf(two) } })
    expect(await one.authenticate(request(next))).toMatchObject(granted)
  })

  test('its nonce ends after a few minutes', async () => {
    const server = guarded()
    const nonce = await nonceOf(server)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60_000 })
    try {
      const late = await server.authenticate(request(await proof({ claims: { nonce } })))
      expect(late).toMatchObject({ error: 'use_dpop_nonce' })
    } finally {
      vi.useRealTimers()
    }
  })

  test('that can be remembered no longer is refused, and one that was used is never taken again', async () => {
    // Room for the nonces and two proofs.
    const server = guarded('allow', onceMemory({ maxValues: 6 }))
    const nonce = await nonceOf(server)
    const made = await Promise.all(Array.from({ length: 4 }, () => proof({ claims: { nonce } })))
    const answers: string[] = []
    const sent = async (one: string): Promise<unknown> => server.authenticate(request(one))
    for (const one of made)
      answers.push(
        await sent(one).then(
          () => 'answered',
          () => 'failed',
        ),
      )
    expect(answers).toEqual(['answered', 'answered', 'failed', 'failed'])
    expect(await server.authenticate(request(made[0]))).toMatchObject({ refused: 'The proof was used before' })
  })

  test('that cannot be remembered is a 503, and one key cannot take all the room', async () => {
    const shared: SharedOnce = {
      once: key => {
        if (key.startsWith('dpop-nonce:')) return 'n1'
        throw new NoRoom('full')
      },
    }
    const publicUrl = 'https://mcp.example.org'
    const shop = await shopForTest({
      authenticator: guarded('allow', shared),
      publicUrl,
      host: '127.0.0.1',
      allowedHosts: ['mcp.example.org'],
    })
    const dpop = await proof({ claims: { nonce: 'n1' } })
    const headers = { ...JSON_HEADERS, host: 'mcp.example.org', authorization: `DPoP ${token}`, dpop }
    const answer = await exchange(shop.url, { path: '/mcp', headers, body: call(1, 'echo') })
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })

    const proofs = new DpopProofs(memoryStore(), 1)
    const sent = async (nonce: string): ReturnType<DpopProofs['check']> => {
      const made = await proof({ claims: { nonce } })
      const jkt = await calculateJwkThumbprint(jwk)
      return proofs.check({ method: 'POST', url: RESOURCE, header: () => made, token, jkt })
    }
    const nonce = (await sent('x'))?.headers?.['DPoP-Nonce'] ?? ''
    expect(await sent(nonce)).toBeUndefined()
    await expect(sent(nonce)).rejects.toThrow('1 proofs of one key')
  })

  test('is good no longer when the store may have lost those that were used', async () => {
    let store = onceMemory({ maxValues: 100 })
    const lost: (() => void)[] = []
    const shared: SharedOnce = {
      once: (...kept) => store.once(...kept),
      onReconnect: heard => (lost.push(heard), () => {}),
    }
    const server = guarded('allow', shared)
    const used = await proof({ claims: { nonce: await nonceOf(server) } })
    expect(await server.authenticate(request(used))).toMatchObject(granted)
    store = onceMemory({ maxValues: 100 })
    for (const hear of lost) hear()
    expect(await server.authenticate(request(used))).toMatchObject({ error: 'use_dpop_nonce' })
  })

  const wrong: readonly (readonly [string, () => ProofSpec | Promise<ProofSpec>])[] = [
    ['another method', () => ({ claims: { htm: 'GET' } })],
    ['another URL', () => ({ claims: { htu: 'https://mcp.example.org/sse' } })],
    ['another server', () => ({ claims: { htu: 'https://evil.example/mcp' } })],
    ['another token', () => ({ claims: { ath: hashOf('other') } })],
    ['no token', () => ({ claims: { ath: undefined } })],
    ['no id', () => ({ claims: { jti: undefined } })],
    ['an id that is too long', () => ({ claims: { jti: 'x'.repeat(1000) } })],
    ['an old time', () => ({ claims: { iat: now() - 3600 } })],
    ['a time to come', () => ({ claims: { iat: now() + 3600 } })],
    ['another type', () => ({ header: { typ: 'JWT' } })],
    ['another key than it names', () => ({ key: stranger.privateKey })],
    [
      'another key than the token is bound to',
      async () => ({ key: stranger.privateKey, header: { jwk: await exportJWK(stranger.publicKey) } }),
    ],
    ['its private key inside', async () => ({ header: { jwk: await exportJWK(privateKey) } })],
  ]
  test.each(wrong)('with %s is refused', async (_, spec) => {
    const server = guarded()
    const { claims, ...rest } = await spec()
    const made = await proof({ claims: { nonce: await nonceOf(server), ...claims }, ...rest })
    expect(await server.authenticate(request(made))).toMatchObject({ error: 'invalid_dpop_proof' })
  })

  test.each([undefined, '', 'x', 'a.b.c', `${'x'.repeat(10_000)}.a.b`])('%s is none', async sent => {
    expect(await guarded().authenticate(request(sent))).toMatchObject({ error: 'invalid_dpop_proof' })
  })

  test('an URL is compared without its query', async () => {
    const server = guarded()
    const made = await proof({ claims: { nonce: await nonceOf(server), htu: `${RESOURCE}?a=b#c` } })
    expect(await server.authenticate(request(made))).toMatchObject(granted)
  })
})

describe('how a token is sent', () => {
  test('a bound one is never taken as Bearer', async () => {
    for (const server of [guarded(), guarded('require'), resourceServer({ issuers: [{ issuer: issuer.name }] })]) {
      const answer = await server.authenticate(request(await proof(), { token, dpopToken: undefined }))
      expect(answer).toMatchObject({ refused: expect.stringContaining('bound to a key') })
    }
  })

  test('one that is bound to nothing is taken as Bearer, unless all have to be bound', async () => {
    const plain = await issuer.sign(RESOURCE)
    const sent = request(undefined, { token: plain, dpopToken: undefined })
    expect(await guarded('allow').authenticate(sent)).toMatchObject(granted)
    expect(await guarded('require').authenticate(sent)).toMatchObject({ refused: expect.stringContaining('Only') })
    const proved = request(await proof(), { dpopToken: plain })
    expect(await guarded('allow').authenticate(proved)).toMatchObject({ refused: expect.stringContaining('Bearer') })
  })

  test('one that is bound to a certificate needs that certificate', async () => {
    const raw = Buffer.from('the certificate of ada')
    const bound = await issuer.sign(RESOURCE, {
      claims: { cnf: { 'x5t#S256': createHash('sha256').update(raw).digest('base64url') } },
    })
    const server = resourceServer({ issuers: [{ issuer: issuer.name }] })
    const shown = (certificate: Buffer): AuthenticationRequest =>
      request(undefined, {
        token: bound,
        dpopToken: undefined,
        tlsPeer: { certificate: { raw: certificate } as never, authorized: true },
      })
    expect(await server.authenticate(shown(raw))).toMatchObject(granted)
    const refusal = { refused: 'The token is bound to another certificate than that of this connection' }
    expect(await server.authenticate(shown(Buffer.from('of bob')))).toMatchObject(refusal)
    expect(await server.authenticate({ ...shown(raw), tlsPeer: undefined })).toMatchObject(refusal)
  })
})

test('behind a proxy, proofs and tokens are for the public URL', async () => {
  const publicUrl = 'https://mcp.example.org/tools'
  const shop = await shopForTest({ authenticator: guarded('require'), publicUrl, allowedHosts: ['mcp.example.org'] })
  const bound = await issuer.sign(`${publicUrl}/rpc`, { claims: { cnf: { jkt: await calculateJwkThumbprint(jwk) } } })
  const claims = { htu: `${publicUrl}/rpc`, ath: hashOf(bound) }
  const send = async (nonce?: string): ReturnType<typeof exchange> => {
    const dpop = await proof({ claims: { ...claims, nonce } })
    const headers = { ...JSON_HEADERS, host: 'mcp.example.org', authorization: `DPoP ${bound}`, dpop }
    return exchange(shop.url, { path: '/rpc', headers, body: call(1, 'whoami') })
  }
  const refused = await send()
  const metadata = `${publicUrl}/.well-known/oauth-protected-resource/rpc`
  expect(refused.headers['www-authenticate']).toMatch(
    /^DPoP error="use_dpop_nonce", error_description="[^"]+", resource_/,
  )
  expect(refused.headers['www-authenticate']).toContain(`resource_metadata="${metadata}"`)
  const served = await send(String(refused.headers['dpop-nonce']))
  expect(served).toMatchObject({ status: 200, text: expect.stringContaining('#ada') })
  for (const path of ['/.well-known/oauth-protected-resource/tools/rpc', '/.well-known/oauth-protected-resource/rpc']) {
    const described = JSON.parse((await exchange(shop.url, { method: 'GET', path })).text)
    expect(described).toMatchObject({ resource: `${publicUrl}/rpc`, dpop_bound_access_tokens_required: true })
  }
})
