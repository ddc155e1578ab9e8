import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RemoteServer, memoryTransport } from '@causeway/engine/client'
import type { ServerChange } from '@causeway/engine/client'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { upstreamScript } from '../../../../../test/support/upstream-script.ts'
import { readArgs } from '../../../src/config/args.ts'
import { readConfig } from '../../../src/config/config.ts'
import { assembly } from '../../../src/serve/assemble.ts'
import type { Assembly } from '../../../src/serve/assemble.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

interface World {
  readonly assembled: Assembly
  readonly client: RemoteServer
  readonly changes: ServerChange[]
  /** Write the file, and read it again. */
  change(content: object | string): Promise<void>
  names(): Promise<unknown[]>
  /** What the log says, as lines. */
  readonly said: string[]
}

const folder = mkdtempSync(join(tmpdir(), 'causeway-reload-'))
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0

async function world(content: object, ...flags: string[]): Promise<World> {
  const file = join(folder, `${++count}.json`)
  const write = (text: object | string): void =>
    writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text))
  write(content)
  const said: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation(text => {
    said.push(String(text))
    return true
  })
  const config = readConfig(readArgs(['serve', '--config', file, '--data', folder, '--search', 'off', ...flags]), {})
  const assembled = await assembly(config)
  assembled.gateway?.start()
  const changes: ServerChange[] = []
  const client = await RemoteServer.connect(
    { open: () => memoryTransport(assembled.server, { strict: false }) },
    { client: { name: 'near', version: '1' }, onChange: change => changes.push(change) },
  )
  cleanups.push(
    () => spy.mockRestore(),
    () => assembled.gateway?.close(),
    () => client.close(),
  )
  return {
    assembled,
    client,
    changes,
    said,
    names: async () => (await client.list('tools/list')).map(({ name }) => name),
    change: async text => {
      write(text)
      await assembled.reloader.reload()
    },
  }
}

test('tools come and go with list_changed, and what was called goes on', async () => {
  const { client, changes, change, names } = await world({ pack: 'basics' })
  expect(await names()).toContain('multiply_numbers')
  await change({ pack: 'basics', 'exclude-tools': 'multiply_*' })
  expect(await names()).not.toContain('multiply_numbers')
  await vi.waitFor(() => expect(changes).toContainEqual({ list: 'tools' }))
  await change({ pack: ['basics', 'threats'], 'read-only': true })
  expect(await names()).toEqual(expect.arrayContaining(['multiply_numbers', 'tmkb_query']))
  await change({ pack: 'threats' })
  expect(await names()).not.toContain('multiply_numbers')
  await expect(client.request('tools/call', { name: 'add_numbers', arguments: {} })).rejects.toThrow('Unknown tool')
})

test('rights hold at once', async () => {
  const { change, names } = await world({ pack: 'basics' })
  await change({ pack: 'basics', rights: [{ who: ['*'], allow: { tools: ['add_*'] } }] })
  expect(await names()).toEqual(['add_numbers'])
  await change({ pack: 'basics', rights: [] })
  expect(await names()).toEqual([])
})

test('servers come and go, in the file itself', async () => {
  const list = join(folder, 'list.json')
  writeFileSync(list, JSON.stringify([{ name: 'look', inputSchema: { type: 'object' } }]))
  const up = { command: process.execPath, args: [upstreamScript('plain'), '--tools', list] }
  const { change, names, assembled } = await world({ pack: 'basics' })
  await change({ pack: 'basics', servers: { up } })
  await vi.waitFor(async () => expect(await names()).toContain('up__look'))
  await change({ pack: 'basics', servers: { up }, 'read-only': true })
  await vi.waitFor(async () => expect(await names()).not.toContain('up__look'))
  await change({ pack: 'basics' })
  expect([...(assembled.gateway?.gateway.servers.keys() ?? [])]).toEqual([])
})

test('a file that cannot be used changes nothing, and is named; so is what needs a restart', async () => {
  const { change, names, said } = await world({ pack: 'basics' })
  const before = await names()
  for (const broken of [
    '{',
    { pack: 'basic' },
    { pack: 'threats', rights: 1 },
    { pack: 'threats', tools: 'no_such' },
  ]) {
    await change(broken)
    expect(await names()).toEqual(before)
    expect(said.at(-1)).toContain('the configuration cannot be used; everything stays as it was')
  }
  await change({ pack: 'threats', timeout: '5s', port: 1 })
  expect(await names()).not.toEqual(before)
  expect(said.at(-1)).toMatch(/need a restart to change.*\["port","timeout"\]/)
})

test('under load no call is lost', async () => {
  const { client, change } = await world({ pack: 'basics' })
  const over = new AbortController()
  let calls = 0
  const load = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const sum = { number1: ++calls, number2: 1 }
      const result = await client.request('tools/call', { name: 'add_numbers', arguments: sum })
      expect(JSON.stringify(result)).toContain(String(sum.number1 + 1))
    }
  }
  const loads = Promise.all(Array.from({ length: 8 }, load))
  for (let i = 0; i < 12; i++) {
    const pack = i % 2 === 0 ? ['threats', 'basics'] : ['basics']
    await change({ pack, rights: [{ who: ['*'], allow: { tools: [`add_*`, `x${i}`] } }], 'read-only': i % 3 === 0 })
  }
  over.abort()
  await loads
  expect(calls).toBeGreaterThan(100)
})
