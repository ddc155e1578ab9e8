import { expect, test } from 'vitest'
import type { FetchJson } from '../../src/oauth/fetch-json.ts'
import { metadataUrls, serverMetadata } from '../../src/oauth/server-metadata.ts'

const at =
  (answers: Readonly<Record<string, unknown>>): FetchJson =>
  async ({ url }) => ({ status: url in answers ? 200 : 404, headers: {}, body: answers[url] })

test('metadata is looked for in every form', () => {
  expect(metadataUrls('https://as.test')).toEqual([
    'https://as.test/.well-known/oauth-authorization-server',
    'https://as.test/.well-known/openid-configuration',
  ])
  expect(metadataUrls('https://as.test/')).toEqual(metadataUrls('https://as.test'))
  expect(metadataUrls('https://as.test/realms/one')).toEqual([
    'https://as.test/.well-known/oauth-authorization-server/realms/one',
    'https://as.test/.well-known/openid-configuration/realms/one',
    'https://as.test/realms/one/.well-known/openid-configuration',
  ])
})

test.each(['https://as.test', 'https://as.test/realms/one'])('each form of %s is taken', async issuer => {
  for (const url of metadataUrls(issuer)) {
    const body = { issuer, token_endpoint: 'https://as.test/token', scopes_supported: ['a', 1], more: 1 }
    expect(await serverMetadata(issuer, at({ [url]: body }))).toEqual({
      issuer,
      token_endpoint: 'https://as.test/token',
      scopes_supported: ['a'],
    })
  }
  expect(await serverMetadata(issuer, at({}))).toBeUndefined()
})

test.each(['https://as.test/', 'https://AS.test', 'https://as.test:443', 'https://evil.test'])(
  'the issuer %s is not https://as.test',
  async issuer => {
    const fetchJson = at({ 'https://as.test/.well-known/oauth-authorization-server': { issuer } })
    await expect(serverMetadata('https://as.test', fetchJson)).rejects.toMatchObject({ code: 'issuer_mismatch' })
  },
)

test.each(['javascript:alert(1)', 'http://as.test/authorize', 'file:///bin/sh', 7, 'calc.exe'])(
  'the endpoint %s is refused',
  async authorization_endpoint => {
    const body = { issuer: 'https://as.test', authorization_endpoint }
    const fetchJson = at({ 'https://as.test/.well-known/oauth-authorization-server': body })
    await expect(serverMetadata('https://as.test', fetchJson)).rejects.toThrow(/authorization_endpoint/)
  },
)
