import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { BINARY, Spawned } from '../support/spawned.ts'

// To root every folder is readable, so root starts the server without the capabilities that make it so: still its own
// user, since another may not be let into this clone.
const isRoot = process.getuid?.() === 0
const UNPRIVILEGED = 'exec setpriv --bounding-set=-dac_override,-dac_read_search "$0" "$@"'
const canLeave =
  !isRoot || spawnSync('sh', ['-c', UNPRIVILEGED, process.execPath, BINARY, '--version'], { cwd: '/' }).status === 0

test('a folder that may not be read is told of, and the rest is served', needs('setpriv', canLeave), async () => {
  const root = mkdtempSync(join(tmpdir(), 'causeway-unreadable-'))
  const locked = join(root, 'locked')
  onTestFinished(() => {
    chmodSync(locked, 0o700)
    rmSync(root, { recursive: true, force: true })
  })
  mkdirSync(locked)
  writeFileSync(join(locked, 'a.txt'), 'needle\n')
  writeFileSync(join(root, 'b.txt'), 'needle\n')
  chmodSync(locked, 0o000)
  const server = new Spawned(
    ['serve', '--stdio', '--preset', 'workstation', '--root', root],
    isRoot ? { limits: UNPRIVILEGED } : {},
  )
  onTestFinished(() => void server.process.kill('SIGKILL'))
  await server.initialize()
  const said = async (id: number, name: string, args: object): Promise<string> =>
    JSON.stringify(await server.call(id, name, args))
  expect(await said(1, 'read_file', { path: 'locked/a.txt' })).toContain('Permission denied')
  expect(await said(2, 'list_directory', { path: 'locked' })).toContain('Permission denied')
  expect(await said(3, 'search_files', { content: 'needle' })).toContain('b.txt')
  chmodSync(locked, 0o700)
  expect(await said(4, 'read_file', { path: 'locked/a.txt' })).toContain('needle')
  expect(await server.end()).toEqual({ code: 0, signal: null })
})
