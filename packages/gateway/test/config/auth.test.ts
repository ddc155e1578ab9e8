import { describe, expect, test } from 'vitest'
import { readServers } from '@causeway/gateway'
import type { Servers } from '@causeway/gateway'

const VARIABLES: Readonly<Record<string, string>> = { SECRET: 's3cret' }

const PROVIDER = { issuer: 'https://idp.test', clientId: 'us' }
const ENTERPRISE = { grant: 'enterprise', provider: PROVIDER, idTokenFile: 'id' }

const read = (auth: unknown, more: object = {}): Servers =>
  readServers(
    { mcpServers: { it: { url: 'https://x.test/mcp', auth, ...more } } },
    { file: '/etc/mcp.json', variables: name => VARIABLES[name], readText: () => undefined },
  )

describe('the key auth of a server', () => {
  test('is read, with variables filled in', () => {
    const machine = {
      grant: 'client_credentials',
      clientId: 'me',
      clientSecret: '${SECRET}',
      scopes: ['a', 'b:c'],
      clientMetadataUrl: 'https://me.test/client.json',
      dpop: true,
      issuer: 'https://issuer.test',
      assumePkce: true,
    }
    expect(read(machine).problems).toEqual([])
    expect(read(machine).upstreams[0]?.auth).toEqual({ ...machine, clientSecret: 's3cret' })
    expect(read({}).upstreams[0]?.auth).toEqual({ grant: 'authorization_code', scopes: [] })
    expect(read(undefined).upstreams[0]).not.toHaveProperty('auth')
    const workload = { grant: 'jwt_bearer', assertionFile: 'token' }
    expect(read(workload).upstreams[0]?.auth).toMatchObject({ assertionFile: '/etc/token' })
    const provider = { ...PROVIDER, clientSecret: '${SECRET}' }
    expect(read({ ...ENTERPRISE, provider }).upstreams[0]?.auth).toEqual({
      grant: 'enterprise',
      scopes: [],
      provider: { ...PROVIDER, clientSecret: 's3cret' },
      idTokenFile: '/etc/id',
    })
    const privateKey = { key: '${SECRET}', alg: 'ES256', kid: 'one' }
    expect(read({ grant: 'client_credentials', clientId: 'me', privateKey }).upstreams[0]?.auth).toMatchObject({
      privateKey: { key: 's3cret', alg: 'ES256', kid: 'one' },
    })
  })

  test.each([
    ['a text', 'must be an object'],
    [{ clientID: 'me' }, "unknown key 'auth.clientID'. Did you mean 'clientId'?"],
    [
      { grant: 'password' },
      'must be one of authorization_code, client_credentials, jwt_bearer, enterprise, got "password"',
    ],
    [{ grant: 'client_credentials', clientSecret: 'x' }, 'needs "clientId"'],
    [{ grant: 'client_credentials', clientId: 'x' }, 'needs "clientSecret" or "privateKey"'],
    [{ grant: 'jwt_bearer' }, 'needs "assertionFile"'],
    [{ grant: 'enterprise', idTokenFile: 't' }, 'needs "provider"'],
    [{ grant: 'enterprise', provider: PROVIDER }, 'needs "idTokenFile"'],
    [{ ...ENTERPRISE, provider: 'https://idp.test' }, "'auth.provider' must be an object"],
    [{ ...ENTERPRISE, provider: { clientId: 'us' } }, '\'auth.provider\' needs "issuer"'],
    [{ ...ENTERPRISE, provider: { issuer: PROVIDER.issuer } }, '\'auth.provider\' needs "clientId"'],
    [{ ...ENTERPRISE, provider: { ...PROVIDER, issuer: 'idp' } }, "'auth.provider.issuer' must be an address"],
    [{ ...ENTERPRISE, provider: { ...PROVIDER, secret: 'x' } }, "unknown key 'auth.provider.secret'"],
    [{ ...ENTERPRISE, provider: { ...PROVIDER, clientSecret: '${NONE}' } }, 'NONE is not set'],
    [{ provider: PROVIDER }, '\'auth.provider\' needs "grant": "enterprise"'],
    [{ ...ENTERPRISE, assertionFile: 'f' }, '\'auth.assertionFile\' needs "grant": "jwt_bearer"'],
    [{ clientSecret: 'x' }, 'say with "grant"'],
    [{ scopes: ['a b'] }, 'must be one scope each'],
    [{ scopes: 'a' }, 'must be a list of texts'],
    [{ dpop: 'yes' }, 'must be true or false'],
    [{ assumePkce: 1, issuer: 'https://x.test' }, "'auth.assumePkce' must be true or false"],
    [{ assumePkce: true }, '\'auth.assumePkce\' needs "issuer"'],
    [{ issuer: 'ftp://x.test' }, "'auth.issuer' must be an address"],
    [{ grant: 'client_credentials', clientId: 'x', clientSecret: '${NONE}' }, 'NONE is not set'],
    [{ grant: 'client_credentials', clientId: 'x', privateKey: 'PEM' }, 'must be { "key"'],
  ])('%j is refused with words that help', (auth, words) => {
    const { problems, upstreams } = read(auth)
    expect(problems.join('\n')).toContain(words)
    expect(upstreams).toEqual([])
  })

  test('fits neither programs nor an Authorization header, and gets no variables where it is not trusted', () => {
    expect(read({}, { url: undefined, command: 'node' }).problems.join()).toContain('"env"')
    expect(read({}, { headers: { authorization: 'Bearer x' } }).problems.join()).toContain('exclude each other')
    const secret = { grant: 'client_credentials', clientId: 'x', clientSecret: '${SECRET}' }
    expect(read(secret, { trusted: false }).problems.join()).toContain('not trusted')
  })
})
