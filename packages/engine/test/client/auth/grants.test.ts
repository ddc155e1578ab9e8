import { generateKeyPairSync } from 'node:crypto'
import type { HttpError, OAuthOptions } from '@causeway/engine/client'
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, importSPKI, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { authorizerFor, connected, countOf, fakeWorld, lastOf } from './fake-oauth.ts'

const refused = async (
  world: Awaited<ReturnType<typeof fakeWorld>>,
  options: Partial<OAuthOptions>,
): Promise<unknown> =>
  connected(world, authorizerFor(world, options)).catch((error: unknown) => (error as HttpError).cause)

test('client credentials with a secret', async () => {
  const world = await fakeWorld()
  const options = { grant: { type: 'client_credentials' }, clientId: 'a:b', clientSecret: 'c d' } as const
  await connected(world, authorizerFor(world, options))
  const { params, headers } = lastOf(world, '/token') ?? { params: {} }
  expect(params).toEqual({ grant_type: 'client_credentials', scope: 'base', resource: world.url })
  expect(headers?.authorization).toBe(`Basic ${Buffer.from('a%3Ab:c+d').toString('base64')}`)
  expect(await refused(world, { grant: { type: 'client_credentials' }, clientId: 'a' })).toMatchObject({
    code: 'no_client',
  })
})

test('client credentials with a private key', async () => {
  const world = await fakeWorld()
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const grant = { type: 'client_credentials' } as const
  const key = { key: privateKey, alg: 'ES256', kid: 'one' }
  await connected(world, authorizerFor(world, { grant, clientId: 'a', privateKey: key }))
  const assertion = lastOf(world, '/token')?.params['client_assertion'] ?? ''
  const verified = await jwtVerify(assertion, await importSPKI(publicKey, 'ES256'), { audience: world.issuer })
  expect(verified.payload).toMatchObject({ iss: 'a', sub: 'a' })
  expect(verified.protectedHeader.kid).toBe('one')
  const wrong = await refused(world, { grant, clientId: 'a', privateKey: { key: '{"kty":"hidden', alg: 'ES256' } })
  expect(wrong).toMatchObject({ code: 'invalid_key' })
  expect(String(wrong)).not.toContain('hidden')
})

test('a workload shows its assertion once, and gives up where it is refused', async () => {
  const world = await fakeWorld()
  const audiences: unknown[] = []
  const grant = {
    type: 'jwt_bearer',
    assertion: (audience: unknown) => (audiences.push(audience), 'workload'),
  } as const
  await connected(world, authorizerFor(world, { grant }))
  expect(lastOf(world, '/token')?.params).toMatchObject({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: 'workload',
  })
  expect(audiences).toEqual([{ issuer: world.issuer, tokenEndpoint: `${world.issuer}/token`, resource: world.url }])
  const other = await fakeWorld({ token: () => ({ status: 400, body: { error: 'invalid_grant' } }) })
  expect(await refused(other, { grant })).toMatchObject({ code: 'invalid_grant' })
  expect(countOf(other, '/token')).toBe(1)
})

test('an organisation decides: its ID token is exchanged, and never shown to the authorization server', async () => {
  const idJag = { access_token: 'jag', token_type: 'N_A', issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag' }
  const provider = await fakeWorld({ token: () => ({ status: 200, body: idJag }) })
  const world = await fakeWorld()
  const grant = {
    type: 'enterprise',
    provider: { issuer: provider.issuer, clientId: 'at-the-provider' },
    idToken: () => 'id-token',
  } as const
  await connected(world, authorizerFor(world, { grant, clientId: 'a', clientSecret: 'b' }))
  expect(lastOf(provider, '/token')?.params).toMatchObject({
    subject_token: 'id-token',
    audience: world.issuer,
    resource: world.url,
    client_id: 'at-the-provider',
  })
  expect(lastOf(world, '/token')?.params).toMatchObject({ assertion: 'jag' })
  expect(JSON.stringify(world.seen)).not.toContain('id-token')
  provider.behaviour.token = () => ({ status: 200, body: { ...idJag, issued_token_type: 'other' } })
  expect(await refused(world, { grant, clientId: 'a', clientSecret: 'b' })).toMatchObject({ code: 'invalid_response' })
})

test('DPoP: tokens are bound to a key, with the nonce that the server wants', async () => {
  const bound = { token_type: 'DPoP' }
  const world = await fakeWorld({
    metadata: { dpop_signing_alg_values_supported: ['ES256'] },
    token: ({ headers }) =>
      decodeJwt(String(headers['dpop']))['nonce'] === 'n1'
        ? { body: bound }
        : { status: 400, body: { error: 'use_dpop_nonce' }, headers: { 'dpop-nonce': 'n1' } },
  })
  const authorizer = authorizerFor(world, { dpop: true })
  await connected(world, authorizer)
  const atToken = String(lastOf(world, '/token')?.headers['dpop'])
  expect(decodeJwt(atToken)).toMatchObject({ htm: 'POST', htu: `${world.issuer}/token`, nonce: 'n1' })
  const headers = await authorizer.headers({ method: 'POST', url: new URL(`${world.url}?q=1`) })
  expect(headers['authorization']).toBe('DPoP token-1')
  const proof = headers['dpop'] ?? ''
  expect(decodeJwt(proof)).toMatchObject({ htm: 'POST', htu: world.url, ath: expect.any(String) })
  const keys = [atToken, proof].map(jwt => decodeProtectedHeader(jwt).jwk ?? {})
  expect(keys.some(key => 'd' in key)).toBe(false)
  const [one, two] = await Promise.all(keys.map(key => calculateJwkThumbprint(key)))
  expect(one).toBe(two)
  expect(await authorizer.status()).toMatchObject({ isBound: true })
})

test('DPoP that is required is not given up, and one that was not asked for is refused', async () => {
  const plain = await fakeWorld()
  expect(await refused(plain, { dpop: true })).toMatchObject({ code: 'dpop_refused' })
  const without = await fakeWorld({ metadata: { dpop_signing_alg_values_supported: ['RS256'] } })
  expect(await refused(without, { dpop: true })).toMatchObject({ code: 'dpop_refused' })
  const surprising = await fakeWorld({ token: () => ({ body: { token_type: 'DPoP' } }) })
  expect(await refused(surprising, {})).toMatchObject({ code: 'invalid_response' })
})
