import { createHash } from 'node:crypto'
import { HttpError, LoginRequired, OAuthError, memoryCredentials } from '@causeway/engine/client'
import type { OAuthOptions } from '@causeway/engine/client'
import { describe, expect, test } from 'vitest'
import { REDIRECT, agree, anotherIssuer, authorizerFor, connected, countOf, fakeWorld, lastOf } from './fake-oauth.ts'
import type { Behaviour } from './fake-oauth.ts'

const refusal = async (
  world: Awaited<ReturnType<typeof fakeWorld>>,
  options?: Partial<OAuthOptions>,
): Promise<unknown> =>
  connected(world, authorizerFor(world, options)).then(
    () => undefined,
    (error: unknown) => (error instanceof HttpError ? error.cause : error),
  )

describe('a login by authorization code', () => {
  test('registers a native client, and proves itself with PKCE, state and resource', async () => {
    const world = await fakeWorld()
    const remote = await connected(world, authorizerFor(world))
    expect(await remote.request('ping')).toEqual({})
    expect(lastOf(world, '/register')?.params).toMatchObject({
      application_type: 'native',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    })
    const asked = lastOf(world, '/authorize')?.params
    const exchanged = lastOf(world, '/token')?.params
    expect(asked).toMatchObject({
      client_id: 'client-1',
      resource: world.url,
      scope: 'base',
      code_challenge_method: 'S256',
    })
    expect(exchanged).toMatchObject({
      client_id: 'client-1',
      resource: world.url,
      redirect_uri: REDIRECT,
      code: 'secret-code',
    })
    expect(
      createHash('sha256')
        .update(exchanged?.code_verifier ?? '')
        .digest('base64url'),
    ).toBe(asked?.code_challenge)
    expect(countOf(world, '/authorize')).toBe(1)
  })

  test('is kept: another connection of the same principal needs none, another principal does', async () => {
    const world = await fakeWorld()
    const store = memoryCredentials()
    await connected(world, authorizerFor(world, { store }))
    await connected(world, authorizerFor(world, { store }))
    expect(countOf(world, '/authorize')).toBe(1)
    await connected(world, authorizerFor(world, { store, principal: 'someone else' }))
    expect(countOf(world, '/authorize')).toBe(2)
    // The registration is shared.
    expect(countOf(world, '/register')).toBe(1)
  })

  test.each<[string, Partial<OAuthOptions>, Behaviour, object]>([
    ['a registered client', { clientId: 'known', clientMetadataUrl: 'https://a.test/c' }, {}, { client_id: 'known' }],
    [
      'a client metadata document',
      { clientMetadataUrl: 'https://a.test/c' },
      { metadata: { client_id_metadata_document_supported: true } },
      { client_id: 'https://a.test/c' },
    ],
    ['dynamic registration', { clientMetadataUrl: 'https://a.test/c' }, {}, { client_id: 'client-1' }],
  ])('uses %s', async (_, options, behaviour, expected) => {
    const world = await fakeWorld(behaviour)
    await connected(world, authorizerFor(world, options))
    expect(lastOf(world, '/authorize')?.params).toMatchObject(expected)
    expect(countOf(world, '/register')).toBe('client_id' in expected && expected.client_id === 'client-1' ? 1 : 0)
  })

  test('asks for a refresh token where the authorization server has a scope for it', async () => {
    const world = await fakeWorld({ metadata: { scopes_supported: ['offline_access'] } })
    await connected(world, authorizerFor(world, { scopes: ['mine'] }))
    expect(lastOf(world, '/authorize')?.params).toMatchObject({ scope: 'mine base offline_access', prompt: 'consent' })
  })

  test('can be begun in one process and finished in another', async () => {
    const world = await fakeWorld()
    const store = memoryCredentials()
    const options = { store, grant: { type: 'authorization_code', redirectUri: REDIRECT } } as const
    const first = authorizerFor(world, options)
    expect(await refusal(world, options)).toBeInstanceOf(LoginRequired)
    await expect(connected(world, first)).rejects.toMatchObject({ status: 401 })
    const pending = JSON.parse(JSON.stringify(await first.beginLogin()))
    const second = authorizerFor(world, options)
    await second.finishLogin(pending, await agree(pending.url))
    expect(await second.status()).toMatchObject({ issuer: world.issuer, scopes: ['base'], canRefresh: true })
    first.reload()
    await connected(world, first)
    await second.logout()
    expect(await first.status()).toBeUndefined()
  })

  test('that nobody makes ends', async () => {
    const world = await fakeWorld()
    let signal: AbortSignal | undefined
    const open = (_: string, given: AbortSignal): Promise<string> => {
      signal = given
      return new Promise(() => {})
    }
    const grant = { type: 'authorization_code', redirectUri: REDIRECT, open } as const
    expect(await refusal(world, { grant, loginTimeoutMs: 10 })).toMatchObject({ code: 'timeout' })
    expect(signal?.aborted).toBe(true)
  })
})

describe('an answer to a login is refused', () => {
  test.each<[string, string, Behaviour]>([
    ['from another issuer', 'issuer_mismatch', { redirect: url => url.searchParams.set('iss', 'https://evil.test') }],
    [
      'from an issuer that is spelled otherwise',
      'issuer_mismatch',
      { redirect: url => url.searchParams.set('iss', `${url.searchParams.get('iss')}/`) },
    ],
    ['without the issuer that was promised', 'issuer_mismatch', { redirect: url => url.searchParams.delete('iss') }],
    [
      'with an issuer that was not promised, and is wrong',
      'issuer_mismatch',
      {
        metadata: { authorization_response_iss_parameter_supported: undefined },
        redirect: url => url.searchParams.set('iss', 'https://evil.test'),
      },
    ],
    ['with another state', 'state_mismatch', { redirect: url => url.searchParams.set('state', 'other') }],
    ['without state', 'state_mismatch', { redirect: url => url.searchParams.delete('state') }],
    ['with two codes', 'invalid_response', { redirect: url => url.searchParams.append('code', 'second') }],
    ['without code', 'invalid_response', { redirect: url => url.searchParams.delete('code') }],
    ['at another address', 'invalid_response', { redirect: url => (url.pathname = '/elsewhere') }],
    ['at another host', 'invalid_response', { redirect: url => (url.hostname = 'evil.test') }],
    ['that says no', 'access_denied', { redirect: url => url.searchParams.set('error', 'access_denied') }],
    [
      'that says no for another issuer',
      'issuer_mismatch',
      {
        redirect: url => (
          url.searchParams.set('error', 'access_denied'),
          url.searchParams.set('iss', 'https://evil.test')
        ),
      },
    ],
  ])('%s', async (_, code, behaviour) => {
    const world = await fakeWorld(behaviour)
    expect(await refusal(world)).toMatchObject({ code })
    // Nothing was sent to the token endpoint.
    expect(countOf(world, '/token')).toBe(0)
  })

  test('without PKCE there is no login', async () => {
    for (const methods of [undefined, [], ['plain']]) {
      const world = await fakeWorld({ metadata: { code_challenge_methods_supported: methods } })
      expect(await refusal(world)).toMatchObject({ code: 'no_pkce' })
      expect(world.seen).toEqual([])
    }
  })

  test('without a word on PKCE there is one at the issuer that is known to support it', async () => {
    const tried = async (methods: readonly string[] | undefined, of: 'right' | 'wrong'): Promise<unknown> => {
      const world = await fakeWorld({ metadata: { code_challenge_methods_supported: methods } })
      const issuer = of === 'right' ? world.issuer : `${world.issuer}/other`
      return refusal(world, { assumePkce: true, issuer })
    }
    expect(await tried(undefined, 'right')).toBeUndefined()
    for (const methods of [[], ['plain']]) expect(await tried(methods, 'right')).toMatchObject({ code: 'no_pkce' })
    expect(await tried(undefined, 'wrong')).toMatchObject({ code: 'issuer_mismatch' })
  })

  test('no error shows a code, a token or a secret', async () => {
    const status = { status: 400, body: { error: 'invalid_grant', error_description: 'no\u001b[31m' } }
    const world = await fakeWorld({ token: () => status })
    const error = await refusal(world, { clientId: 'known', clientSecret: 'hidden' })
    expect(error).toBeInstanceOf(OAuthError)
    expect(String(error)).toMatch(/invalid_grant: no\?\[31m$/)
    expect(JSON.stringify([error, String(error)])).not.toMatch(/secret-code|hidden|verifier/)
  })
})

describe('when the authorization server changes', () => {
  test('the client registers again, and uses nothing of the old one', async () => {
    const world = await fakeWorld()
    const remote = await connected(world, authorizerFor(world))
    world.authorizationServer = await anotherIssuer(world)
    world.valid.clear()
    expect(await remote.request('ping')).toEqual({})
    expect(countOf(world, '/register')).toBe(2)
    expect(lastOf(world, '/authorize')?.params.client_id).toBe('client-2')
    expect(world.seen.some(({ params }) => params['grant_type'] === 'refresh_token')).toBe(false)
  })

  test('a secret is not sent to the new one', async () => {
    const world = await fakeWorld()
    const remote = await connected(world, authorizerFor(world, { clientId: 'known', clientSecret: 'hidden' }))
    const before = world.seen.length
    world.authorizationServer = await anotherIssuer(world)
    world.valid.clear()
    await expect(remote.request('ping')).rejects.toThrow(/moved from the authorization server/)
    expect(world.seen).toHaveLength(before)
  })

  test('the configured issuer is the only one', async () => {
    const world = await fakeWorld()
    expect(await refusal(world, { issuer: 'https://as.test' })).toMatchObject({ code: 'issuer_mismatch' })
  })
})
