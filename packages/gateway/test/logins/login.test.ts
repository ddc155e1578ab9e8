import { versions } from '@causeway/engine'
import { eraName } from '@causeway/engine/internal'
import type { Ask } from '@causeway/engine'
import { memoryCredentials } from '@causeway/engine/client'
import type { HttpService } from '@causeway/engine/http'
import { LOCAL_PRINCIPAL } from '@causeway/gateway'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, ElicitationCompleteNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import type { AuthorizationServer } from '../../../../test/support/authorization-server.ts'
import { textOf } from '../support/world.ts'
import { browse, clientAt, cookieOf, entryFor, startGateway, withProtectedServer } from './login-world.ts'

let issuer: AuthorizationServer
let far: HttpService

withProtectedServer(found => ({ issuer, far } = found))

// The newest revision of each era.
const ERAS = ['stateless', 'handshake'].flatMap(era => versions.find(version => eraName(version) === era) ?? [])
const combinations = ERAS.flatMap(client => ERAS.map(server => [client, server] as const))

describe.each(combinations)('a client of %s, a server of %s', (version, revision) => {
  test('a call asks for the login, goes on by itself, and its token is refreshed', async () => {
    issuer.user = 'ada'
    const world = await startGateway({ far: { ...entryFor(far), revision } })
    const asked: Ask[] = []
    const client = await clientAt(world, {
      version,
      answer: ask => {
        asked.push(ask)
        // A client that opens the page does not wait for what becomes of it.
        void browse(issuer, String(ask.params.url))
        return { action: 'accept' }
      },
    })
    expect(textOf(await client.callTool('far__whoami'))).toBe('ada')
    expect(asked).toMatchObject([{ method: 'elicitation/create', params: { mode: 'url' } }])
    expect(await client.request('tools/list')).toMatchObject({ tools: [{ name: 'far__whoami' }] })

    const key = { kind: 'tokens', principal: LOCAL_PRINCIPAL, server: `${far.url}/mcp` } as const
    const tokens = await world.store.get(key)
    if (!tokens) throw new Error('nobody is logged in')
    await world.store.set(key, { ...tokens, obtainedAt: 0, expiresAt: Date.now() + 1000 })
    world.gateway.servers.get('far')?.login?.of(LOCAL_PRINCIPAL).reload()
    expect(textOf(await client.callTool('far__whoami'))).toBe('ada')
    expect((await world.store.get(key))?.accessToken).not.toBe(tokens.accessToken)
    expect(asked).toHaveLength(1)
  })
})

describe('a client that is asked', () => {
  test.each(ERAS)('of %s may decline, and is asked again by the next call', async version => {
    const world = await startGateway({ far: entryFor(far) })
    let asked = 0
    const client = await clientAt(world, { version, answer: () => ({ action: asked++ === 0 ? 'decline' : 'cancel' }) })
    const call = (): Promise<string> =>
      client.callTool('far__whoami').then(textOf, (error: unknown) => (error as Error).message)
    expect(await call()).toContain('The login was declined')
    expect(await call()).toContain('The login was declined')
    expect(asked).toBe(2)
  })

  test.each(ERAS)('of %s hears at once if the login failed', async version => {
    const world = await startGateway({ far: entryFor(far) })
    const client = await clientAt(world, {
      version,
      answer: ask => {
        const { url } = ask.params as { url: string }
        void denied(url)
        return { action: 'accept' }
      },
    })
    const words = await client.callTool('far__whoami').then(textOf, (error: unknown) => (error as Error).message)
    expect(words).toContain('The login failed')
  })

  test('can go on in another process, which finds the login in the store', async () => {
    issuer.user = 'ada'
    const shared = { store: memoryCredentials(), secret: 'of both' }
    const [here, there] = await Promise.all([1, 2].map(() => startGateway({ far: entryFor(far) }, false, shared)))
    if (!here || !there) throw new Error('no gateways')
    const client = await clientAt(here, {
      answer: ask => {
        // The browser comes to the other process.
        void browse(issuer, String(ask.params.url).replace(here.service.url, there.service.url))
        return { action: 'accept' }
      },
    })
    expect(textOf(await client.callTool('far__whoami'))).toBe('ada')
  })
})

describe('a login that failed', () => {
  test('in another process ends the calls that wait for it here, and no later ones', async () => {
    issuer.user = 'ada'
    const shared = { store: memoryCredentials(), secret: 'of both' }
    const [here, there] = await Promise.all([1, 2].map(() => startGateway({ far: entryFor(far) }, false, shared)))
    if (!here || !there) throw new Error('no gateways')
    let isWilling = false
    const client = await clientAt(here, {
      answer: ask => {
        const url = String(ask.params.url).replace(here.service.url, there.service.url)
        void (isWilling ? browse(issuer, url) : denied(url))
        return { action: 'accept' }
      },
    })
    const call = (): Promise<string> =>
      client.callTool('far__whoami').then(textOf, (error: unknown) => (error as Error).message)
    expect(await call()).toContain('The login failed')
    isWilling = true
    expect(await call()).toBe('ada')
  })
})

test('a client that was asked hears when its login is completed, under the id of the question', async () => {
  issuer.user = 'ada'
  const world = await startGateway({ far: entryFor(far) })
  const heard: unknown[] = []
  const client = new Client({ name: 'near', version: '1' }, { capabilities: { elicitation: { url: {} } } })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    heard.push('elicitationId' in params ? params.elicitationId : undefined)
    void browse(issuer, 'url' in params ? params.url : '')
    return { action: 'accept' as const }
  })
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
    heard.push(params.elicitationId)
  })
  const transport = new StreamableHTTPClientTransport(new URL(`${world.service.url}/mcp`))
  // The library's own types disagree with each other where options may be undefined.
  await client.connect(transport)
  await client.callTool({ name: 'far__whoami', arguments: {} })
  heard.push('answered')
  await client.close()
  const [asked] = heard
  expect(asked).toEqual(expect.any(String))
  expect(heard).toEqual([asked, asked, 'answered'])
})

/** A browser whose person refuses at the authorization server. */
async function denied(link: string): Promise<void> {
  const first = await fetch(link, { redirect: 'manual' })
  const at = new URL(first.headers.get('location') ?? '')
  const back = new URL(at.searchParams.get('redirect_uri') ?? '')
  back.searchParams.set('state', at.searchParams.get('state') ?? '')
  back.searchParams.set('iss', issuer.issuer)
  back.searchParams.set('error', 'access_denied')
  await fetch(back, { headers: { cookie: cookieOf(first) } })
}
