import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newToken } from '@causeway/engine/http'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { INTROSPECTOR, startAuthorizationServer } from '../../../../test/support/authorization-server.ts'
import type { AuthorizationServer } from '../../../../test/support/authorization-server.ts'
import type { Log } from '@causeway/engine'
import { readArgs } from '../../src/config/args.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Config } from '../../src/config/config.ts'
import { authenticatorOf } from '../../src/serve/access/access-tokens.ts'
import { scopesOf } from '../../src/serve/access/needed-scopes.ts'
import { assembly } from '../../src/serve/assemble.ts'
import { followAuth } from '../../src/serve/access/followed-auth.ts'
import { listen } from '../../src/serve/listen-http.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-auth-'))
const listed = newToken('ada', ['admin'])
const cleanups: (() => unknown)[] = []
let issuer: AuthorizationServer
beforeAll(async () => {
  issuer = await startAuthorizationServer({ tokens: 'opaque' })
  writeFileSync(join(folder, 'tokens'), listed.line)
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await issuer.close()
})

function configured(auth: unknown, flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Config {
  const file = join(folder, 'config.json')
  writeFileSync(file, JSON.stringify(auth === undefined ? {} : { auth }))
  const all = ['--http', '--port', '0', '--pack', 'basics', '--log-level', 'silent', '--config', file, ...flags]
  return readConfig(readArgs(['serve', ...all]), env)
}

async function served(config: Config): Promise<string> {
  const assembled = await assembly(config)
  const service = await listen({ ...assembled, store: undefined }, config)
  cleanups.push(
    () => service.close(),
    () => assembled.feed?.close(),
  )
  return service.url
}

const ask = async (url: string, token?: string): Promise<Response> =>
  fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'add_numbers', params: { number1: 1, number2: 2 } }),
  })

describe('tokens of an authorization server, as configured', () => {
  const auth = (): object => ({
    issuers: [
      {
        issuer: issuer.issuer,
        introspection: { clientId: INTROSPECTOR.clientId, clientSecret: '${SECRET}' },
      },
    ],
    scopes: { tools: { 'add_*': ['write'] } },
    implies: { admin: ['write'] },
  })
  const tokens = ['--token-file', join(folder, 'tokens')]

  test('opaque ones are introspected; scopes are needed, and imply others; tokens of the file stay', async () => {
    const url = await served(configured(auth(), tokens, { SECRET: INTROSPECTOR.clientSecret }))
    const missing = await ask(url)
    expect([missing.status, missing.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource/rpc", scope="write"`,
    ])
    const resource = `${url}/rpc`
    const reader = await issuer.machineToken({ resource, scope: 'read' })
    expect((await ask(url, reader)).status).toBe(403)
    expect((await ask(url, await issuer.machineToken({ resource, scope: 'write' }))).status).toBe(200)
    expect((await ask(url, await issuer.machineToken({ resource, scope: 'admin' }))).status).toBe(200)
    expect((await ask(url, await issuer.machineToken({ resource: `${url}/mcp`, scope: 'write' }))).status).toBe(401)
    const revoked = await issuer.machineToken({ resource, scope: 'write' })
    await issuer.revoke(revoked)
    expect((await ask(url, revoked)).status).toBe(401)
    expect((await ask(url, listed.token)).status).toBe(200)
  })

  test('scopes apply to tokens of a file alone, too', async () => {
    const url = await served(configured({ scopes: { tools: { '*': ['nobody'] } } }, tokens))
    expect((await ask(url, listed.token)).status).toBe(403)
  })

  test('the file is followed: issuers, scopes and implies change at once, and what cannot be used changes nothing', async () => {
    const [plain, writing] = [
      { issuers: [{ issuer: issuer.issuer }], scopes: { tools: { 'add_*': ['write'] } } },
      { scopes: { tools: { 'add_*': ['write'] } }, implies: { admin: ['write'] } },
    ]
    const url = await served(configured(plain, tokens))
    const change = async (value: unknown, status: number, words: string): Promise<void> => {
      writeFileSync(join(folder, 'config.json'), typeof value === 'string' ? value : JSON.stringify({ auth: value }))
      await vi.waitFor(async () => expect((await ask(url, listed.token)).status, words).toBe(status))
    }
    expect((await ask(url, listed.token)).status).toBe(403)
    await change({ ...plain, ...writing }, 200, 'admin implies write')
    await change({ ...plain, scopes: { tools: { 'add_*': ['more'] } } }, 403, 'another scope')
    await change({ ...plain, ...writing }, 200, 'as before')
  })

  test('a file that cannot be used changes nothing, and the log says so', () => {
    const said: unknown[] = []
    const config = configured({ ...auth(), issuers: [{ issuer: issuer.issuer }] })
    const scopes = scopesOf(config)
    const authenticator = authenticatorOf(config, undefined, { shared: undefined, scopes })
    const log: Log = (level, _, details) => void said.push([level, details?.problem ?? details?.ended])
    const followed = followAuth(config, {
      server: { log, changed: () => {} },
      scopes,
      rights: undefined,
      authenticator,
      reloader: { add: () => {} },
    })
    const reload = (text: string): unknown => {
      writeFileSync(join(folder, 'config.json'), text)
      followed.reload()
      return said.pop()
    }
    const withIssuers = (...issuers: readonly unknown[]): string => JSON.stringify({ auth: { issuers } })
    expect(reload('{ "auth":')).toEqual(['error', expect.stringContaining('config.json')])
    expect(reload(withIssuers({ issuer: 'http://a.example' }))).toEqual(['error', expect.stringContaining('https')])
    expect(reload(withIssuers())).toEqual(['error', expect.stringContaining('last issuer cannot be removed')])
    const bad = { auth: { ...auth(), issuers: [{ issuer: issuer.issuer }], implies: { admin: ['a b'] } } }
    expect(reload(JSON.stringify(bad))).toEqual(['error', expect.stringContaining('a b')])
    expect(authenticator?.authorizationServers).toEqual([issuer.issuer])
    expect([scopes.all, scopes.expand(['admin'])]).toEqual([['write'], ['admin', 'write']])
    expect(reload(withIssuers({ issuer: 'https://other.example' }))).toEqual(['info', [issuer.issuer]])
    expect([scopes.restricts, authenticator?.authorizationServers]).toEqual([false, ['https://other.example']])
  })

  test('an issuer of the command line is added to those of the file, once', () => {
    const issuers = [{ issuer: 'https://a.example', audience: 'x' }]
    const { auth: read, needsToken } = configured({ issuers }, [
      '--auth-issuer',
      'https://a.example,https://b.example/t/',
    ])
    expect(read.issuers).toEqual([{ issuer: 'https://a.example', audience: ['x'] }, { issuer: 'https://b.example/t/' }])
    expect(needsToken).toBe(true)
  })

  const wrong: readonly (readonly [string, unknown, readonly string[], RegExp])[] = [
    ['no object', [], [], /'auth' must be an object/],
    ['an unknown key', { issuer: 'x' }, [], /unknown key 'auth.issuer'. Did you mean 'issuers'/],
    ['no issuer', { issuers: [{}] }, [], /'auth.issuers\[0\].issuer' must be a text, and is missing/],
    ['an issuer without https', { issuers: [{ issuer: 'http://a.example' }] }, [], /https/],
    ['an algorithm with a secret', { issuers: [{ issuer: 'https://a.example', algorithms: ['HS256'] }] }, [], /HS256/],
    [
      'a variable that is not set',
      { issuers: [{ issuer: 'https://a.example', introspection: { clientId: 'a', clientSecret: '${NOWHERE}' } }] },
      [],
      /NOWHERE is not set/,
    ],
    ['a scope that is none', { scopes: { tools: { a: ['x y'] } } }, ['--auth-issuer', 'https://a.example'], /x y/],
    ['a scope that grants nothing', { scopes: { tools: { a: ['offline_access'] } } }, tokens, /offline_access/],
    ['scopes without tokens', { scopes: { tools: { a: ['x'] } } }, [], /needs tokens/],
    ['DPoP without an issuer', undefined, ['--auth-dpop', 'allow'], /needs --auth-issuer/],
    ['no public URL', undefined, ['--auth-issuer', 'https://a.example', '--host', '0.0.0.0'], /needs --public-url/],
    ['an issuer on the command line without https', undefined, ['--auth-issuer', 'http://a.example'], /https/],
  ]
  test.each(wrong)('%s is refused, with what is wrong', async (_, value, flags, words) => {
    await expect((async () => served(configured(value, flags)))()).rejects.toThrow(words)
  })
})
