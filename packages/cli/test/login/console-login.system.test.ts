import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { closeSharedBrowser, needsBrowser, open, sharedBrowser } from '../../../console/test/browser/browser.ts'
import { entryFor, startProtected } from '../../../gateway/test/logins/login-world.ts'
import { startAuthorizationServer } from '../../../../test/support/authorization-server.ts'
import { readArgs } from '../../src/config/args.ts'
import { readConfig } from '../../src/config/config.ts'
import { assembly } from '../../src/serve/assemble.ts'
import { listen } from '../../src/serve/listen-http.ts'

afterAll(closeSharedBrowser)

/** A gateway as the command line serves it, in front of a server that wants logins. */
async function served(): Promise<string> {
  const issuer = await startAuthorizationServer()
  const far = await startProtected(issuer)
  const folder = mkdtempSync(join(tmpdir(), 'causeway-console-login-'))
  const servers = join(folder, 'servers.json')
  writeFileSync(servers, JSON.stringify({ mcpServers: { far: entryFor(far) } }))
  const flags = [
    '--http',
    '--port',
    '0',
    '--pack',
    'none',
    '--log-level',
    'silent',
    '--servers',
    servers,
    '--data',
    folder,
  ]
  const config = readConfig(readArgs(['serve', ...flags]), {})
  const assembled = await assembly(config)
  const service = await listen({ ...assembled, store: undefined }, config)
  assembled.gateway?.start()
  onTestFinished(async () => {
    assembled.feed?.close()
    await service.close()
    await assembled.gateway?.close()
    await far.close()
    await issuer.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return service.url
}

describe('in a browser', needsBrowser, () => {
  test('the button of the console opens the page that logs in, and the server works from then on', async () => {
    const url = await served()
    const watched = await open(await sharedBrowser(), `${url}/#/servers`, {})
    const { page } = watched
    const card = page.getByRole('region', { name: 'far' })
    await card.getByText('needs a login', { exact: true }).waitFor()
    const opened = page.context().waitForEvent('page')
    await card.getByRole('button', { name: 'Log in to far' }).click()
    const login = await opened
    // The one user of this machine goes straight on, and the authorization server of the test asks nothing.
    await login.getByRole('heading', { name: 'You are logged in to far' }).waitFor()
    expect(new URL(login.url()).pathname).toBe('/login/callback')
    expect(await login.evaluate('window.opener')).toBeNull()
    await card.getByText('running', { exact: true }).waitFor()
    await watched.close()
  })
})
