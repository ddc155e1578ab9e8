// Runs what the packs only quote or make: each check is skipped, and says so, where a program it needs is missing.
import { spawnSync } from 'node:child_process'
import { checks as threats } from './verify-threats.js'
import { checks as toolkit } from './verify-toolkit.js'

const isInstalled = program => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined

let failed = 0
for (const { name, needs, run } of [...toolkit, ...threats]) {
  const missing = needs.filter(program => !isInstalled(program))
  if (missing.length > 0) {
    console.log(`skipped: ${name} (not installed: ${missing.join(', ')})`)
    continue
  }
  try {
    console.log(`ok: ${name}: ${await run()}`)
  } catch (error) {
    failed += 1
    console.log(`FAILED: ${name}: ${error.message}`)
  }
}
process.exitCode = failed === 0 ? 0 : 1
