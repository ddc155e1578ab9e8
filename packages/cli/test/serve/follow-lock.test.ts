import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from '@causeway/engine'
import { formatLock, lockedFrom } from '@causeway/gateway'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ROOT } from '../../../../test/support/spawned.ts'
import { readArgs } from '../../src/config/args.ts'
import { readConfig } from '../../src/config/config.ts'
import { serveGateway } from '../../src/serve/serve-gateway.ts'

test('a lock that is written while serving is followed; one that cannot be read changes nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-follow-'))
  const file = join(folder, 'servers.json')
  const entry = { command: process.execPath, args: [`${ROOT}test/support/upstreams/plain.js`] }
  writeFileSync(file, JSON.stringify({ mcpServers: { up: entry } }))
  const logged: string[] = []
  const server = createServer({ name: 'x', version: '1', log: (_, message) => void logged.push(message) })
  const config = readConfig(readArgs(['serve', '--servers', file, '--data', folder]))
  const served = await serveGateway(server, () => config)
  onTestFinished(() => served.close())
  served.start()
  await served.loaded()
  const upstream = served.gateway.servers.get('up')
  if (!upstream?.lists) throw new Error('no lists')
  const names = async (): Promise<unknown[]> => (await server.listed('tool')).map(({ name }) => name)
  expect(await names()).toEqual(['up__echo'])
  const lock = (lists: typeof upstream.lists): void =>
    writeFileSync(join(folder, 'mcp.lock'), formatLock({ up: lockedFrom(upstream.config, lists) }))
  lock({ ...upstream.lists, tools: [] })
  await vi.waitFor(async () => expect(await names()).toEqual([]), 10_000)
  lock(upstream.lists)
  await vi.waitFor(async () => expect(await names()).toEqual(['up__echo']), 10_000)
  writeFileSync(join(folder, 'mcp.lock'), 'broken')
  await vi.waitFor(() => expect(logged.join('\n')).toContain('mcp.lock cannot be used'), 10_000)
  expect(await names()).toEqual(['up__echo'])
})
