// Executes the steps of the Dockerfile in plain folders, and starts what comes out in both eras.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executeStages, stagesOf } from './release/dockerfile.js'
import { handshakes } from './release/handshakes.js'
import { root } from './release/packages.js'

const folder = mkdtempSync(join(tmpdir(), 'causeway-image-'))
try {
  const stages = stagesOf(readFileSync(join(root, 'Dockerfile'), 'utf8'))
  const image = executeStages(stages, { context: root, folder })
  const [command, ...args] = image.entry
  for (const line of await handshakes(command, [...args, 'serve', '--stdio'], image.folder)) console.log(line)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
