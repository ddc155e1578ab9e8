import { versions } from '@causeway/engine'
import { eraName } from '@causeway/engine/internal'
import type { Ask } from '@causeway/engine'
import type { HttpService } from '@causeway/engine/http'
import { LOCAL_PRINCIPAL } from '@causeway/gateway'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAuthorizationServer } from '../../../../test/support/authorization-server.ts'
import type { AuthorizationServer } from '../../../../test/support/authorization-server.ts'
import { textOf } from '../support/world.ts'
import { browse, clientAt, entryFor, startGateway, startProtected } from './login-world.ts'

let issuer: AuthorizationServer
let far: HttpService

beforeAll(async () => {
  issuer = await startAuthorizationServer()
  far = await startProtected(issuer)
})

afterAll(async () => {
  await far.close()
  await issuer.close()
})

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
