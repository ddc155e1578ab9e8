import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@causeway/engine/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readArgs } from '../../src/config/args.ts'
import { readConfig } from '../../src/config/config.ts'
import { assemble } from '../../src/serve/assemble.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'causeway-operator-'))
  mkdirSync(join(root, 'conf/tools'), { recursive: true })
  writeFileSync(join(root, 'conf/servers.json'), '{"mcpServers":{}}')
  writeFileSync(join(root, 'conf/tokens'), '')
  writeFileSync(join(root, 'conf/causeway.json'), '{"read-only":"off"}')
  writeFileSync(join(root, 'note.txt'), 'a note')
  symlinkSync(join(root, 'conf/servers.json'), join(root, 'link.json'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

async function client() {
  const flags = [
    '--root',
    root,
    '--config',
    join(root, 'conf/causeway.json'),
    '--servers',
    join(root, 'conf/servers.json'),
  ]
  const more = [
    '--tools-dir',
    join(root, 'conf/tools'),
    '--token-file',
    join(root, 'conf/tokens'),
    '--data',
    join(root, 'state'),
  ]
  const audit = ['--audit', join(root, 'conf/audit.log')]
  return connect(await assemble(readConfig(readArgs(['serve', '--http', ...flags, ...more, ...audit]), {})))
}

const CONTENT = { content: 'changed' }

test.each([
  ['the file of servers', 'write_file', { path: 'conf/servers.json', ...CONTENT }],
  ['a link to it', 'write_file', { path: 'link.json', ...CONTENT }],
  ['the lock that is not there yet', 'write_file', { path: 'conf/mcp.lock', ...CONTENT }],
  ['the configuration', 'edit_file', { path: 'conf/causeway.json', edits: [{ oldText: 'off', newText: 'on' }] }],
  ['the tokens', 'delete_file', { path: 'conf/tokens' }],
  ['the audit', 'delete_file', { path: 'conf/audit.log' }],
  ['the key of stored logins', 'write_file', { path: 'state/credentials.key', ...CONTENT }],
  ['what is known of servers', 'create_directory', { path: 'state/gateway/x' }],
  ['a module that would be loaded', 'write_file', { path: 'conf/tools/mine.mjs', ...CONTENT }],
  ['a folder below the tools', 'create_directory', { path: 'conf/tools/more' }],
  ['a copy in their place', 'copy_file', { source: 'note.txt', destination: 'conf/mcp.lock' }],
  ['moving into their place', 'move_file', { source: 'note.txt', destination: 'conf/tools/mine.mjs' }],
  ['moving the folder that has them', 'move_file', { source: 'conf', destination: 'elsewhere' }],
  ['deleting the folder that has them', 'delete_directory', { path: 'conf', confirm: true }],
])('%s is left alone', async (_, name, args) => {
  const mcp = await client()
  const before = readFileSync(join(root, 'conf/servers.json'), 'utf8')
  await expect(mcp.call(name, args)).rejects.toThrow(/configures this server.*Only its operator/)
  expect(readFileSync(join(root, 'conf/servers.json'), 'utf8')).toBe(before)
  expect(existsSync(join(root, 'note.txt'))).toBe(true)
  mcp.close()
})

test('other files are written, and these are read', async () => {
  const mcp = await client()
  expect(await mcp.call('write_file', { path: 'conf/other.json', ...CONTENT })).toMatch(/Wrote 7 bytes/)
  expect(await mcp.call('read_file', { path: 'conf/servers.json' })).toMatch(/mcpServers/)
  mcp.close()
})

test('a link that stands for one of them is left alone too, and so is one on the way', async () => {
  mkdirSync(join(root, 'real'))
  writeFileSync(join(root, 'real/servers.json'), '{"mcpServers":{}}')
  symlinkSync(join(root, 'real'), join(root, 'current'))
  symlinkSync('conf/causeway.json', join(root, 'own.json'))
  const flags = ['--root', root, '--config', join(root, 'own.json'), '--servers', join(root, 'current/servers.json')]
  const mcp = connect(await assemble(readConfig(readArgs(['serve', ...flags]), {})))
  for (const [name, args] of [
    ['delete_file', { path: 'own.json' }],
    ['move_file', { source: 'own.json', destination: 'other.json' }],
    ['delete_file', { path: 'current' }],
    ['move_file', { source: 'current', destination: 'elsewhere' }],
    ['write_file', { path: 'current/servers.json', ...CONTENT }],
    ['write_file', { path: 'real/mcp.lock', ...CONTENT }],
    ['delete_file', { path: 'conf/causeway.json' }],
  ] as const)
    await expect(mcp.call(name, args)).rejects.toThrow(/configures this server.*Only its operator/)
  mcp.close()
})

test('a folder is not moved to where they will be', async () => {
  const mcp = await client()
  await mcp.call('write_file', { path: 'mine/gateway/lists.json', ...CONTENT })
  rmSync(join(root, 'state'), { recursive: true, force: true })
  await expect(mcp.call('move_file', { source: 'mine', destination: 'state' })).rejects.toThrow(
    /configures this server.*Only its operator/,
  )
  mcp.close()
})

test('an edit is not undone through a link that leads to them meanwhile', async () => {
  const mcp = await client()
  const before = readFileSync(join(root, 'conf/servers.json'), 'utf8')
  await mcp.call('write_file', { path: 'a/servers.json', ...CONTENT })
  await mcp.call('write_file', { path: 'a/servers.json', content: before })
  rmSync(join(root, 'a'), { recursive: true })
  symlinkSync('conf', join(root, 'a'))
  await expect(mcp.call('undo_edit')).rejects.toThrow(/configures this server.*Only its operator/)
  expect(readFileSync(join(root, 'conf/servers.json'), 'utf8')).toBe(before)
  mcp.close()
})
