import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { anchorAt } from '../../../src/observe/audit/anchor.ts'
import { AuditFile } from '../../../src/observe/audit/audit-file.ts'
import { needs } from '../../../../../test/support/needs.ts'

const UNIX = needs('named pipes', process.platform !== 'win32')

function pipe(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'audit-')), 'pipe')
  spawnSync('mkfifo', [file])
  return file
}

/** All that is in a pipe now. */
function drained(reader: number): string {
  const bytes = Buffer.alloc(1024 * 1024)
  return bytes.toString('utf8', 0, readSync(reader, bytes))
}

test('a pipe that nobody reads is refused at once', UNIX, () => {
  expect(() => new AuditFile(pipe(), { log: () => {}, node: 'here' })).toThrow('a pipe that no process reads')
  expect(() => anchorAt(pipe(), { log: () => {}, head: () => undefined })).toThrow('a pipe that no process reads')
})

test('a full pipe is not waited for; what it did not take is told when it is read again', UNIX, () => {
  const file = pipe()
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(reader))
  const lost: string[] = []
  const audit = new AuditFile(file, { log: (_level, message) => void lost.push(message), node: 'here' })
  for (let i = 0; i < 100; i++) audit.write({ time: 'x', request: i, text: 'x'.repeat(10_000) })
  expect(lost.length).toBeGreaterThan(50)
  const first = drained(reader)
  audit.write({ time: 'x', request: 'last' })
  audit.close()
  const lines = `${first}${drained(reader)}`.split('\n').filter(line => line !== '')
  const read = lines.flatMap(line => (line.endsWith('}') ? [JSON.parse(line) as Record<string, unknown>] : []))
  expect(read.at(-3)).toMatchObject({ audit: 'gap', lost: lost.length })
  expect(read.slice(-2)).toMatchObject([{ request: 'last' }, { audit: 'end' }])
})
