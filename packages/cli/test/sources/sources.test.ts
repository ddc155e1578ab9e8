import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@causeway/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import { readArgs } from '../../src/config/args.ts'
import { readConfig } from '../../src/config/config.ts'
import { assemble } from '../../src/serve/assemble.ts'
import { runHere } from '../support/here.ts'

const folder = (): string => mkdtempSync(join(tmpdir(), 'sources-'))
const operation = (id: string, tags: readonly string[]): object => ({ operationId: id, tags, responses: {} })
const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Pets' },
  servers: [{ url: '/v1' }],
  paths: {
    '/pets': { get: operation('listPets', ['pets']), post: operation('createPet', ['pets']) },
    '/x': { get: operation('x', []) },
  },
})

async function startApi(): Promise<string> {
  const http = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(url === '/openapi.json' ? DOCUMENT : JSON.stringify({ url }))
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void http.close())
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/openapi.json`
}

const served = async (...flags: readonly string[]) =>
  connect(await assemble(readConfig(readArgs(['--log-level', 'silent', ...flags]), {})))
const serving = (...flags: readonly string[]) => served('--pack', 'none', ...flags)
const names = async (...flags: readonly string[]): Promise<string[]> =>
  ((await (await serving(...flags)).request('tools/list')).tools as { name: string }[])
    .map(({ name }) => name)
    .filter(name => name !== 'read_result')

test('--openapi serves what only reads, and what the filters choose', async () => {
  const url = await startApi()
  expect(await (await serving('--openapi', url)).call('listPets')).toEqual({ url: '/v1/pets' })
  expect(await names('--openapi', url)).toEqual(['listPets', 'x'])
  expect(await names('--openapi', url, '--openapi-method', 'all', '--openapi-tag', 'pets')).toEqual([
    'listPets',
    'createPet',
  ])
  expect(await names('--openapi', url, '--openapi-method', 'all', '--read-only')).toEqual(['listPets', 'x'])
  expect(await names('--openapi', url, '--openapi-path', '/x')).toEqual(['x'])
  expect(await names('--openapi', url, '--tools', 'list*')).toEqual(['listPets'])
})

test('--openapi says in words what is wrong', async () => {
  const file = join(folder(), 'api.json')
  writeFileSync(file, DOCUMENT)
  const said = async (...flags: readonly string[]): Promise<string> =>
    (await runHere(['list', '--pack', 'none', ...flags])).stderr
  expect(await said('--openapi', file)).toContain(
    'The document does not say where the API is ("/v1" is not a whole URL): name the address of the API with --openapi-base URL',
  )
  const base = ['--openapi', file, '--openapi-base', 'http://127.0.0.1:1']
  expect(await said(...base, '--openapi-method', 'delete')).toContain('no operation of it becomes a tool')
  expect(await said(...base, '--openapi-method', 'fetch')).toContain('get, head, post')
  expect(await said(...base, '--openapi-tag', 'pet')).toContain("Did you mean 'pets'?")
  expect(await said(...base, '--tools', 'listPet')).toContain("Did you mean 'listPets'?")
  expect(await said('--openapi', `${file}.none`)).toContain('ENOENT')
})

test('--scripts serves scripts, and reads them again when they change; file tools leave them alone', async () => {
  const root = folder()
  const file = join(root, 'hello.sh')
  const write = (name: string): void => {
    writeFileSync(file, `#!/bin/sh\n# @tool ${name}\n# @readOnly\necho ${name}`)
    chmodSync(file, 0o755)
  }
  write('hello')
  const client = await served('--scripts', root, '--root', root, '--pack', 'workstation', '--data', folder())
  expect(await client.call('hello')).toBe('hello\n')
  await expect(client.call('edit_file', { path: file, edits: [{ oldText: 'echo', newText: 'rm' }] })).rejects.toThrow(
    'hello.sh',
  )
  expect(readFileSync(file, 'utf8')).toContain('echo hello')
  write('goodbye')
  await expect.poll(() => client.call('goodbye').catch(() => 'not yet')).toBe('goodbye\n')
  await expect(client.call('hello')).rejects.toThrow('Unknown tool: hello')
  expect((await runHere(['list', '--pack', 'none', '--scripts', join(root, 'none')])).stderr).toContain(
    '--scripts cannot be served',
  )
})
