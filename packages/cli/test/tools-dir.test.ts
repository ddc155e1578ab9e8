import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@causeway/engine'
import { afterAll, expect, test } from 'vitest'
import { Spawned } from '../../../test/support/spawned.ts'
import { readArgs } from '../src/args.ts'
import { assemble } from '../src/assemble.ts'
import { readConfig } from '../src/config.ts'

const FILES: Readonly<Record<string, string>> = {
  'a-default.mjs': `export default { kind: 'tool', name: 'first', readOnly: true, run: () => 'one' }`,
  'b-named.mjs': `
    export const second = { kind: 'tool', name: 'second', run: () => 'two' }
    export const several = [{ kind: 'prompt', name: 'hello', get: () => 'Hello' }]
    export const somethingElse = 5`,
  'c-broken.mjs': `throw new Error('on purpose')`,
  'd-empty.mjs': `export const nothing = 1`,
  'e-malformed.mjs': `export const bad = { kind: 'tool', name: 'bad', input: { type: 'objct' }, run: () => '' }`,
  'f-dotted.mjs': `export const dotted = { kind: 'tool', name: 'a.b', run: () => '' }`,
  'g-careless.mjs': `
    const left = () => void Promise.reject(new Error('nobody waited for me'))
    export const careless = { kind: 'tool', name: 'careless', run: () => (left(), 'done') }`,
  'notes.txt': 'not a module',
}

const folder = mkdtempSync(join(tmpdir(), 'causeway-tools-'))
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
afterAll(() => rmSync(folder, { recursive: true }))

const serving = (...flags: readonly string[]) =>
  assemble(readConfig(readArgs(['--preset', 'basics', '--log-level', 'silent', '--tools-dir', folder, ...flags]), {}))

const names = async (...flags: readonly string[]): Promise<unknown[]> =>
  (await serving(...flags)).listed('tool').map(({ name }) => name)

test('a folder of modules is served; what is broken is skipped', async () => {
  const server = await serving()
  expect(server.listed('tool').map(({ name }) => name)).toEqual(
    expect.arrayContaining(['add_numbers', 'first', 'second']),
  )
  expect(server.listed('tool').map(({ name }) => name)).not.toContain('bad')
  expect(server.listed('tool').map(({ name }) => name)).not.toContain('a.b')
  expect(server.listed('prompt').map(({ name }) => name)).toEqual(['hello'])
  expect(await connect(server).call('second')).toBe('two')
})

test('they are chosen, left out and kept from writing like any other', async () => {
  expect(await names('--tools', 'second')).toEqual(['second'])
  expect(await names('--exclude-tools', 'first')).not.toContain('first')
  expect(await names('--read-only')).toContain('first')
  expect(await names('--read-only')).not.toContain('second')
})

test('a tool that leaves a promise to fail harms nobody else', async () => {
  const spawned = new Spawned(['--preset', 'basics', '--tools-dir', folder])
  await spawned.greet()
  expect(await spawned.call(1, 'careless')).toMatchObject({ result: { content: [{ text: 'done' }] } })
  expect(await spawned.call(2, 'first')).toMatchObject({ result: { content: [{ text: 'one' }] } })
  expect(await spawned.end()).toEqual({ code: 0, signal: null })
  expect(spawned.stderr).toContain('nobody waited for me')
})

test('a folder that is not there is a mistake of the operator', async () => {
  const args = readArgs(['--preset', 'basics', '--tools-dir', '/no/such/folder'])
  await expect(assemble(readConfig(args, {}))).rejects.toThrow(/--tools-dir \/no\/such\/folder cannot be read/)
})
