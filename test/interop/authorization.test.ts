import { createServer, tool, versions } from '@causeway/engine'
import type { View } from '@causeway/engine'
import { resourceServer, scopeRules, serveHttp } from '@causeway/engine/http'
import type { DpopMode, HttpService } from '@causeway/engine/http'
import { requireScopes } from '@causeway/engine/policies'
import { DpopSession } from '@modelcontextprotocol/client'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startAuthorizationServer } from '../support/authorization-server.ts'
import type { AuthorizationServer } from '../support/authorization-server.ts'
import { Login, client2, sdk1 } from './login.ts'
import type { LoginMode } from './login.ts'

const rules = scopeRules({ tools: { whoami: ['read'], write: ['write'] } })
const desk: View = { name: 'desk', offers: (kind, key) => kind === 'tools' && key === 'whoami' }
const views = { names: ['desk'], find: (name: string) => (name === 'desk' ? desk : undefined) }

// In seconds.
const LASTING = 600

let issuer: AuthorizationServer
let bound: HttpService
const services = new Map<string, HttpService>()

/** A server whose newest revision in a handshake is that. */
async function serve(newest: string, dpop?: DpopMode): Promise<HttpService> {
  const server = createServer({ name: 'protected', version: '1.0.0', newest, log: false })
  server.use(requireScopes(rules, server)).add(
    tool({ name: 'whoami' }, (_, { principal }) => principal?.name ?? 'nobody'),
    tool({ name: 'write' }, () => 'written'),
  )
  const authenticator = resourceServer({ issuers: [{ issuer: issuer.issuer }], scopes: rules, dpop })
  return serveHttp(server, { port: 0, authenticator, scopes: rules, views })
}

// The first revision knows nothing of authorization.
const known = versions.slice(0, -1)
const [stateless = '', ...stateful] = known
const modes: readonly (readonly [string, LoginMode])[] = [
  ...stateful.flatMap(version => [[version, sdk1] as const, [version, client2('legacy', 'legacy')] as const]),
  [stateless, client2('negotiating', 'auto')],
  [stateless, client2('pinned', { pin: stateless })],
]

beforeAll(async () => {
  issuer = await startAuthorizationServer({ path: '/realms/one', accessTokenSeconds: LASTING })
  for (const version of known) services.set(version, await serve(version))
  bound = await serve(stateless, 'require')
})
afterAll(async () => {
  for (const service of [...services.values(), bound]) await service.close()
  await issuer.close()
})

describe.each(modes)('%s', (version, mode) => {
  test.each(['/mcp', '/mcp/desk'])(`${mode.name} logs in by itself at %s`, async path => {
    const url = new URL(path, services.get(version)?.url)
    const login = new Login()
    const client = await mode.connect(url, login, issuer)
    expect(client.version).toBe(version)
    expect(JSON.stringify(await client.call('whoami'))).toContain(`${issuer.issuer}#ada`)
    // The token is for this endpoint, and for all that its tools may need.
    expect(decodeJwt(login.known?.access_token ?? '')).toMatchObject({
      aud: url.href,
      scope: path === '/mcp' ? 'read write' : 'read',
    })
    await client.close()
  })
})

describe('a client that is logged in', () => {
  const at = (path: string): URL => new URL(path, services.get(stateless)?.url)
  const newest = client2('negotiating', 'auto')

  test('has no token for another endpoint', async () => {
    const login = new Login()
    await (await newest.connect(at('/mcp/desk'), login, issuer)).close()
    const answer = await fetch(at('/mcp'), {
      method: 'POST',
      headers: { authorization: `Bearer ${login.known?.access_token}` },
    })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toContain(`get one for the resource ${at('/mcp').href}`)
  })

  test.each([sdk1, newest])('refreshes a token that has ended: $name', async mode => {
    const login = new Login()
    const client = await mode.connect(at('/mcp'), login, issuer)
    const first = login.known?.access_token ?? ''
    // A stream that is still being opened would refresh the token as well, and SDK 1 does not wait for the other.
    await expect.poll(() => mode !== sdk1 || services.get(stateless)?.open.streams === 1).toBe(true)
    // Clients, server and authorization server are all in this process.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + (LASTING + 1) * 1000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(JSON.stringify(await client.call('whoami'))).toContain(`${issuer.issuer}#ada`)
    expect(login.known?.access_token).not.toBe(first)
    expect(login.visits).toHaveLength(1)
    await client.close()
  })

  test('can bind its token to a key, and prove with every request that it has it', async () => {
    const login = new Login(await DpopSession.create())
    const url = new URL('/mcp', bound.url)
    const client = await newest.connect(url, login, issuer)
    expect(JSON.stringify(await client.call('whoami'))).toContain(`${issuer.issuer}#ada`)
    const token = login.known?.access_token ?? ''
    expect(decodeJwt(token)).toMatchObject({ cnf: { jkt: expect.any(String) } })
    const answer = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^DPoP error="invalid_token"/)
    await client.close()
  })
})
