// Runs what the packs only quote or make: each check is skipped, and says why, where what it needs is missing.
import { spawnSync } from 'node:child_process'
import { checks as threats } from './verify-threats.js'
import { checks as toolkit } from './verify-toolkit.js'

const isInstalled = program => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined

let failed = 0
for (const { name, needs, whyNot, run } of [...toolkit, ...threats]) {
  const missing = needs.filter(program => !isInstalled(program))
  const reason = missing.length > 0 ? `not installed: ${missing.join(', ')}` : await whyNot?.()
  if (reason) {
    console.log(`skipped: ${name} (${reason})`)
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
