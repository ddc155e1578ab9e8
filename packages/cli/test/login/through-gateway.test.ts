import { LOCAL_PRINCIPAL } from '@causeway/gateway'
import { expect, onTestFinished, test } from 'vitest'
import { LOCAL_PRINCIPAL as OWN, openCredentials } from '../../src/login/open-credentials.ts'
import { runHere } from '../support/here.ts'
import { newPlace, protectedServer, runWithPerson } from './protected-server.ts'

test('a login of the command line is used and refreshed by a gateway', async () => {
  expect(OWN).toBe(LOCAL_PRINCIPAL)
  const far = await protectedServer()
  onTestFinished(() => far.close())
  const { data, file } = newPlace(far.url)
  const places = ['--servers', file, '--data', data]
  const login = ['login', 'far', '--no-browser', ...places]
  expect(await runWithPerson(login, async link => fetch(await far.issuer.logIn(link)))).toMatchObject({ code: 0 })
  const store = openCredentials({ data, keyFile: undefined }, undefined)
  const key = { kind: 'tokens', principal: OWN, server: far.url } as const
  const first = await store.get(key)
  if (!first) throw new Error('no login')
  await store.set(key, { ...first, obtainedAt: 0, expiresAt: Date.now() - 1 })
  const call = ['call', 'far__whoami', '--pack', 'none', '--log-level', 'silent', ...places]
  expect(await runHere(call)).toMatchObject({ code: 0, stdout: 'ada\n' })
  expect((await store.get(key))?.accessToken).not.toBe(first.accessToken)
  const { stdout } = await runHere(['servers', 'status', ...places])
  expect(stdout).toMatch(/^far +running .*, 1 tool\n +default is logged in at /)
})

test('a tool of a server that was never listed, since it needs a login, is exit code 7 with the command to run', async () => {
  const far = await protectedServer()
  onTestFinished(() => far.close())
  const { data, file } = newPlace(far.url)
  const places = ['--pack', 'none', '--log-level', 'silent', '--servers', file, '--data', data]
  const words = 'far requires a login. Log in with: causeway login far'
  for (const command of ['call', 'describe'])
    expect(await runHere([command, 'far__whoami', ...places])).toMatchObject({
      code: 7,
      stderr: expect.stringContaining(words),
    })
  expect(await runHere(['call', 'near__whoami', ...places])).toMatchObject({ code: 2 })
})
