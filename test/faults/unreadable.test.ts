import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Spawned } from '../support/spawned.ts'

const NOBODY = 65_534
// To root every folder is readable, so root runs the server as nobody, where it can; without setpriv this is not run.
const isRoot = process.getuid?.() === 0
const AS_NOBODY = `exec setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups "$0" "$@"`
const canLeave = spawnSync('sh', ['-c', AS_NOBODY, process.execPath, '--version']).status === 0

test.skipIf(isRoot && !canLeave)('a folder that may not be read is told of, and the rest is served', async () => {
  const root = mkdtempSync(join(tmpdir(), 'causeway-unreadable-'))
  const locked = join(root, 'locked')
  onTestFinished(() => {
    chmodSync(locked, 0o700)
    rmSync(root, { recursive: true, force: true })
  })
  mkdirSync(locked)
  writeFileSync(join(locked, 'a.txt'), 'needle\n')
  writeFileSync(join(root, 'b.txt'), 'needle\n')
  if (isRoot) for (const path of [root, locked, join(locked, 'a.txt')]) chownSync(path, NOBODY, NOBODY)
  chmodSync(locked, 0o000)
  const server = new Spawned(
    ['serve', '--stdio', '--preset', 'workstation', '--root', root],
    isRoot ? { limits: AS_NOBODY } : {},
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
