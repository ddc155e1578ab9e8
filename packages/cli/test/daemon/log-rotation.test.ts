import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cutLog } from '../../src/daemon/log-rotation.ts'

test('a log that is too large is copied and begun again, in the same file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-log-'))
  const file = join(folder, 'x.log')
  const descriptor = openSync(file, 'a')
  writeSync(descriptor, 'first\n')
  cutLog(file, descriptor)
  expect(readFileSync(file, 'utf8')).toBe('first\n')
  writeSync(descriptor, 'x'.repeat(1024 * 1024))
  cutLog(file, descriptor)
  writeSync(descriptor, 'second\n')
  expect(readFileSync(file, 'utf8')).toBe('second\n')
  expect(readFileSync(`${file}.1`, 'utf8')).toMatch(/^first\nx+$/)
  closeSync(descriptor)
  rmSync(folder, { recursive: true })
})
