/**
 * Runs every client scenario of the official suite against our client: each in all revisions it is about, extensions
 * included. A scenario that checks nothing counts as failed.
 *
 *   node conformance/client/run.js [--scenario S] [--jobs N]
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const runner = new URL('../runner/', import.meta.url)
const entry = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', runner))
const client = `${process.execPath} ${fileURLToPath(new URL('main.js', import.meta.url))}`
const { values } = parseArgs({ options: { scenario: { type: 'string' }, jobs: { type: 'string', default: '2' } } })

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

/** Each scenario with each revision it is about; an extension has none of its own. */
async function listRuns() {
  const { text } = await suite('list', '--client')
  const rows = [...text.matchAll(/^ +- (\S+) \[(.+)\]$/gm)]
  return rows.flatMap(([, scenario, versions]) => versions.split(',').map(version => ({ scenario, version })))
}

async function run({ scenario, version }) {
  const pinned = version === 'extension' ? [] : ['--spec-version', version]
  const { code, text } = await suite('client', '--command', client, '--scenario', scenario, ...pinned)
  const [, passed = '0', checks = '?'] = /Passed: (\d+)\/(\d+)/.exec(text) ?? []
  const isPassed = code === 0 && text.includes('OVERALL: PASSED') && Number(passed) > 0
  console.log(`${isPassed ? 'pass' : 'FAIL'}  ${version.padEnd(10)}  ${scenario}  ${passed}/${checks}`)
  if (!isPassed) console.log(text)
  return isPassed
}

const runs = (await listRuns()).filter(({ scenario }) => values.scenario === undefined || scenario === values.scenario)
const waiting = runs.values()
const results = []
const worker = async () => {
  for (const next of waiting) results.push(await run(next))
}
await Promise.all(Array.from({ length: Number(values.jobs) || 1 }, worker))
const passed = results.filter(isPassed => isPassed).length
console.log(`${passed} of ${runs.length} runs passed`)
process.exitCode = passed === runs.length && passed > 0 ? 0 : 1
