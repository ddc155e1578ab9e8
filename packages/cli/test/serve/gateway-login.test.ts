import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RemoteServer, httpTransport } from '@causeway/engine/client'
import { newToken } from '@causeway/engine/http'
import { onTestFinished, test, expect } from 'vitest'
import { startAuthorizationServer } from '../../../../test/support/authorization-server.ts'
import { Spawned } from '../../../../test/support/spawned.ts'
import { browse, entryFor, linkIn, startProtected } from '../../../gateway/test/logins/login-world.ts'

test('a person logs in to a server behind a gateway that requires tokens', async () => {
  const issuer = await startAuthorizationServer()
  const far = await startProtected(issuer)
  const folder = mkdtempSync(join(tmpdir(), 'causeway-login-'))
  const [servers, tokens] = [join(folder, 'servers.json'), join(folder, 'tokens')]
  const { token, line } = newToken('ada', ['operator'])
  writeFileSync(servers, JSON.stringify({ mcpServers: { far: entryFor(far) } }))
  writeFileSync(tokens, `${line}\n`)
  const flags = ['--pack', 'basics', '--servers', servers, '--data', folder, '--token-file', tokens]
  const gateway = new Spawned(['serve', '--http', '--port', '0', '--console', 'off', ...flags])
  onTestFinished(async () => {
    gateway.process.kill('SIGTERM')
    await gateway.ended
    await far.close()
    await issuer.close()
  })
  const url = await gateway.until(() => /http:\/\/[\d.]+:\d+(?=\/mcp)/.exec(gateway.lines.join('\n'))?.[0])
  const headers = { authorization: `Bearer ${token}` }
  const client = await RemoteServer.connect(
    { open: () => httpTransport({ url: `${url}/mcp`, headers }) },
    { client: { name: 'near', version: '1' } },
  )
  onTestFinished(() => client.close())
  const call = (): Promise<string> =>
    client.callTool('far__whoami').then(JSON.stringify, (error: unknown) => String(error))
  const link = linkIn((await call()).replaceAll('\\"', ' '))
  expect(link).toContain(`${url}/login/`)
  const upstreams = async (): Promise<unknown> => (await fetch(`${url}/health/upstreams`, { headers })).json()
  expect(await upstreams()).toMatchObject({ upstreams: [{ name: 'far', state: 'login' }] })
  expect((await browse(issuer, link, token)).status).toBe(200)
  expect(await call()).toContain('ada')
  expect(await upstreams()).toMatchObject({ upstreams: [{ name: 'far', state: 'running' }] })
  const written = gateway.lines.join('\n')
  for (const secret of [token, link.split('/login/')[1] ?? '', 'eyJ']) expect(written).not.toContain(secret)
})
