/**
 * Runs the official conformance suite against our everything-server, once per revision the suite knows.
 *
 *   node conformance/run.js [--spec-version V]… [--scenario S] [--gateway] [--upstream V]
 *
 * With --gateway the server stands behind a gateway, which speaks V to it, or what both know.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { copyFile, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const versions = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
/** Scenarios of extensions, which the suite runs by their names alone. */
const extensionScenarios = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
  'sep-2640-skills-enumeration',
  'sep-2640-skills-manifest',
  'sep-2640-skills-directory',
]
/** The suite skips these, whatever a server does. */
const alwaysSkipped = ['tasks-status-notifications']
const startTimeout = 30_000
const stopTimeout = 5_000

const here = fileURLToPath(new URL('.', import.meta.url))
const runner = join(here, 'runner')
const runnerEntry = join(runner, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const serverEntry = join(here, 'everything/main.js')
const gatewayEntry = join(here, '../packages/cli/bin/causeway.js')

/** Children still running and the folder of results; whatever ends this process ends and removes them too. */
const children = new Set()
const results = mkdtempSync(join(tmpdir(), 'causeway-conformance-'))

function start(command, args, options) {
  const child = spawn(command, args, options)
  children.add(child)
  child.once('close', () => children.delete(child))
  return child
}

function cleanUp() {
  for (const child of children) child.kill('SIGKILL')
  rmSync(results, { recursive: true, force: true })
}

/** Resolves to the exit code; a child ended by a signal counts as failed. */
function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve(code ?? 1))
  })
}

async function modified(path) {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}

async function installRunner() {
  const installed = await modified(join(runner, 'node_modules/.package-lock.json'))
  if (installed > 0 && installed >= (await modified(join(runner, 'package-lock.json')))) return
  console.log('Installing the conformance runner…')
  // In a folder of its own, since several of these may run at once; the first one to finish puts it in place.
  const folder = await mkdtemp(join(runner, '.installing-'))
  try {
    for (const name of ['package.json', 'package-lock.json']) await copyFile(join(runner, name), join(folder, name))
    // Windows finds npm.cmd only through a shell.
    const npm = start('npm', ['ci'], { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' })
    if ((await ended(npm)) !== 0) throw new Error(`npm ci failed in ${folder}`)
    if (installed > 0) await rm(join(runner, 'node_modules'), { recursive: true, force: true })
    await rename(join(folder, 'node_modules'), join(runner, 'node_modules')).catch(unlessThere)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function unlessThere(error) {
  if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) throw error
}

/** A gateway in front of the server that is at that address. */
async function startGateway(url, revision) {
  const file = join(results, 'servers.json')
  const entry = { url, prefix: false, start: 'eager', ...(revision && { revision }) }
  await writeFile(file, JSON.stringify({ mcpServers: { everything: entry } }))
  const flags = ['serve', '--pack', 'none', '--http', '--port', '0', '--servers', file, '--data', results]
  const gateway = await startServer([gatewayEntry, ...flags, '--rate-limit', 'off'], 'stdout')
  // The suite looks at the lists at once.
  for (let tries = 0; tries < 100; tries++) {
    const { upstreams } = await (await fetch(new URL('/health/upstreams', gateway.url))).json()
    if (upstreams[0]?.tools > 0) return gateway
    await new Promise(resolve => void setTimeout(resolve, 100))
  }
  throw new Error('the gateway does not see the server')
}

/** Starts a server and resolves once it has named its address. */
function startServer(args = [serverEntry, '--port', '0'], says = 'stderr') {
  const server = start(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the server did not name its address in time')), startTimeout)
    const settle = (done, value) => {
      clearTimeout(timer)
      done(value)
    }
    server[says === 'stderr' ? 'stdout' : 'stderr'].resume()
    createInterface({ input: server[says] }).on('line', line => {
      console.error(line)
      const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(line)?.[0]
      if (url) settle(resolve, { server, url })
    })
    server.once('error', error => settle(reject, error))
    server.once('close', code => settle(reject, new Error(`the server ended with code ${code} before listening`)))
  })
}

async function stopServer(server) {
  if (server.exitCode !== null || server.signalCode !== null) return
  const timer = setTimeout(() => server.kill('SIGKILL'), stopTimeout)
  const end = ended(server)
  server.kill('SIGTERM')
  await end
  clearTimeout(timer)
}

function runnerArgs(url, version, scenario) {
  const choice = scenario ? ['--scenario', scenario] : ['--suite', 'all']
  return [
    '--import',
    new URL('runner/node20-shim.mjs', import.meta.url).href,
    runnerEntry,
    'server',
    '--url',
    url,
    ...(version ? ['--spec-version', version] : []),
    ...choice,
  ]
}

/** The checks of every scenario of one run, as the runner wrote them to its output folder. */
async function readChecks(folder) {
  const files = (await readdir(folder, { recursive: true })).filter(file => file.endsWith('checks.json')).sort()
  const scenarios = files.map(async file => {
    const scenario = file.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
    const checks = JSON.parse(await readFile(join(folder, file), 'utf8'))
    return checks.map(({ id, status, errorMessage, description }) => {
      return { scenario, id, status, message: errorMessage ?? description }
    })
  })
  return (await Promise.all(scenarios)).flat()
}

/** One run of the official runner: its exit code, what it printed, and its checks. */
async function runVersion(url, version, scenario) {
  const folder = await mkdtemp(join(results, `${version ?? scenario}-`))
  const args = [...runnerArgs(url, version, scenario), '--output-dir', folder]
  const child = start(process.execPath, args, { cwd: runner, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', text => (output += text))
  const code = await ended(child)
  return { version, code, output, checks: await readChecks(folder) }
}

function count(checks, status) {
  return checks.filter(check => check.status === status).length
}

function print({ version, code, output, checks }) {
  const summary = output.lastIndexOf('=== SUMMARY ===')
  console.log(`\n${version}`)
  console.log((summary < 0 ? output : output.slice(summary + '=== SUMMARY ==='.length)).trim())
  for (const check of checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')) {
    console.log(`  ${check.status} ${check.scenario} ${check.id}: ${check.message}`)
  }
  if (code !== 0) console.log(`  the runner ended with code ${code}`)
}

/** Runs the scenarios of extensions, all as one run; they wait most of their time. */
async function runExtensions(url, scenarios) {
  const runs = await Promise.all(scenarios.map(scenario => runVersion(url, undefined, scenario)))
  // A scenario of an extension that is not declared is skipped, and has passed nothing.
  const hasPassed = ({ code, checks }, i) =>
    code === 0 && (alwaysSkipped.includes(scenarios[i]) || checks.some(({ status }) => status === 'SUCCESS'))
  const passed = runs.map(hasPassed)
  const output = scenarios.map((scenario, i) => `${passed[i] ? '✓' : '✗'} ${scenario}`).join('\n')
  return { version: 'extensions', code: passed.every(Boolean) ? 0 : 1, output, checks: runs.flatMap(run => run.checks) }
}

/** Runs every asked-for revision, and the extensions if that is all of them, and tells whether all passed. */
async function runAll(url, { 'spec-version': asked = versions, scenario }) {
  const runs = []
  const add = run => {
    print(run)
    runs.push(run)
  }
  const isExtension = extensionScenarios.includes(scenario)
  if (!isExtension) for (const version of asked) add(await runVersion(url, version, scenario))
  if (isExtension) add(await runExtensions(url, [scenario]))
  else if (!scenario && asked.length === versions.length) add(await runExtensions(url, extensionScenarios))
  const checks = runs.flatMap(run => run.checks)
  const passed = count(checks, 'SUCCESS')
  console.log(`\n${passed} passed, ${count(checks, 'FAILURE')} failed`)
  // No check at all means that nothing was asked of the server: that proves nothing.
  return passed > 0 && runs.every(run => run.code === 0 && count(run.checks, 'SUCCESS') > 0)
}

function readOptions() {
  const options = {
    'spec-version': { type: 'string', multiple: true },
    scenario: { type: 'string' },
    gateway: { type: 'boolean' },
    upstream: { type: 'string' },
  }
  try {
    return parseArgs({ options }).values
  } catch (error) {
    console.error(
      `${error.message}\nusage: node conformance/run.js [--spec-version V]… [--scenario S] [--gateway] [--upstream V]`,
    )
    return process.exit(2)
  }
}

async function main() {
  const options = readOptions()
  await installRunner()
  const { server, url } = await startServer()
  const gateway = options.gateway ? await startGateway(url, options.upstream) : undefined
  try {
    return (await runAll(gateway?.url ?? url, options)) ? 0 : 1
  } finally {
    if (gateway) await stopServer(gateway.server)
    await stopServer(server)
  }
}

process.on('exit', cleanUp)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => process.exit(128 + constants.signals[signal]))
}

process.exit(
  await main().catch(error => {
    console.error(error.message)
    return 1
  }),
)
