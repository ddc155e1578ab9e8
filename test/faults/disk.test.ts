import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Spawned } from '../support/spawned.ts'
import type { Said } from '../support/spawned.ts'

// A limit on the size of files stands for a full disk, which would need a file system of our own.
const FULL = "trap '' XFSZ; ulimit -f 64"
const BIG = 'x'.repeat(200_000)

const words = ({ result, error }: Said): string => JSON.stringify(result ?? error)

test('a file that cannot be written whole stays as it was, and nothing is left beside it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'causeway-disk-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  writeFileSync(join(root, 'kept.txt'), 'before\n')
  const server = new Spawned(['serve', '--stdio', '--preset', 'workstation', '--root', root], { limits: FULL })
  onTestFinished(() => void server.process.kill('SIGKILL'))
  await server.initialize()
  const failed = [
    await server.call(1, 'write_file', { path: 'kept.txt', content: BIG }),
    await server.call(2, 'edit_file', { path: 'kept.txt', edits: [{ oldText: 'before', newText: BIG }] }),
    await server.call(3, 'write_file', { path: 'new.txt', content: BIG }),
  ]
  for (const said of failed) expect(words(said)).toMatch(/larger than the system allows: .*(kept|new)\.txt/)
  expect(readFileSync(join(root, 'kept.txt'), 'utf8')).toBe('before\n')
  expect(readdirSync(root)).toEqual(['kept.txt'])
  await server.call(4, 'write_file', { path: 'kept.txt', content: 'after\n' })
  expect(readFileSync(join(root, 'kept.txt'), 'utf8')).toBe('after\n')
  expect(await server.end()).toEqual({ code: 0, signal: null })
})
