import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@causeway/engine/testing'
import { afterAll, expect, test } from 'vitest'
import { Spawned } from '../../../../test/support/spawned.ts'
import { readArgs } from '../../src/config/args.ts'
import { assemble } from '../../src/serve/assemble.ts'
import { readConfig } from '../../src/config/config.ts'

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
  'h-engine.mjs': `
    import { fault, tool } from '@causeway/engine'
    export const made = tool({ name: 'made', readOnly: true, input: { type: 'object', properties: { n: { type: 'integer' } } } },
      ({ n }) => { if (n === 0) throw fault('invalid-params', 'not zero'); return { n } })`,
  'i-http.mjs': `
    import { newToken } from '@causeway/engine/http'
    export const token = { kind: 'tool', name: 'token', readOnly: true, run: () => newToken('x').line }`,
  'k-missing.mjs': `import '@causeway/nothing'`,
  'l-types.ts': `export const typed: unknown = { kind: 'tool', name: 'typed', readOnly: true, run: () => 'typed' }`,
  'm-types.d.ts': `export declare const nothing: number`,
  'n-common.cjs': `module.exports = {}`,
  'o-text.mjs': `
    const schema = '{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}'
    export const text = { kind: 'tool', name: 'text_schema', input: schema, run: ({ word }) => word }`,
  'p-bad-text.mjs': `export const bad = { kind: 'tool', name: 'bad_text', input: '{"type":"object",', run: () => '' }`,
  'q-list-text.mjs': `export const bad = { kind: 'tool', name: 'list_text', input: '["type"]', run: () => '' }`,
  'r-null.mjs': `export const bad = { kind: 'tool', name: 'null_schema', input: null, run: () => '' }`,
  'notes.txt': 'not a module',
}

const folder = mkdtempSync(join(tmpdir(), 'causeway-tools-'))
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
const strayFolder = mkdtempSync(join(tmpdir(), 'causeway-stray-'))
writeFileSync(
  join(strayFolder, 'stray.mjs'),
  `void Promise.reject(new Error('rejected while loading'))
   export const stray = { kind: 'tool', name: 'stray', readOnly: true, run: () => 'still here' }`,
)
afterAll(() => {
  for (const made of [folder, strayFolder]) rmSync(made, { recursive: true })
})

const serving = (...flags: readonly string[]) =>
  assemble(readConfig(readArgs(['--preset', 'basics', '--log-level', 'silent', '--tools-dir', folder, ...flags]), {}))

const names = async (...flags: readonly string[]): Promise<unknown[]> =>
  (await (await serving(...flags)).listed('tool')).map(({ name }) => name)

test('a folder of modules is served; what is broken is skipped', async () => {
  const server = await serving()
  const tools = (await server.listed('tool')).map(({ name }) => name)
  expect(tools).toEqual(expect.arrayContaining(['add_numbers', 'first', 'second']))
  expect(tools).not.toContain('bad')
  expect(tools).not.toContain('a.b')
  expect((await server.listed('prompt')).map(({ name }) => name)).toEqual(['hello'])
  expect(await connect(server).call('second')).toBe('two')
})

test('a schema may be JSON text; a malformed one is a warning in words', async () => {
  const spawned = new Spawned(['--preset', 'basics', '--tools-dir', folder])
  await spawned.initialize()
  expect(await spawned.call(1, 'text_schema', { word: 'yes' })).toMatchObject({
    result: { content: [{ text: 'yes' }] },
  })
  expect(await spawned.call(2, 'text_schema', {})).toMatchObject({
    error: { code: -32602, message: expect.stringContaining("Missing required parameter 'word'") as string },
  })
  await spawned.end()
  const warnings = spawned.stderr.split('\n').filter(line => line.includes('skipped the tool'))
  expect(warnings.every(line => line.includes('"level":"warn"'))).toBe(true)
  expect(warnings.find(line => line.includes('bad_text'))).toMatch(
    /Tool 'bad_text', input schema: Malformed JSON Schema: the text is not JSON: /,
  )
  expect(warnings.find(line => line.includes('list_text'))).toContain('it must be an object or the JSON text of one')
  expect(spawned.stderr).not.toContain('~standard')
})

test('they are chosen, left out and kept from writing like any other', async () => {
  expect(await names('--tools', 'second')).toEqual(['second'])
  expect(await names('--exclude-tools', 'first')).not.toContain('first')
  expect(await names('--read-only')).toContain('first')
  expect(await names('--read-only')).not.toContain('second')
})

test('a tool that leaves a promise to fail harms nobody else', async () => {
  const spawned = new Spawned(['--preset', 'basics', '--tools-dir', folder])
  await spawned.initialize()
  expect(await spawned.call(1, 'careless')).toMatchObject({ result: { content: [{ text: 'done' }] } })
  expect(await spawned.call(2, 'first')).toMatchObject({ result: { content: [{ text: 'one' }] } })
  expect(await spawned.end()).toEqual({ code: 0, signal: null })
  expect(spawned.stderr).toContain('nobody waited for me')
})

test('modules import the engine without installing it', async () => {
  const spawned = new Spawned(['--preset', 'basics', '--tools-dir', folder])
  await spawned.initialize()
  expect(await spawned.call(1, 'made', { n: 5 })).toMatchObject({ result: { structuredContent: { n: 5 } } })
  // The very module that serves them, so that its errors are known for what they are.
  expect(await spawned.call(2, 'made', { n: 0 })).toMatchObject({
    error: { code: -32602, message: 'Invalid params: not zero' },
  })
  expect(await spawned.call(3, 'token')).toMatchObject({
    result: { content: [{ text: expect.stringMatching(/^x sha/) }] },
  })
  await spawned.end()
  expect(spawned.stderr).toMatch(/skipped [^"]*k-missing\.mjs","problem":"Cannot find package '@causeway\/nothing'/)
})

test('a promise that fails while a module loads ends nothing, and its file is named', async () => {
  for (const line of ['list', 'call stray', 'serve']) {
    const spawned = new Spawned([...line.split(' '), '--preset', 'basics', '--tools-dir', strayFolder])
    expect(await spawned.end()).toEqual({ code: 0, signal: null })
    const logged = spawned.stderr.split('\n').find(text => text.includes('rejected while loading')) ?? '{}'
    expect(JSON.parse(logged)).toMatchObject({ level: 'error', file: join(strayFolder, 'stray.mjs') })
  }
})

test('TypeScript is served; other code is named', async () => {
  const spawned = new Spawned(['list', '--preset', 'basics', '--tools-dir', folder])
  await spawned.end()
  expect(spawned.lines.join('\n')).toMatch(/^typed\b/m)
  expect(spawned.stderr).toMatch(/skipped [^"]*n-common\.cjs","problem":"\.cjs files are not loaded/)
  expect(spawned.stderr).not.toContain('m-types.d.ts')
  expect(spawned.stderr).not.toContain('notes.txt')
})

test('a folder that is not there is a mistake of the operator', async () => {
  const args = readArgs(['--preset', 'basics', '--tools-dir', '/no/such/folder'])
  await expect(assemble(readConfig(args, {}))).rejects.toThrow(/--tools-dir \/no\/such\/folder cannot be read/)
})
