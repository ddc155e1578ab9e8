import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ask, Result } from '@causeway/engine'
import { RemoteServer, httpTransport } from '@causeway/engine/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { entryFor, startProtected } from '../../packages/gateway/test/logins/login-world.ts'
import { needs } from '../support/needs.ts'
import { RedisServer } from '../support/redis-server.ts'
import { startAuthorizationServer } from '../support/authorization-server.ts'
import type { AuthorizationServer } from '../support/authorization-server.ts'
import type { HttpService } from '@causeway/engine/http'
import { World, textOf } from './world.ts'

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

/** A gateway with several workers, in front of a server that wants logins. */
async function gateway(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-worker-logins-'))
  const servers = join(folder, 'servers.json')
  writeFileSync(servers, JSON.stringify({ mcpServers: { far: entryFor(far) } }))
  const redis = await RedisServer.start()
  const world = await World.start('--workers', '3', '--servers', servers, '--data', folder, '--store', redis.url)
  onTestFinished(async () => {
    await world.end()
    await redis.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  await world.workers(3)
  return world
}

/** Every request on a connection of its own, so that workers take turns. */
async function alone(url: URL | string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const sent = get(url, { headers, agent: false })
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response
}

/** A browser that follows a link to the authorization server and comes back, or refuses there. */
async function visit(link: string, isWilling: boolean): Promise<number> {
  const first = await alone(link)
  const at = new URL(first.headers.location ?? '')
  const cookie = String(first.headers['set-cookie']).split(';')[0] ?? ''
  if (isWilling) return (await alone(await issuer.logIn(at.href), { cookie })).statusCode ?? 0
  const back = new URL(at.searchParams.get('redirect_uri') ?? '')
  const denied = { state: at.searchParams.get('state') ?? '', iss: issuer.issuer, error: 'access_denied' }
  for (const [name, value] of Object.entries(denied)) back.searchParams.set(name, value)
  return (await alone(back, { cookie })).statusCode ?? 0
}

async function connected(world: World, answer: (ask: Ask) => Result): Promise<RemoteServer> {
  const remote = await RemoteServer.connect(
    { open: () => httpTransport({ url: `${world.url}/mcp` }) },
    { client: { name: 'near', version: '1' }, answer },
  )
  onTestFinished(() => remote.close())
  return remote
}

const said = (remote: RemoteServer): Promise<unknown> =>
  remote.callTool('far__whoami').then(
    result => textOf({ result }),
    (error: unknown) => (error as Error).message,
  )

describe('logins with several workers', needs('redis-server'), () => {
  test('a login that fails in one worker ends the calls that wait in others; one that succeeds lets them go on', async () => {
    issuer.user = 'ada'
    const world = await gateway()
    let isWilling = false
    const visits: Promise<number>[] = []
    const links: string[] = []
    const answer = (ask: Ask): Result => {
      const url = String(ask.params.url)
      // All clients are one user, who has one link and opens it once.
      if (!links.includes(url)) visits.push(visit(url, isWilling))
      links.push(url)
      return { action: 'accept' }
    }
    for (let round = 0; round < 3; round++) {
      const client = await connected(world, answer)
      expect(await said(client)).toContain('The login failed')
    }
    expect(new Set(links).size, 'a link that was used in one worker is given out by none').toBe(3)
    isWilling = true
    const clients = await Promise.all(Array.from({ length: 6 }, () => connected(world, answer)))
    expect(await Promise.all(clients.map(said))).toEqual(clients.map(() => 'ada'))
    expect(await Promise.all(visits)).toContain(200)
  })

  test('a link is good once, whichever worker it is opened in', async () => {
    const world = await gateway()
    const answered = fetch(`${world.url}/login`, {
      method: 'POST',
      body: new URLSearchParams({ server: 'far' }),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    const { url } = (await (await answered).json()) as { url: string }
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await alone(url)).statusCode))
    expect(statuses.toSorted((a = 0, b = 0) => a - b)).toEqual([303, ...Array.from({ length: 7 }, () => 410)])
  })
})
