import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpError } from '@causeway/engine/client'
import type { OAuthOptions } from '@causeway/engine/client'
import { describe, expect, test } from 'vitest'
import { authorizerFor, connected, countOf, fakeWorld, lastOf } from './fake-oauth.ts'
import type { Behaviour } from './fake-oauth.ts'
import { listening } from '../../oauth/listening.ts'

/** Why a connection to a server with such an authorization server fails. */
async function outcome(behaviour: Behaviour, options: Partial<OAuthOptions> = {}) {
  const world = await fakeWorld(behaviour)
  const error: unknown = await connected(world, authorizerFor(world, options)).catch((why: unknown) => why)
  expect(error).toBeInstanceOf(HttpError)
  return { world, cause: (error as HttpError).cause as { code?: string; message: string } }
}

/** Answers one path in its own way. */
const at =
  (path: string, answer: (response: ServerResponse) => void): NonNullable<Behaviour['answer']> =>
  (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!request.url?.startsWith(path)) return false
    answer(response)
    return true
  }

function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = (): void => {
    while (!response.destroyed && response.write(`{"issuer":"${'x'.repeat(16_384)}`));
  }
  response.on('drain', more)
  more()
}

const METADATA = '/.well-known/oauth-authorization-server'

describe('a hostile authorization server', () => {
  test.each([METADATA, '/register', '/token'])('whose answer at %s never ends', async path => {
    const { cause } = await outcome({ answer: at(path, endless) }, { limits: { maxBytes: 100_000 } })
    expect(cause).toMatchObject({ code: 'too_large' })
  })

  test.each([METADATA, '/register', '/token'])('that does not answer at %s', async path => {
    const { cause } = await outcome({ answer: at(path, () => {}) }, { limits: { timeoutMs: 300 } })
    expect(cause).toMatchObject({ code: 'timeout' })
  })

  test.each(['http://10.0.0.1/x', 'http://169.254.169.254/latest', 'file:///etc/passwd', 'gopher://127.0.0.1/'])(
    'that redirects its metadata to %s',
    async location => {
      const redirect = (response: ServerResponse): void => void response.writeHead(302, { location }).end()
      const { cause } = await outcome({ answer: at(METADATA, redirect) })
      expect(cause.message).toMatch(/redirects to/)
    },
  )

  test.each(['/register', '/token'])('that redirects what is posted to %s', async path => {
    const stolen: unknown[] = []
    const thief = await listening((request, response) => {
      stolen.push(request.url)
      response.end('{}')
    })
    for (const status of [302, 307]) {
      const redirect = (response: ServerResponse): void => void response.writeHead(status, { location: thief }).end()
      const { cause } = await outcome({ answer: at(path, redirect) })
      expect(cause).toMatchObject({ code: 'redirected' })
    }
    expect(stolen).toEqual([])
  })

  test.each(['javascript:alert(1)', 'file:///bin/sh', 'http://evil.test/', 'vscode://x', '\\\\host\\share'])(
    'whose login page is %s: nothing is opened',
    async authorization_endpoint => {
      const { world, cause } = await outcome({ metadata: { authorization_endpoint } })
      expect(cause.code).toMatch(/_url$/)
      expect(world.seen).toEqual([])
    },
  )

  test('whose login page brings parameters of its own: ours win', async () => {
    const world = await fakeWorld()
    world.behaviour.metadata = {
      authorization_endpoint: `${world.issuer}/authorize?redirect_uri=https%3A%2F%2Fevil.test&client_id=other&tenant=1`,
    }
    await connected(world, authorizerFor(world))
    expect(lastOf(world, '/authorize')?.params).toMatchObject({ client_id: 'client-1', tenant: '1' })
    expect(lastOf(world, '/authorize')?.params['redirect_uri']).toMatch(/^http:\/\/127\.0\.0\.1/)
  })

  test('with more scopes than anyone has', async () => {
    const scopes = Array.from({ length: 5000 }, (_, i) => `s${i}`)
    const world = await fakeWorld({ metadata: { scopes_supported: scopes } })
    await connected(world, authorizerFor(world, { scopes }))
    expect(lastOf(world, '/authorize')?.params['scope']?.split(' ').length).toBeLessThanOrEqual(201)
  })

  test.each<[string, object]>([
    ['a header in a token', { access_token: 'a\r\nx-evil: 1' }],
    ['a token that is no text', { access_token: { a: 1 } }],
    ['an endless token', { access_token: 'x'.repeat(20_000) }],
    ['a token of an unknown type', { token_type: 'mac' }],
  ])('with %s', async (_, body) => {
    const { cause } = await outcome({ token: () => ({ body }) })
    expect(cause).toMatchObject({ code: 'invalid_response' })
  })
})

describe('a hostile server', () => {
  test('of an untrusted entry cannot lead into the private network', async () => {
    const world = await fakeWorld()
    const error: unknown = await connected(world, authorizerFor(world, { isTrusted: false })).catch(
      (why: unknown) => why,
    )
    expect(error).toMatchObject({ status: 401 })
    expect(String((error as HttpError).cause)).toMatch(/private address/)
    expect(countOf(world, '/register')).toBe(0)
  })

  test.each(['file:///etc/passwd', 'http://10.0.0.1/x', 'http://user:password@127.0.0.1/'])(
    'whose metadata is at %s',
    async place => {
      const url = `${await listening((_, response) => {
        response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${place}"` }).end()
      })}/mcp`
      const world = { ...(await fakeWorld()), url }
      await expect(connected(world, authorizerFor(world))).rejects.toMatchObject({ cause: { code: /_url$/ } })
    },
  )

  test.each(['https://evil.test/mcp', 'http://127.0.0.1/other', 'no url', ''])('that poses as %s', async resource => {
    const world = await fakeWorld()
    const metadata = JSON.stringify({ resource, authorization_servers: [world.issuer] })
    const url = `${await listening((request, response) => {
      response.writeHead(request.method === 'GET' ? 200 : 401).end(metadata)
    })}/mcp`
    const posing = { ...world, url }
    await expect(connected(posing, authorizerFor(posing))).rejects.toMatchObject({
      cause: { code: 'resource_mismatch' },
    })
    expect(world.seen).toEqual([])
  })
})
