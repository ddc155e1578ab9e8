import { createServer as createListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { HttpService } from '@causeway/engine/http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { MACHINE } from '../../../../test/support/authorization-server.ts'
import type { AuthorizationServer } from '../../../../test/support/authorization-server.ts'
import { clientOf, later, textOf } from '../support/world.ts'
import {
  TOKENS,
  browse,
  clientAt,
  cookieOf,
  entryFor,
  linkIn,
  nextIn,
  postToken,
  startGateway,
  withProtectedServer,
} from './login-world.ts'
import type { GatewayWorld } from './login-world.ts'

let issuer: AuthorizationServer
let far: HttpService

withProtectedServer(found => ({ issuer, far } = found))

/** The words that a client gets which cannot be asked. */
async function refusalFor(world: GatewayWorld, who?: keyof typeof TOKENS): Promise<string> {
  const client = await clientAt(world, who ? { who } : {})
  return client.callTool('far__whoami').then(textOf, (error: unknown) => String(error))
}

async function whoIs(world: GatewayWorld, who: keyof typeof TOKENS): Promise<string> {
  return textOf(await (await clientAt(world, { who })).callTool('far__whoami'))
}

describe('two principals', () => {
  test('log in each for themselves, and neither uses the token of the other', async () => {
    const world = await startGateway({ far: entryFor(far) }, true)
    issuer.user = 'ada of the issuer'
    const ada = linkIn(await refusalFor(world, 'ada'))
    expect((await browse(issuer, ada, TOKENS.ada.token)).status).toBe(200)
    expect(await whoIs(world, 'ada')).toBe('ada of the issuer')

    const refused = await refusalFor(world, 'bob')
    expect(refused).toContain('needs a login')
    issuer.user = 'bob of the issuer'
    expect((await browse(issuer, linkIn(refused), TOKENS.bob.token)).status).toBe(200)
    expect(await whoIs(world, 'bob')).toBe('bob of the issuer')
    expect(await whoIs(world, 'ada')).toBe('ada of the issuer')
    const keys = ['ada', 'bob'].map(principal => ({ kind: 'tokens', principal, server: `${far.url}/mcp` }) as const)
    const tokens = await Promise.all(keys.map(key => world.store.get(key)))
    expect(new Set(tokens.map(one => one?.accessToken)).size).toBe(2)
  })

  test('see the tools once one of them has logged in, and the others of the gateway all the time', async () => {
    const world = await startGateway({ far: entryFor(far), gone: { command: 'no-such-program-here' } }, true)
    const changed = vi.fn<() => void>()
    const client = await clientAt(world, { who: 'bob' })
    expect(await client.list('tools/list')).toEqual([])
    world.gateway.servers.get('far')?.tools.listen(changed)
    await browse(issuer, linkIn(await refusalFor(world, 'ada')), TOKENS.ada.token)
    expect(changed).toHaveBeenCalled()
    expect(await client.list('tools/list')).toMatchObject([{ name: 'far__whoami' }])
    expect(await client.list('resources/list'), 'names of resources are not for others').toEqual([])
    const ada = await clientAt(world, { who: 'ada' })
    expect(await ada.list('resources/list')).toMatchObject([{ uri: 'note://private' }])
    await expect(client.request('resources/read', { uri: 'note://private' })).rejects.toThrow('needs a login')
  })
})

describe('a link', () => {
  afterEach(() => void vi.useRealTimers())

  test('is of no use to a stranger', async () => {
    const world = await startGateway({ far: entryFor(far) }, true)
    const link = linkIn(await refusalFor(world, 'ada'))
    const page = await fetch(link)
    expect([page.status, page.headers.get('content-security-policy')]).toMatchObject([
      200,
      expect.stringContaining("default-src 'none'"),
    ])
    expect(await page.text()).not.toContain('<script')
    for (const token of [TOKENS.bob.token, 'cw_wrong', '']) {
      const answer = await postToken(link, token)
      expect([answer.status, cookieOf(answer)]).toEqual([403, ''])
      expect(await answer.text()).not.toContain(issuer.issuer)
    }
  })

  test('is not followed from a page of another site', async () => {
    const world = await startGateway({ far: entryFor(far) }, true)
    const link = linkIn(await refusalFor(world, 'ada'))
    const answer = await postToken(link, TOKENS.ada.token, { 'sec-fetch-site': 'cross-site' })
    expect([answer.status, cookieOf(answer)]).toEqual([403, ''])
    const foreign = await postToken(link, TOKENS.ada.token, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
  })

  test('can be used once; a call gets another one', async () => {
    const world = await startGateway({ far: entryFor(far) }, true)
    const link = linkIn(await refusalFor(world, 'ada'))
    expect(linkIn(await refusalFor(world, 'ada'))).toBe(link)
    expect((await postToken(link, TOKENS.ada.token)).status).toBe(200)
    expect((await postToken(link, TOKENS.ada.token)).status).toBe(410)
    expect((await fetch(link)).status).toBe(410)
    expect(linkIn(await refusalFor(world, 'ada'))).not.toBe(link)
  })

  test('expires, and cannot be changed', async () => {
    const world = await startGateway({ far: entryFor(far) }, true)
    const link = linkIn(await refusalFor(world, 'ada'))
    const middle = link.length - 20
    const other = link[middle] === 'A' ? 'B' : 'A'
    expect((await fetch(link.slice(0, middle) + other + link.slice(middle + 1))).status).toBe(410)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 })
    expect((await fetch(link)).status).toBe(410)
  })

  test('is finished only in the browser that began it', async () => {
    const world = await startGateway({ far: entryFor(far) }, true)
    const page = await postToken(linkIn(await refusalFor(world, 'ada')), TOKENS.ada.token)
    const back = await issuer.logIn(nextIn(await page.text()) ?? '')
    expect((await fetch(back)).status).toBe(400)
    expect(await refusalFor(world, 'ada')).toContain('needs a login')
    const wrong = new URL(back)
    wrong.searchParams.set('iss', 'https://evil.example')
    expect((await fetch(wrong, { headers: { cookie: cookieOf(page) } })).status).toBe(502)
    expect(page.headers.getSetCookie()[0]).toMatch(/Path=\/login; Max-Age=600; HttpOnly; SameSite=Lax$/)
  })
})

describe('a gateway without a page', () => {
  test('names the command that logs in; one that does not know its clients says so', async () => {
    const world = await startGateway({ far: entryFor(far) })
    world.gateway.logins.open({ url: () => undefined, isLocal: true })
    expect(await refusalFor(world)).toContain('causeway login far')
    world.gateway.logins.open({ url: () => world.service.url, isLocal: false })
    expect(await refusalFor(world)).toContain('does not know who you are')
  })
})

describe('a machine', () => {
  test('logs in once for all, without anyone being asked', async () => {
    const auth = { grant: 'client_credentials', ...MACHINE, scopes: ['read'] }
    const world = await startGateway({ far: { url: `${far.url}/mcp`, auth } }, true)
    expect(await whoIs(world, 'ada')).toBe(await whoIs(world, 'bob'))
    expect(world.gateway.status[0]).toMatchObject({ state: 'running' })
    const upstream = world.gateway.servers.get('far')
    expect(upstream && (await world.gateway.logins.linkFor('ada', upstream)), 'nobody logs in for it').toBeUndefined()
    const near = await clientOf(world.server)
    expect(textOf(await near.callTool('far__whoami'))).toBe('machine')
  })

  test('whose secret is wrong is said to the operator, without the secret', async () => {
    const auth = { grant: 'client_credentials', ...MACHINE, clientSecret: 'a wrong secret', scopes: ['read'] }
    const world = await startGateway({ far: { url: `${far.url}/mcp`, auth } })
    expect(await refusalFor(world)).toContain('needs a login, which failed')
    expect(JSON.stringify(world.gateway.status)).not.toContain('a wrong secret')
  })
})

describe('a hostile authorization server', () => {
  test.each([
    ['names a script as its page', { authorization_endpoint: 'javascript:alert(1)' }],
    ['has another issuer', { issuer: 'https://evil.example' }],
    ['has no PKCE', { code_challenge_methods_supported: [] }],
    ['has endless scopes', { scopes_supported: Array.from({ length: 900 }, (_, i) => `${'s'.repeat(500)}${i}`) }],
  ])('that %s gets nobody, and harms no other server', async (_, lie) => {
    const listener = createListener((request, response) => {
      const own = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
      const path = request.url ?? ''
      const body = path.includes('protected-resource')
        ? { resource: `${own}/mcp`, authorization_servers: [own] }
        : {
            issuer: own,
            authorization_endpoint: `${own}/authorize`,
            token_endpoint: `${own}/token`,
            code_challenge_methods_supported: ['S256'],
            ...lie,
          }
      if (path.startsWith('/mcp')) response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    await once(listener.listen(0, '127.0.0.1'), 'listening')
    later(async () => listener.close())
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
    const world = await startGateway({ far: { url, auth: { clientId: 'me' } }, good: entryFor(far) })
    const words = await refusalFor(world)
    const page = await fetch(linkIn(words), { redirect: 'manual' })
    expect([page.status, page.headers.get('location')]).toEqual([502, null])
    expect(await page.text()).not.toContain('javascript:')
    const client = await clientAt(world)
    const good = await client.callTool('good__whoami').then(textOf, (error: unknown) => String(error))
    await browse(issuer, linkIn(good))
    expect(textOf(await client.callTool('good__whoami'))).not.toBe('')
  })
})

describe('the console', () => {
  test('gets the link of whoever uses it', async () => {
    const world = await startGateway({ far: entryFor(far) }, true)
    const ask = (server: string, token?: string): Promise<Response> =>
      fetch(`${world.service.url}/login`, {
        method: 'POST',
        body: new URLSearchParams({ server }),
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      })
    expect((await ask('far')).status).toBe(401)
    expect((await ask('none', TOKENS.ada.token)).status).toBe(404)
    const { url } = (await (await ask('far', TOKENS.ada.token)).json()) as { url: string }
    expect((await postToken(url, TOKENS.bob.token)).status).toBe(403)
    expect((await browse(issuer, url, TOKENS.ada.token)).status).toBe(200)
    expect(await whoIs(world, 'ada')).toBe(issuer.user)
    expect(world.gateway.status[0]).toMatchObject({ state: 'running', login: 'people' })
  })
})
