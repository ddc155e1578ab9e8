import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHere } from '../support/here.ts'

const fileOf = (mcpServers: object): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'causeway-servers-')), 'mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers }))
  return file
}

test('servers list shows entries that cannot be used as such, and ends with 4', async () => {
  const servers = {
    good: { command: 'node' },
    unset: { command: 'node', env: { KEY: '${CAUSEWAY_TEST_NEVER_SET}' } },
    wrong: { command: 'node', prefix: 'a__b' },
  }
  const { code, stdout } = await runHere(`servers list --servers ${fileOf(servers)}`)
  expect(code).toBe(4)
  expect(stdout).toMatch(/good +stdio {2}node/)
  expect(stdout).toMatch(/unset +cannot be used: .*CAUSEWAY_TEST_NEVER_SET/)
  expect(stdout).toMatch(/wrong +cannot be used: 'prefix'/)
})

test('servers list ends with 0 where every entry can be used', async () => {
  const { code, stderr } = await runHere(`servers list --servers ${fileOf({ good: { command: 'node' } })}`)
  expect([code, stderr]).toEqual([0, ''])
})
