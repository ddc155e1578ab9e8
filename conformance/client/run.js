/**
 * Runs every client scenario of the official suite against our client: each in all revisions it is about, extensions
 * included. A scenario that checks nothing counts as failed.
 *
 *   node conformance/client/run.js [--scenario S] [--each]
 *
 * One process of the suite runs all scenarios of a revision. With --each, every scenario has a process of its own, which
 * takes longer, prints what went wrong, and fails if the client ends with an error that the scenario does not allow.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const runner = new URL('../runner/', import.meta.url)
const entry = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', runner))
const client = `${process.execPath} ${fileURLToPath(new URL('main.js', import.meta.url))}`
const { scenario: only, each } = parseArgs({
  options: { scenario: { type: 'string' }, each: { type: 'boolean' } },
}).values

if (!existsSync(entry)) {
  console.error('The official suite is not installed: npm ci --prefix conformance/runner')
  process.exit(1)
}

/** The suite with these arguments: its exit code, and what it printed. */
function suite(...args) {
  const shim = new URL('node20-shim.mjs', runner).href
  const child = spawn(process.execPath, ['--import', shim, entry, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (text += chunk))
  return new Promise(resolve => void child.once('close', code => resolve({ code, text })))
}

const EXTENSION = 'extension'

/** Each revision, with the scenarios that are about it; extensions have none of their own. */
async function listScenarios() {
  const { text } = await suite('list', '--client')
  const byVersion = new Map()
  for (const [, scenario, versions] of text.matchAll(/^ +- (\S+) \[(.+)\]$/gm))
    for (const version of versions.split(','))
      if (only === undefined || scenario === only) byVersion.set(version, [...(byVersion.get(version) ?? []), scenario])
  return byVersion
}

const versionFlags = version => (version === EXTENSION ? [] : ['--spec-version', version])

/** All scenarios of a revision in one process: the number of checks that each passed, if it passed. */
async function runTogether(version) {
  const name = version === EXTENSION ? 'extensions' : 'all'
  const { text } = await suite('client', '--command', client, '--suite', name, ...versionFlags(version))
  return new Map(
    [...text.matchAll(/^✓ (\S+): (\d+) passed, 0 failed$/gm)].map(([, scenario, n]) => [scenario, Number(n)]),
  )
}

/** One scenario: the number of checks that it passed, if all are. */
async function runAlone(version, scenario) {
  const { code, text } = await suite('client', '--command', client, '--scenario', scenario, ...versionFlags(version))
  const [, passed = '0'] = /Passed: (\d+)\//.exec(text) ?? []
  if (code === 0 && text.includes('OVERALL: PASSED')) return Number(passed)
  console.log(text)
  return 0
}

let [passed, total] = [0, 0]
for (const [version, scenarios] of await listScenarios()) {
  const together = each || only !== undefined ? new Map() : await runTogether(version)
  for (const scenario of scenarios) {
    const checks = together.get(scenario) ?? (await runAlone(version, scenario))
    total += 1
    if (checks > 0) passed += 1
    console.log(`${checks > 0 ? 'pass' : 'FAIL'}  ${version.padEnd(10)}  ${scenario}  ${checks}`)
  }
}
console.log(`${passed} of ${total} runs passed`)
process.exitCode = passed === total && passed > 0 ? 0 : 1
