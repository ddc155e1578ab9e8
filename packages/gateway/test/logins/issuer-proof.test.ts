import type { View } from '@causeway/engine'
import { oauthAuthorizer } from '@causeway/engine/client'
import { resourceServer } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { expect, test } from 'vitest'
import type { AuthorizationServer } from '../../../../test/support/authorization-server.ts'
import { Stateless, call } from '../../../engine/test/support/http-client.ts'
import { JSON_HEADERS, exchange } from '../../../engine/test/support/http-exchange.ts'
import { TokenIssuer } from '../../../engine/test/support/token-issuer.ts'
import { later, textOf } from '../support/world.ts'
import {
  clientAt,
  cookieOf,
  entryFor,
  linkIn,
  nextIn,
  postToken,
  startGateway,
  withProtectedServer,
} from './login-world.ts'

const DESK: View = { name: 'my desk', offers: () => true }

let issuer: AuthorizationServer
let far: HttpService

withProtectedServer(found => ({ issuer, far } = found))

/** Follow a page to the authorization server, and come back. */
async function onward(page: Response): Promise<Response> {
  const back = await issuer.logIn(nextIn(await page.text()) ?? '')
  return fetch(back, { headers: { cookie: cookieOf(page) } })
}

test('where tokens have to be bound to keys, the login at the issuer is bound too, and no token can be entered', async () => {
  issuer.user = 'ada'
  const challenge = (): string => 'DPoP scope="read", algs="ES256"'
  const issuers = [{ issuer: issuer.issuer }]
  const world = await startGateway({ far: entryFor(far) }, true, {
    own: { ...resourceServer({ issuers, dpop: 'require' }), challenge },
  })
  const authorizer = oauthAuthorizer({
    url: `${world.service.url}/mcp`,
    scopes: ['read'],
    dpop: true,
    grant: {
      type: 'authorization_code',
      redirectUri: 'http://127.0.0.1:9/callback',
      open: async at => (await issuer.logIn(at)).href,
    },
  })
  const client = await clientAt(world, { authorizer })
  const link = linkIn(await client.callTool('far__whoami').then(textOf, (error: unknown) => String(error)))
  const page = await (await fetch(link)).text()
  expect([page.includes('name="at"'), page.includes('name="token"')]).toEqual([true, false])
  const headers = await authorizer.headers({ method: 'POST', url: new URL(`${world.service.url}/mcp`) })
  const token = headers['authorization']?.replace(/^DPoP /, '') ?? ''
  expect((await postToken(link, token)).status, 'a bound token is not taken as Bearer').toBe(403)

  const begin = (): Promise<Response> => fetch(link, { method: 'POST', body: new URLSearchParams({ at: 'issuer' }) })
  issuer.user = 'mallory'
  expect((await onward(await begin())).status).toBe(403)
  issuer.user = 'ada'
  const proved = await onward(await begin())
  expect(proved.status).toBe(200)
  expect((await onward(proved)).status).toBe(200)
  expect(textOf(await client.callTool('far__whoami'))).toBe('ada')
})

test('who came from an issuer proves it with a login there; another person of that issuer cannot', async () => {
  issuer.user = 'ada'
  // The issuer gives no token without a scope.
  const challenge = (): string => 'Bearer scope="read"'
  const authenticator = { ...resourceServer({ issuers: [{ issuer: issuer.issuer }] }), challenge }
  const world = await startGateway({ far: entryFor(far) }, true, { own: authenticator })
  const authorizer = oauthAuthorizer({
    url: `${world.service.url}/mcp`,
    scopes: ['read'],
    grant: {
      type: 'authorization_code',
      redirectUri: 'http://127.0.0.1:9/callback',
      open: async at => (await issuer.logIn(at)).href,
    },
  })
  const client = await clientAt(world, { authorizer })
  const refusal = await client.callTool('far__whoami').then(textOf, (error: unknown) => String(error))
  const link = linkIn(refusal)
  expect(await (await fetch(link)).text()).toContain('name="at"')
  const begin = (): Promise<Response> => fetch(link, { method: 'POST', body: new URLSearchParams({ at: 'issuer' }) })

  issuer.user = 'mallory'
  const refused = await onward(await begin())
  expect([refused.status, cookieOf(refused)]).toEqual([403, ''])

  issuer.user = 'ada'
  const proved = await onward(await begin())
  expect(proved.status).toBe(200)
  expect((await onward(proved)).status).toBe(200)
  expect(textOf(await client.callTool('far__whoami'))).toBe('ada')
})

test('the token of a client proves who it is, whichever endpoint it is for', async () => {
  const own = await TokenIssuer.start()
  later(() => own.close())
  const authenticator = resourceServer({ issuers: [{ issuer: own.name }] })
  const views = { names: ['my desk'], find: (name: string) => (name === 'my desk' ? DESK : undefined) }
  const world = await startGateway({ far: entryFor(far) }, true, { own: authenticator, views })
  const proved = async (path: string, shown: string): Promise<number> => {
    const authorization = `Bearer ${await own.sign(world.service.url + path)}`
    const sent = call(1, 'far__whoami')
    const asked =
      path === '/mcp' || path.startsWith('/mcp/') ? new Stateless('').sent(sent) : { body: sent, headers: JSON_HEADERS }
    const { text } = await exchange(world.service.url, { ...asked, path, headers: { ...asked.headers, authorization } })
    return (await postToken(linkIn(text), await own.sign(world.service.url + shown))).status
  }
  expect(await proved('/rpc', '/rpc')).toBe(200)
  expect(await proved('/mcp/my%20desk', '/mcp/my%20desk')).toBe(200)
  expect(await proved('/mcp/my%20desk', '/mcp')).toBe(200)
  expect(await proved('/mcp', '/mcp/my%20desk'), 'no call came from there').toBe(403)
  expect(await proved('/mcp', '/elsewhere')).toBe(403)
})
