import { createServer, tool } from '@causeway/engine'
import {
  RemoteServer,
  SseTransport,
  WebSocketTransport,
  httpTransport,
  memoryCredentials,
  oauthAuthorizer,
} from '@causeway/engine/client'
import type { ClientTransport, OAuthAuthorizer, OAuthOptions } from '@causeway/engine/client'
import { serveHttp } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { MACHINE, startAuthorizationServer } from '../../../../../test/support/authorization-server.ts'
import type { AuthorizationServer } from '../../../../../test/support/authorization-server.ts'
import { versions } from '../../../src/protocol/revisions.ts'

const PRM = '/.well-known/oauth-protected-resource'
const REDIRECT = 'http://127.0.0.1:9/callback'

let issuer: AuthorizationServer
let service: HttpService
let url: string

/** A server that takes the tokens of the issuer for exactly its URL. */
async function startServer(): Promise<void> {
  const keys = createRemoteJWKSet(new URL(issuer.endpoint('jwks')))
  const whoami = tool({ name: 'whoami' }, (_, ctx) => `${ctx.principal?.name} ${ctx.principal?.scopes?.join(' ')}`)
  service = await serveHttp(createServer({ name: 'far', version: '1' }).add(whoami), {
    port: 0,
    authenticator: {
      async authenticate({ token = '' }) {
        const verified = await jwtVerify(token, keys, { issuer: issuer.issuer, audience: url }).catch(() => undefined)
        if (!verified) return undefined
        const { sub, client_id, scope = '', cnf } = verified.payload as Record<string, string | undefined>
        return { name: sub ?? client_id ?? '', scopes: scope.split(' '), claims: { cnf } }
      },
      challenge: () => `Bearer resource_metadata="${new URL(PRM, url).href}/mcp", scope="read"`,
    },
    routes: [
      {
        path: `${PRM}/mcp`,
        public: true,
        handle: exchange =>
          exchange.reply(200, JSON.stringify({ resource: url, authorization_servers: [issuer.issuer] })),
      },
    ],
  })
  url = `${service.url}/mcp`
}

beforeAll(async () => {
  issuer = await startAuthorizationServer({ path: '/tenant', configuration: { features: { dPoP: { enabled: true } } } })
  await startServer()
})

afterAll(async () => {
  await service.close()
  await issuer.close()
})

const authorizer = (options: Partial<OAuthOptions> = {}): OAuthAuthorizer =>
  oauthAuthorizer({
    url,
    grant: { type: 'authorization_code', redirectUri: REDIRECT, open: async at => (await issuer.logIn(at)).href },
    ...options,
  })

async function whoami(open: () => ClientTransport, version?: string): Promise<unknown> {
  const options = { client: { name: 'near', version: '1' }, ...(version !== undefined && { version }) }
  const remote = await RemoteServer.connect({ open }, options)
  onTestFinished(() => remote.close())
  const { content } = await remote.callTool('whoami')
  return (content as { text: string }[])[0]?.text
}

describe('with a real authorization server', () => {
  test('a person logs in once, and every revision and transport is served', async () => {
    const shared = authorizer()
    const logins = (): number => issuer.requests.filter(path => path.endsWith('/auth')).length
    const before = logins()
    for (const version of versions)
      expect(await whoami(() => httpTransport({ url, authorizer: shared }), version)).toBe('ada read')
    const ws = { url: url.replace('http', 'ws').replace('/mcp', '/ws'), authorizer: shared }
    expect(await whoami(() => new WebSocketTransport(ws))).toBe('ada read')
    const sse = { url: url.replace('/mcp', '/sse'), authorizer: shared }
    expect(await whoami(() => new SseTransport(sse), versions.at(-1))).toBe('ada read')
    expect(logins() - before).toBe(1)
  })

  test('tokens are refreshed, and refresh tokens rotate', async () => {
    const store = memoryCredentials()
    const key = { kind: 'tokens', principal: 'default', server: url } as const
    const own = authorizer({ store })
    expect(await whoami(() => httpTransport({ url, authorizer: own }))).toBe('ada read')
    const seen = new Set<string | undefined>()
    for (let i = 0; i < 3; i++) {
      const tokens = await store.get(key)
      if (!tokens) throw new Error('nobody is logged in')
      seen.add(tokens.accessToken)
      await store.set(key, { ...tokens, obtainedAt: 0, expiresAt: Date.now() + 1000 })
      own.reload()
      expect(await whoami(() => httpTransport({ url, authorizer: own }))).toBe('ada read')
    }
    expect(seen.size).toBe(3)
  })

  test('a machine logs in by itself', async () => {
    const machine = authorizer({ ...MACHINE, grant: { type: 'client_credentials' } })
    expect(await whoami(() => httpTransport({ url, authorizer: machine }))).toBe('machine read')
  })

  test('a logout revokes the tokens', async () => {
    const store = memoryCredentials()
    const key = { kind: 'tokens', principal: 'default', server: url } as const
    const own = authorizer({ store })
    await whoami(() => httpTransport({ url, authorizer: own }))
    const tokens = await store.get(key)
    await own.logout()
    expect(await own.status()).toBeUndefined()
    const { refreshToken = '', clientId = '' } = tokens ?? {}
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId })
    const answer = await fetch(issuer.endpoint('token'), { method: 'POST', body })
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_grant' }])
  })

  test('tokens are bound to a key', async () => {
    const bound = authorizer({ dpop: true })
    // Nothing was asked of the server before.
    const pending = await bound.beginLogin()
    expect(pending.scopes).toContain('read')
    await bound.finishLogin(pending, (await issuer.logIn(pending.url)).href)
    expect(await bound.status()).toMatchObject({ isBound: true, issuer: issuer.issuer })
  })
})
