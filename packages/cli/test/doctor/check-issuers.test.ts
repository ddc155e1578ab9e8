import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAuthorizationServer } from '../../../../test/support/authorization-server.ts'
import type { AuthorizationServer } from '../../../../test/support/authorization-server.ts'
import { readArgs } from '../../src/config/args.ts'
import { readConfig } from '../../src/config/config.ts'
import { checkIssuers } from '../../src/doctor/check-issuers.ts'
import { checkKeyFile } from '../../src/doctor/check-machine.ts'

let real: AuthorizationServer
let fake: Server
let origin: string
/** What the other issuer answers, by path. */
const answers = new Map<string, unknown>()

beforeAll(async () => {
  real = await startAuthorizationServer({ path: '/tenant' })
  fake = createServer(({ url = '' }, response) => {
    const body = answers.get(url)
    response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? {}))
  })
  await new Promise<void>(resolve => void fake.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`
})
afterAll(async () => {
  await real.close()
  fake.close()
})

const check = (...issuers: string[]) =>
  checkIssuers(readConfig(readArgs(['doctor', ...issuers.flatMap(issuer => ['--auth-issuer', issuer])]), {}))

describe('an issuer', () => {
  const METADATA = '/.well-known/oauth-authorization-server'

  test('that is well has keys', async () => {
    expect(await check()).toEqual([])
    expect(await check(real.issuer)).toEqual([{ check: 'issuer', status: 'ok', message: `${real.issuer}: 1 key` }])
  })

  test.each([
    ['has no metadata', () => ({}), 'has no metadata', '/.well-known/openid-configuration'],
    [
      'names another',
      () => ({ [METADATA]: { issuer: `${origin}/` } }),
      'is the metadata of the issuer',
      'slash at the end',
    ],
    ['has no place for keys', () => ({ [METADATA]: { issuer: origin } }), 'has no jwks_uri', 'name jwks_uri'],
    [
      'has a place without keys',
      () => ({ [METADATA]: { issuer: origin, jwks_uri: `${origin}/keys` } }),
      'status 404',
      'JSON Web Key Set',
    ],
    [
      'has keys that cannot be used',
      () => ({
        [METADATA]: { issuer: origin, jwks_uri: `${origin}/keys` },
        '/keys': { keys: [{ kty: 'oct', k: 'x' }] },
      }),
      'no public key',
      'RSA, EC or OKP',
    ],
  ])('that %s fails with what to do', async (_, made, message, fix) => {
    answers.clear()
    for (const [path, body] of Object.entries(made())) answers.set(path, body)
    expect(await check(origin)).toEqual([
      { check: 'issuer', status: 'fail', message: expect.stringContaining(message), fix: expect.stringContaining(fix) },
    ])
  })

  test('that cannot be reached fails, and the others are checked', async () => {
    expect(await check('http://127.0.0.1:1', real.issuer)).toMatchObject([
      {
        status: 'fail',
        message: expect.stringContaining('cannot be reached'),
        fix: expect.stringContaining('network'),
      },
      { status: 'ok' },
    ])
  })

  test('whose tokens are introspected has to say where', async () => {
    answers.clear()
    answers.set(METADATA, { issuer: origin, jwks_uri: `${origin}/keys` })
    answers.set('/keys', { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] })
    const introspection = { clientId: 'c', clientSecret: 'very secret' }
    const found = await checkIssuers({ auth: { issuers: [{ issuer: origin, introspection }], scopes: {} } })
    expect(found).toMatchObject([{ status: 'fail', message: expect.stringContaining('introspection_endpoint') }])
    expect(JSON.stringify(found)).not.toContain('very secret')
  })
})

test('the key of logins is checked, and closed to other users', () => {
  const keyFile = join(mkdtempSync(join(tmpdir(), 'causeway-key-')), 'key')
  const found = () => checkKeyFile(readConfig(readArgs(['doctor', '--key-file', keyFile]), {}))
  expect(found()).toEqual([])
  writeFileSync(keyFile, 'x'.repeat(43), { mode: 0o644 })
  const [finding] = found()
  expect(finding).toMatchObject({ check: 'key', status: 'warn', fix: `chmod 600 ${keyFile}` })
  finding?.repair?.()
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  expect(found()).toMatchObject([{ status: 'ok' }])
  writeFileSync(keyFile, 'no key')
  expect(found()).toMatchObject([{ status: 'fail', message: expect.stringContaining('does not hold a key') }])
})
