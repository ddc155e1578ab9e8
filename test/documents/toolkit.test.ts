import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { BINARY } from '../support/spawned.ts'
import { playDocument } from './play.ts'
import { toolkit } from './toolkit.ts'

const root = mkdtempSync(join(tmpdir(), 'causeway-toolkit-'))
mkdirSync(join(root, 'src'))
writeFileSync(
  join(root, 'src', 'main.rs'),
  'fn main() { run(1); }\nfn run(n: i32) -> i32 {\n  if n > 1 { return 1 }\n  if n < 0 { return 2 }\n  n\n}\n',
)
mkdirSync(join(root, 'python'))
// Its condition decides, its loop does not.
writeFileSync(join(root, 'python', 'a.py'), 'def f(xs):\n    return [x for x in xs if x]\n')
afterAll(() => rmSync(root, { recursive: true, force: true }))

const COMMAND = [BINARY, 'serve', '--preset', 'toolkit', '--root', root]

playDocument({
  ...toolkit,
  // Broken: the analysis is cut off before it can begin.
  command: isBroken => [...COMMAND, ...(isBroken ? ['--timeout', '1ms'] : [])],
})
