import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { linesIn } from '../../../src/observe/audit/lines.ts'

test.each(['a pipe', 'a device', 'a folder'])('%s, which could be read without end, is no audit', kind => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-audit-'))
  const pipe = join(folder, 'pipe')
  if (kind === 'a pipe') spawnSync('mkfifo', [pipe])
  const file = kind === 'a pipe' ? pipe : kind === 'a device' ? '/dev/zero' : folder
  expect(() => [...linesIn(file)]).toThrow(`${file} cannot be read: it is not a regular file`)
})
