import { once } from 'node:events'
import { createServer as createListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, tool } from '@causeway/engine'
import { resourceServer, serveHttp } from '@causeway/engine/http'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { expect, test } from 'vitest'
import { later, textOf } from '../support/world.ts'
import { clientAt, startGateway } from './login-world.ts'

/** What its token endpoint was sent, and what it answers. */
type TokenEndpoint = (params: Record<string, string>) => Promise<object> | object

/** An authorization server that has metadata, keys and a token endpoint. */
async function issuing(keys: readonly object[], token: TokenEndpoint): Promise<string> {
  const listener = createListener((request, response) => {
    const metadata = { issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` }
    const send = (body: object): void =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === '/keys') return send({ keys })
    if (request.url !== '/token') return send(metadata)
    void text(request).then(async body => send(await token(Object.fromEntries(new URLSearchParams(body)))))
    return undefined
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  later(async () => listener.close())
  const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  return issuer
}

test('an organisation decides: its ID token is exchanged for a grant, and that for a token, without anyone being asked', async () => {
  const idTokenFile = join(mkdtempSync(join(tmpdir(), 'causeway-id-')), 'id-token')
  writeFileSync(idTokenFile, 'the-id-token\n')
  const asked: Record<string, string>[] = []
  const jag = {
    access_token: 'the-grant',
    token_type: 'N_A',
    issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
  }
  const provider = await issuing([], params => {
    asked.push(params)
    return params['subject_token'] === 'the-id-token' ? jag : { error: 'invalid_grant' }
  })
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const given: Record<string, string>[] = []
  const issuer: string = await issuing(
    [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }],
    async params => {
      given.push(params)
      if (params['assertion'] !== 'the-grant') return { error: 'invalid_grant' }
      const jwt = new SignJWT({ scope: 'read' }).setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' })
      const signed = jwt.setIssuer(issuer).setSubject('the organisation').setAudience(String(params['resource']))
      return {
        access_token: await signed.setExpirationTime('1h').sign(privateKey),
        token_type: 'Bearer',
        expires_in: 3600,
      }
    },
  )
  const whoami = tool({ name: 'whoami', readOnly: true }, (_, ctx) => String(ctx.principal?.claims?.sub))
  const server = createServer({ name: 'far', version: '1', log: () => {} }).add(whoami)
  const far = await serveHttp(server, { port: 0, authenticator: resourceServer({ issuers: [{ issuer }] }) })
  later(() => far.close())
  const auth = {
    grant: 'enterprise',
    clientId: 'here',
    clientSecret: 'secret here',
    scopes: ['read'],
    provider: { issuer: provider, clientId: 'there', clientSecret: 'secret there' },
    idTokenFile,
  }
  const world = await startGateway({ far: { url: `${far.url}/mcp`, auth } }, true)
  // On a busy machine the server may be starting for longer than a call waits.
  await world.gateway.servers.get('far')?.refresh()
  const whoIs = async (who: 'ada' | 'bob'): Promise<string> =>
    textOf(await (await clientAt(world, { who })).callTool('far__whoami'))
  expect(await whoIs('ada')).toBe('the organisation')
  expect(await whoIs('bob')).toBe('the organisation')
  expect(asked).toEqual([
    expect.objectContaining({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      audience: issuer,
      resource: `${far.url}/mcp`,
    }),
  ])
  expect(given).toEqual([expect.objectContaining({ assertion: 'the-grant', resource: `${far.url}/mcp` })])
  expect(JSON.stringify(given), 'the ID token is for the provider alone').not.toContain('the-id-token')
})
