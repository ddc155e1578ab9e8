import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { oauthAuthorizer } from '@causeway/engine/client'
import type { StoredTokens } from '@causeway/engine/client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { needs } from '../../../../test/support/needs.ts'
import { RedisServer } from '../../../../test/support/redis-server.ts'
import { runHere } from '../support/here.ts'
import { targetOf } from '../../src/login/login-target.ts'
import { browserCommand } from '../../src/login/open-browser.ts'
import { openCredentials } from '../../src/login/open-credentials.ts'
import { newPlace, protectedServer, runWithPerson } from './protected-server.ts'
import type { Person, ProtectedServer } from './protected-server.ts'

let far: ProtectedServer
beforeAll(async () => {
  far = await protectedServer()
})
afterAll(() => far.close())

/** Logs in with a browser on this machine. */
const browser: Person = async link => fetch(await far.issuer.logIn(link))
/** Logs in with a browser elsewhere, and pastes where it ended. */
const elsewhere: Person = async (link, typed) => {
  typed.write('what?\n')
  typed.write(`${(await far.issuer.logIn(link)).href}\n`)
}

const tokensIn = async (data: string, server: string): Promise<StoredTokens | undefined> =>
  openCredentials({ data, keyFile: undefined }, undefined).get({ kind: 'tokens', principal: 'default', server })
const filesIn = (data: string): number => readdirSync(join(data, 'credentials')).length
const login = (data: string, ...more: string[]) => ['login', far.url, '--data', data, '--no-browser', ...more]

/** The answer to a request for anything, which `fetch` would not send. */
const statusOf = ({ hostname, port }: URL, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request({ hostname, port, path }, ({ statusCode = 0 }) => resolve(statusCode))
      .on('error', reject)
      .end()
  })

describe('a login', () => {
  test('with a browser on this machine is used by all commands, and ends with a logout', async () => {
    const { data } = newPlace(far.url)
    const whoami = ['call', 'whoami', '--url', far.url, '--data', data]
    const before = await runHere(whoami)
    expect(before).toMatchObject({ code: 7, stdout: '' })
    expect(before.stderr).toContain(`Log in with: causeway login ${far.url} (or send a token with --token-env NAME`)

    const done = await runWithPerson(login(data), browser)
    expect(done).toMatchObject({ code: 0 })
    expect(done.stdout).toMatch(
      /: default is logged in at http:\S+ .*, until it is refreshed at \d{4}-\d\d-\d\d \S+ UTC\.\n$/,
    )
    const tokens = await tokensIn(data, far.url)
    for (const secret of [tokens?.accessToken, tokens?.refreshToken])
      expect(done.stdout + done.stderr).not.toContain(secret)

    expect(await runHere(whoami)).toMatchObject({ code: 0, stdout: 'ada\n', stderr: '' })
    expect(await runHere(['list', '--url', far.url, '--data', data])).toMatchObject({ code: 0, stdout: 'whoami\n' })
    expect((await runHere(['inspect', far.url, '--data', data])).stdout).toContain('far 1')

    const out = await runHere(['logout', far.url, '--data', data])
    expect(out).toEqual({ code: 0, stdout: `default is logged out of ${far.url}.\n`, stderr: '' })
    expect(filesIn(data)).toBe(0)
    expect(far.issuer.requests.filter(path => path === '/token/revocation')).toHaveLength(1)
    expect(await runHere(whoami)).toMatchObject({ code: 7 })
    expect((await runHere(['logout', far.url, '--data', data])).stdout).toContain('default was not logged in to')
  })

  test('whose browser is elsewhere is finished with the address that is pasted', async () => {
    const { data } = newPlace(far.url)
    const done = await runWithPerson(login(data, '--json'), elsewhere)
    expect(done.stderr).toContain('That is not the address that this login leads to.')
    expect(done.code).toBe(0)
    expect(JSON.parse(done.stdout)).toEqual({
      server: far.url,
      principal: 'default',
      issuer: far.issuer.issuer,
      scopes: expect.any(Array),
      expiresAt: expect.stringMatching(/Z$/),
      canRefresh: true,
    })
  })

  test('is refreshed by whoever uses it, with the client that it was made with', async () => {
    const { data } = newPlace(far.url)
    await runWithPerson(login(data), browser)
    const store = openCredentials({ data, keyFile: undefined }, undefined)
    const key = { kind: 'tokens', principal: 'default', server: far.url } as const
    const first = await store.get(key)
    if (!first) throw new Error('no login')
    await store.set(key, { ...first, obtainedAt: 0, expiresAt: Date.now() - 1 })
    expect(await runHere(['call', 'whoami', '--url', far.url, '--data', data])).toMatchObject({
      code: 0,
      stdout: 'ada\n',
    })
    const second = await store.get(key)
    expect(second?.accessToken).not.toBe(first.accessToken)
    expect(second?.redirectUri).toBe(first.redirectUri)
  })

  test('is refreshed once by processes that need it at the same time', async () => {
    const { data } = newPlace(far.url)
    await runWithPerson(login(data), browser)
    const stores = [1, 2, 3].map(() => openCredentials({ data, keyFile: undefined }, undefined))
    const key = { kind: 'tokens', principal: 'default', server: far.url } as const
    const tokens = await tokensIn(data, far.url)
    if (!tokens) throw new Error('no login')
    await stores[0]?.set(key, { ...tokens, obtainedAt: 0, expiresAt: Date.now() - 1 })
    const asked = (): number => far.issuer.requests.filter(path => path === '/token').length
    const before = asked()
    const headers = await Promise.all(
      stores.map(async store =>
        oauthAuthorizer({
          url: far.url,
          store,
          principal: key.principal,
          grant: { type: 'authorization_code', redirectUri: '' },
        }).headers({ method: 'POST', url: new URL(far.url) }),
      ),
    )
    expect(asked() - before).toBe(1)
    expect(new Set(headers.map(({ authorization }) => authorization)).size).toBe(1)
  })

  test('again leaves one registration; a failed one leaves none, and keeps what there was', async () => {
    const { data } = newPlace(far.url)
    await runWithPerson(login(data), browser)
    expect(filesIn(data)).toBe(2)
    await runWithPerson(login(data), browser)
    expect(filesIn(data)).toBe(2)
    const kept = await tokensIn(data, far.url)
    const refuse: Person = async link => {
      const { searchParams } = new URL(link)
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      for (const [name, value] of [
        ['state', searchParams.get('state') ?? ''],
        ['error', 'access_denied'],
        ['iss', far.issuer.issuer],
      ] as const)
        back.searchParams.set(name, value)
      const page = await fetch(back)
      expect(page.status).toBe(400)
    }
    const refused = await runWithPerson(login(data), refuse)
    expect(refused).toMatchObject({ code: 7, stdout: '' })
    expect(refused.stderr).toContain('access_denied')
    expect(filesIn(data)).toBe(2)
    expect(await tokensIn(data, far.url)).toEqual(kept)
  })

  test('does not take the answer of another, whatever arrives before', async () => {
    const { data } = newPlace(far.url)
    const statuses: number[] = []
    const attacked: Person = async link => {
      const back = new URL(new URL(link).searchParams.get('redirect_uri') ?? '')
      for (const path of [`${back.pathname}?code=stolen&state=guessed`, back.pathname, '/favicon.ico', '//evil/'])
        statuses.push((await fetch(back.origin + path)).status)
      statuses.push((await fetch(back, { method: 'POST' })).status)
      statuses.push(await statusOf(back, 'http://[malformed'))
      const page = await fetch(await far.issuer.logIn(link))
      expect(page.headers.get('content-security-policy')).toBe("default-src 'none'")
      expect(await page.text()).toContain('You can close this window')
    }
    expect(await runWithPerson(login(data), attacked)).toMatchObject({ code: 0 })
    expect(statuses).toEqual([404, 404, 404, 404, 404, 404])
  })

  test('that is not finished ends in time', async () => {
    const { data } = newPlace(far.url)
    const late = await runWithPerson(login(data, '--timeout', '50ms'))
    expect(late).toMatchObject({ code: 7, stderr: expect.stringContaining('was not completed in time') })
    expect(filesIn(data)).toBe(0)
  })

  test('with a client that is registered beforehand keeps its secret for the refresh', async () => {
    const redirect = 'http://127.0.0.1:0/back'
    const own = await protectedServer({
      clients: [
        {
          client_id: 'known',
          client_secret: 'its secret',
          application_type: 'native',
          redirect_uris: ['http://127.0.0.1/back'],
          grant_types: ['authorization_code', 'refresh_token'],
        },
      ],
    })
    try {
      const { data } = newPlace(own.url)
      vi.stubEnv('KNOWN_SECRET', 'its secret')
      const words = ['login', own.url, '--data', data, '--no-browser', '--redirect-uri', redirect]
      const done = await runWithPerson(
        [...words, '--client-id', 'known', '--client-secret-env', 'KNOWN_SECRET', '--scope', 'write'],
        async link => fetch(await own.issuer.logIn(link)),
      )
      expect(done.stderr).not.toContain('its secret')
      expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('write') })
      const store = openCredentials({ data, keyFile: undefined }, undefined)
      const { redirectUri = '', clientId } = (await tokensIn(data, own.url)) ?? {}
      expect(clientId).toBe('known')
      const client = await store.get({ kind: 'client', issuer: own.issuer.issuer, redirectUri })
      expect(client).toEqual({ clientId: 'known', clientSecret: 'its secret' })
    } finally {
      vi.unstubAllEnvs()
      await own.close()
    }
  })
})

describe('in a shared store', needs('redis-server'), () => {
  test('a login is used with the same key, and says so with another', async () => {
    const redis = await RedisServer.start()
    try {
      const { data } = newPlace(far.url)
      const places = ['--store', redis.url, '--key-file', join(data, 'key')]
      expect(await runWithPerson(['login', far.url, '--no-browser', ...places], browser)).toMatchObject({ code: 0 })
      const whoami = ['call', 'whoami', '--url', far.url]
      expect(await runHere([...whoami, ...places])).toMatchObject({ code: 0, stdout: 'ada\n' })
      const elsewhere = await runHere([...whoami, '--store', redis.url, '--data', data])
      expect(elsewhere).toMatchObject({ code: 4, stderr: expect.stringContaining('need the same key') })
      expect(await runHere(['logout', far.url, ...places])).toMatchObject({ code: 0 })
      expect(await runHere([...whoami, ...places])).toMatchObject({ code: 7 })
    } finally {
      await redis.stop()
    }
  })
})

describe('a server of a file', () => {
  test('is logged in to by its name; list and status show it without secrets; all principals log out', async () => {
    const { data, file } = newPlace(far.url)
    const places = ['--servers', file, '--data', data]
    for (const principal of ['default', 'bob'])
      await runWithPerson(['login', 'far', ...places, '--no-browser', '--principal', principal], browser)
    const listed = await runHere(['servers', 'list', ...places])
    expect(listed.stdout).toContain('default is logged in at')
    expect(listed.stdout).toContain('bob is logged in at')
    const entries = JSON.parse((await runHere(['servers', 'list', '--json', ...places])).stdout) as {
      name: string
      logins?: object[]
    }[]
    expect(entries.find(({ name }) => name === 'far')?.logins).toHaveLength(2)
    expect(entries.find(({ name }) => name === 'near')).not.toHaveProperty('logins')
    const { accessToken = '', refreshToken = '' } = (await tokensIn(data, far.url)) ?? {}
    expect(JSON.stringify(entries)).not.toContain(accessToken)
    expect(JSON.stringify(entries)).not.toContain(refreshToken)

    expect((await runHere(['logout', 'far', ...places, '--principal', 'bob'])).stdout).toBe(
      'bob is logged out of far.\n',
    )
    expect((await runHere(['logout', 'far', ...places, '--all'])).stdout).toBe(
      '1 principal logged out of far: default.\n',
    )
    expect((await runHere(['logout', 'far', ...places, '--all'])).stdout).toBe('There are no logins to far.\n')
    expect(filesIn(data)).toBe(0)
  })

  test('is completed', async () => {
    const { file } = newPlace(far.url)
    for (const command of ['login', 'logout']) {
      const { stdout } = await runHere(['completion', 'words', '--', command, '--servers', file, ''])
      expect(stdout.trim().split('\n')).toContain('far')
    }
  })
})

describe('a login that cannot be read', () => {
  const damaged = async (): Promise<string> => {
    const { data } = newPlace(far.url)
    const store = openCredentials({ data, keyFile: undefined }, undefined)
    const tokens = { issuer: 'https://as.test', accessToken: 'x', obtainedAt: 0, scopes: [], clientId: 'c' }
    await store.set({ kind: 'tokens', principal: 'default', server: far.url }, tokens)
    const [file = ''] = readdirSync(join(data, 'credentials'))
    const path = join(data, 'credentials', file)
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, -5))
    return data
  }

  test('says so wherever it is needed, and a logout deletes it', async () => {
    const data = await damaged()
    for (const words of [
      ['list', '--url', far.url],
      ['login', far.url],
      ['inspect', far.url],
    ]) {
      const { code, stderr } = await runHere([...words, '--data', data])
      expect({ code, stderr }).toEqual({
        code: 4,
        stderr: expect.stringContaining('is damaged. Delete it, and log in again.'),
      })
    }
    const out = await runHere(['logout', far.url, '--data', data])
    expect(out).toMatchObject({ code: 0, stderr: expect.stringContaining('It was deleted.') })
    expect(filesIn(data)).toBe(0)
  })

  test('for lack of its key says which file is missing', async () => {
    const data = await damaged()
    rmSync(join(data, 'credentials.key'))
    const other = join(data, 'other.key')
    writeFileSync(other, 'nonsense')
    const { code, stderr } = await runHere(['list', '--url', far.url, '--data', data, '--key-file', other])
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(`${other} does not hold a key`) })
    expect(existsSync(join(data, 'credentials.key'))).toBe(false)
  })
})

describe('an entry', () => {
  const entry = {
    name: 'far',
    target: { kind: 'http', url: 'https://example.com/mcp', headers: {} },
  } as unknown as Parameters<typeof targetOf>[0]

  test('says which client logs in', () => {
    const auth = { grant: 'authorization_code', clientId: 'known', scopes: ['a'] } as const
    expect(targetOf({ ...entry, auth, trusted: false })).toEqual({
      url: 'https://example.com/mcp',
      shown: 'far',
      client: { clientId: 'known', scopes: ['a'], isTrusted: false },
    })
  })

  test('that needs no person is refused', () => {
    expect(() => targetOf({ ...entry, auth: { grant: 'client_credentials', scopes: [] } })).toThrow(
      'gets tokens by itself',
    )
    const target = { kind: 'http', url: 'https://example.com/mcp', headers: { authorization: 'Bearer x' } } as const
    expect(() => targetOf({ ...entry, target })).toThrow('its entry has a header Authorization')
  })
})

test('the browser is opened without a shell, and only where there is a screen', () => {
  const url = 'https://example.com/?a=1&b=2'
  expect(browserCommand(url, 'linux', {})).toBeUndefined()
  expect(browserCommand(url, 'linux', { DISPLAY: ':0' })).toEqual(['xdg-open', url])
  expect(browserCommand(url, 'darwin', {})).toEqual(['open', url])
  expect(browserCommand(url, 'darwin', { SSH_CONNECTION: 'x' })).toBeUndefined()
  expect(browserCommand(url, 'win32', {})).toEqual(['rundll32', 'url.dll,FileProtocolHandler', url])
})

test.each([
  ['login', 2, 'Name one server or URL. Usage: causeway login'],
  ['login a b', 2, 'Name one server or URL.'],
  ['login ftp://example.com', 2, 'The URL must be an address such as'],
  ['login https://ada:secret@example.com/mcp', 2, 'The URL must not contain a password.'],
  ['login http://127.0.0.1:1/mcp', 6, 'cannot be reached'],
  [
    'login https://example.com/mcp --redirect-uri https://example.com/',
    2,
    '--redirect-uri must be an address of this machine',
  ],
  ['login https://example.com/mcp --client-secret-env NO_SUCH_SECRET', 2, 'NO_SUCH_SECRET is not set'],
  ['logout https://example.com/mcp --all --principal x', 2, '--principal and --all exclude each other'],
  ['logout', 2, 'Usage: causeway logout'],
])('%s ends with %i', async (line, code, said) => {
  const { data } = newPlace(far.url)
  const outcome = await runHere([...line.split(' '), '--data', data])
  expect(outcome).toMatchObject({ code, stderr: expect.stringContaining(said) })
  expect(outcome.stderr).not.toContain('ada:secret')
})

test('a name that no server has, and a server that is a command', async () => {
  const { data, file } = newPlace(far.url)
  const places = ['--servers', file, '--data', data]
  expect(await runHere(['login', 'farr', ...places])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Did you mean 'far'?"),
  })
  expect(await runHere(['login', 'near', ...places])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is started as a command'),
  })
})
