// Attacks the code samples of the threat patterns, each in its own framework: the attack must fail on the secure code
// and work on the same code without its protection, and what the code is for must work in both.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { loadExpress } from '../packages/packs/test/threats/samples/express-host.js'
import { pythonHost } from '../packages/packs/test/threats/samples/python-host.js'
import { rows } from '../packages/packs/test/threats/samples/rows.js'
import { scenarios } from '../packages/packs/test/threats/samples/scenarios.js'

const run = promisify(execFile)
const samples = new URL('../packages/packs/src/threats/patterns/samples/', import.meta.url)
const hosts = new URL('../packages/packs/test/threats/samples/', import.meta.url)
const FRAMEWORKS = ['flask', 'fastapi', 'django']
const LONGEST_INSTALL = 300_000

/** What verify:samples runs for the threat patterns; `needs` names programs, `whyNot` says why it cannot run. */
export const checks = [
  { name: 'threat patterns in Express', needs: [], run: express },
  { name: 'threat patterns in Flask, FastAPI and Django', needs: ['python3'], whyNot: withoutFrameworks, run: python },
]

/** Every sample of the frameworks, secure and with its protection taken away. */
async function samplesOf(frameworks) {
  const files = (await readdir(samples)).sort()
  const read = await Promise.all(files.map(async file => parse(await readFile(new URL(file, samples), 'utf8'))))
  return read.flatMap(Object.entries).flatMap(([key, { about: _, ...by }]) =>
    Object.entries(by)
      .filter(([framework]) => frameworks.includes(framework))
      .flatMap(([framework, { secure, unsafe }]) => [
        { key, framework, kind: 'secure', code: secure },
        { key, framework, kind: 'unsafe', code: withoutProtection(secure, unsafe) },
      ]),
  )
}

export function withoutProtection(secure, unsafe) {
  return unsafe.reduce((code, [from, to]) => {
    if (!code.includes(from)) throw new Error(`a sample does not contain '${from}'`)
    return code.replace(from, () => to)
  }, secure)
}

async function express() {
  return judge(await samplesOf(['express']), ({ code }, options) => loadExpress(code, options))
}

async function python() {
  const host = pythonHost(await interpreter())
  try {
    return await judge(await samplesOf(FRAMEWORKS), ({ framework, code }, options) =>
      host.load(framework, code, options),
    )
  } finally {
    await host.end()
  }
}

async function judge(list, load) {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-samples-'))
  const spoken = { warn: console.warn, error: console.error }
  Object.assign(console, { warn() {}, error() {} })
  const wanted = process.env.SAMPLES?.split(',')
  const bad = []
  try {
    for (const sample of list.filter(({ key }) => !wanted || wanted.some(part => key.includes(part)))) {
      const problem = await problemOf(sample, load, folder)
      if (problem) bad.push(`${sample.key} ${sample.framework} ${sample.kind}: ${problem}`)
    }
  } finally {
    Object.assign(console, spoken)
    await rm(folder, { recursive: true, force: true })
  }
  if (bad.length > 0) throw new Error(bad.join('\n'))
  return `${list.length / 2} samples, each secure and unsafe`
}

async function problemOf({ key, framework, kind, code }, load, root) {
  const folder = join(root, 'uploads')
  const scenario = scenarios[key]
  if (!scenario) return 'has no scenario'
  let world
  try {
    await rm(root, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    for (const { key: name } of rows.files) await writeFile(join(folder, name), `content of ${name}`)
    world = await load({ framework, code }, { rows, folder })
    const { attack, use } = await scenario({ ...world, framework, folder })
    if (!use) return 'what it is meant for does not work'
    if (attack !== (kind === 'unsafe')) return attack ? 'the attack works' : 'the attack does not work'
    return undefined
  } catch (error) {
    return error.message.trim().split('\n').slice(-4).join(' | ')
  } finally {
    await world?.end?.()
  }
}

/** Why there is no Python with the frameworks, in a line. */
async function withoutFrameworks() {
  try {
    await interpreter()
    return undefined
  } catch (error) {
    const [reason] = String(error.stderr || error.message)
      .trim()
      .split('\n')
      .slice(-1)
    return `Flask, FastAPI and Django are neither there nor can be installed: ${reason}`
  }
}

/** A Python that has the frameworks: the one on the path, or one that is made for this in node_modules. */
async function interpreter() {
  const has = python => run(python, ['-c', 'import flask, flask_sqlalchemy, fastapi, httpx, django, jwt'])
  if (
    await has('python3').then(
      () => true,
      () => false,
    )
  )
    return 'python3'
  const folder = fileURLToPath(new URL('../node_modules/.cache/causeway-samples', import.meta.url))
  const python = join(folder, 'bin', 'python')
  if (
    await has(python).then(
      () => true,
      () => false,
    )
  )
    return python
  const requirements = fileURLToPath(new URL('python/requirements.txt', hosts))
  const options = { timeout: LONGEST_INSTALL }
  await run('python3', ['-m', 'venv', '--clear', folder], options)
  const install = ['-m', 'pip', 'install', '--quiet', '--retries', '0', '--only-binary', ':all:', '-r', requirements]
  await run(python, install, options)
  return python
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { name, run: check } of checks) console.log(`${name}: ${await check()}`)
}
