import { HttpError, memoryCredentials } from '@causeway/engine/client'
import type { CredentialStore } from '@causeway/engine/client'
import { describe, expect, test } from 'vitest'
import { authorizerFor, connected, countOf, fakeWorld, lastOf } from './fake-oauth.ts'
import type { World } from './fake-oauth.ts'

/** The tokens of the world's only principal, with most of their life behind them. */
async function age(store: CredentialStore, { url }: World, leftMs: number): Promise<void> {
  const key = { kind: 'tokens', principal: 'default', server: url } as const
  const tokens = await store.get(key)
  if (!tokens) throw new Error('nobody is logged in')
  await store.set(key, { ...tokens, obtainedAt: Date.now() - 3_600_000, expiresAt: Date.now() + leftMs })
}

const refreshes = ({ seen }: World): number =>
  seen.filter(({ params }) => params['grant_type'] === 'refresh_token').length

describe('a token is refreshed', () => {
  test('before it ends, once for all processes, and the refresh token rotates', async () => {
    const world = await fakeWorld()
    const store = memoryCredentials()
    const [one, two] = [authorizerFor(world, { store }), authorizerFor(world, { store })]
    const [first] = [await connected(world, one), await connected(world, two)]
    await age(store, world, 30_000)
    for (const authorizer of [one, two]) authorizer.reload()
    const second = await connected(world, two)
    await Promise.all([first, first, second, second].map(remote => remote.request('ping')))
    expect(refreshes(world)).toBe(1)
    expect(lastOf(world, '/token')?.params).toMatchObject({
      refresh_token: 'refresh-1',
      resource: world.url,
      client_id: 'client-1',
    })
    await age(store, world, 30_000)
    one.reload()
    await first.request('ping')
    expect(lastOf(world, '/token')?.params).toMatchObject({ refresh_token: 'refresh-2' })
  })

  test('when the server refuses it', async () => {
    const world = await fakeWorld()
    const remote = await connected(world, authorizerFor(world))
    world.valid.clear()
    await Promise.all([remote.request('ping'), remote.request('ping'), remote.request('ping')])
    expect([refreshes(world), countOf(world, '/authorize')]).toEqual([1, 1])
  })

  test('and the old refresh token is kept where there is no new one', async () => {
    const world = await fakeWorld({
      token: ({ params }) =>
        params['grant_type'] === 'refresh_token' ? { body: { refresh_token: undefined } } : undefined,
    })
    const remote = await connected(world, authorizerFor(world))
    for (const _ of [1, 2]) {
      world.valid.clear()
      world.seen.length = 0
      await remote.request('ping').catch(() => {})
    }
    expect(world.seen.every(({ params }) => params['refresh_token'] === 'refresh-1')).toBe(true)
  })

  test('and a rejected refresh token leads to a login, and is not shown again', async () => {
    const world = await fakeWorld({
      token: ({ params }) =>
        params['grant_type'] === 'refresh_token' ? { status: 400, body: { error: 'invalid_grant' } } : undefined,
    })
    const store = memoryCredentials()
    const authorizer = authorizerFor(world, { store })
    const remote = await connected(world, authorizer)
    await age(store, world, -1)
    authorizer.reload()
    await remote.request('ping')
    expect([refreshes(world), countOf(world, '/authorize')]).toEqual([1, 2])
  })

  test('but a valid one is used where the authorization server does not answer', async () => {
    const world = await fakeWorld()
    const store = memoryCredentials()
    const authorizer = authorizerFor(world, { store })
    const remote = await connected(world, authorizer)
    await age(store, world, 30_000)
    authorizer.reload()
    world.behaviour.answer = (_, response) => (response.destroy(), true)
    expect(await remote.request('ping')).toEqual({})
    await age(store, world, -1)
    authorizer.reload()
    await expect(remote.request('ping')).rejects.toBeInstanceOf(HttpError)
  })
})

describe('a login of another process', () => {
  const elsewhere = { type: 'authorization_code', redirectUri: 'http://127.0.0.1:10/elsewhere' } as const

  test('is found when the server refuses a request, and its tokens are refreshed with its client', async () => {
    const world = await fakeWorld()
    const store = memoryCredentials()
    const waiting = authorizerFor(world, { store, grant: elsewhere })
    await expect(connected(world, waiting)).rejects.toThrow('Log in to')
    await connected(world, authorizerFor(world, { store }))
    const remote = await connected(world, waiting)
    world.valid.clear()
    await remote.request('ping')
    expect(lastOf(world, '/token')?.params).toMatchObject({ grant_type: 'refresh_token', client_id: 'client-1' })
    expect([refreshes(world), countOf(world, '/register')]).toEqual([1, 1])
  })
})

describe('more rights', () => {
  test('are asked for together with those there are', async () => {
    const world = await fakeWorld({ needs: { 'tools/list': 'more' } })
    const remote = await connected(world, authorizerFor(world))
    await remote.request('tools/list')
    expect(lastOf(world, '/authorize')?.params['scope']).toBe('base more')
    await remote.request('ping')
    expect(countOf(world, '/authorize')).toBe(2)
  })

  test('that are never granted are asked for once', async () => {
    const world = await fakeWorld({
      needs: { 'tools/list': 'more' },
      token: () => ({ body: { scope: 'base' } }),
    })
    const remote = await connected(world, authorizerFor(world))
    world.valid.set('token-2', 'base')
    const token = world.valid
    token.set = (key: string) => Map.prototype.set.call(token, key, 'base') as typeof token
    for (const _ of [1, 2, 3]) await expect(remote.request('tools/list')).rejects.toThrow(/wants more rights \(more\)/)
    expect(countOf(world, '/authorize')).toBe(2)
  })
})

test('a server that refuses every token does not ask for login after login', async () => {
  const world = await fakeWorld()
  world.valid.set = () => world.valid
  const authorizer = authorizerFor(world)
  for (const _ of [1, 2, 3, 4]) await expect(connected(world, authorizer)).rejects.toBeInstanceOf(HttpError)
  expect(countOf(world, '/authorize')).toBeLessThanOrEqual(3)
})
