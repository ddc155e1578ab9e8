/**
 * Runs the official suite's client scenarios that need no authorization against our client.
 *
 *   node conformance/client/run.js [--scenario S]
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const SCENARIOS = {
  initialize: ['2025-06-18', '2025-11-25'],
  tools_call: ['2025-06-18', '2025-11-25', '2026-07-28'],
  'elicitation-sep1034-client-defaults': ['2025-11-25'],
  'sse-retry': ['2025-11-25'],
  'request-metadata': ['2026-07-28'],
  'sep-2322-client-request-state': ['2026-07-28'],
  'http-standard-headers': ['2026-07-28'],
  'http-custom-headers': ['2026-07-28'],
  'http-invalid-tool-headers': ['2026-07-28'],
  'json-schema-ref-no-deref': ['2026-07-28'],
  'json-schema-2020-12-preservation': ['2025-11-25', '2026-07-28'],
}

const runner = new URL('../runner/', import.meta.url)
const entry = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', runner))
const client = `${process.execPath} ${fileURLToPath(new URL('main.js', import.meta.url))}`
const { scenario: only } = parseArgs({ options: { scenario: { type: 'string' } } }).values

if (!existsSync(entry)) {
  console.error('The official suite is not installed: npm ci --prefix conformance/runner')
  process.exit(1)
}

/** One scenario in one revision: what the suite printed, and whether it was content. */
function run(scenario, version) {
  const shim = new URL('node20-shim.mjs', runner).href
  const args = [
    '--import',
    shim,
    entry,
    'client',
    '--command',
    client,
    '--scenario',
    scenario,
    '--spec-version',
    version,
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (text += chunk))
  return new Promise(resolve => {
    child.once('close', code => resolve({ passed: code === 0 && text.includes('OVERALL: PASSED'), text }))
  })
}

let failures = 0
for (const [scenario, versions] of Object.entries(SCENARIOS)) {
  if (only !== undefined && scenario !== only) continue
  for (const version of versions) {
    const { passed, text } = await run(scenario, version)
    const [, checks = '?'] = /Passed: (\d+\/\d+)/.exec(text) ?? []
    console.log(`${passed ? 'pass' : 'FAIL'}  ${version}  ${scenario}  ${checks}`)
    if (passed) continue
    failures += 1
    console.log(text)
  }
}
process.exitCode = failures === 0 ? 0 : 1
