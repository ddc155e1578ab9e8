import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { BINARY } from '../support/spawned.ts'
import { playDocument } from './play.ts'
import { workstation } from './workstation.ts'

const root = mkdtempSync(join(tmpdir(), 'causeway-workstation-'))
writeFileSync(join(root, 'a.txt'), 'hello\n')
mkdirSync(join(root, 'unborn'))
execFileSync('git', ['init', '-q', join(root, 'unborn')])
afterAll(() => rmSync(root, { recursive: true, force: true }))

const COMMAND = [BINARY, 'serve', '--preset', 'workstation', '--root', root, '--allow-command', '*']

playDocument({
  ...workstation,
  command: isBroken => [...COMMAND, ...(isBroken ? ['--timeout', '200ms'] : [])],
})
