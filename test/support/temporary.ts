import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Everything that tests leave in the temporary folder is in one folder, which is gone after all of them. */
export function setup(): () => void {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'cw-'))
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
