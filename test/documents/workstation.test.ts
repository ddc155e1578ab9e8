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
writeFileSync(join(root, 'lines.txt'), 'a line\n'.repeat(5000))
writeFileSync(join(root, 'long.json'), JSON.stringify({ text: 'x'.repeat(5000) }))
mkdirSync(join(root, 'unborn'))
writeFileSync(join(root, 'unborn', 'a.txt'), 'new\n')
execFileSync('git', ['init', '-q', join(root, 'unborn')])
afterAll(() => rmSync(root, { recursive: true, force: true }))

const COMMAND = [BINARY, 'serve', '--preset', 'workstation', '--root', root, '--allow-command', '*']

playDocument({
  ...workstation,
  command: isBroken => [...COMMAND, ...(isBroken ? ['--timeout', '200ms'] : [])],
})
