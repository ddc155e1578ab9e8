// Runs the whole suite several times in a fresh clone while the machine is busy: `npm run -s stress-suite -- --runs 5 --busy 2`.
// --user NAME runs it as that user (as root only), --without redis-server,chromium hides programs, --minutes N bounds each run.
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, stripVTControlCharacters } from 'node:util'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    busy: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '30' },
    user: { type: 'string' },
    without: { type: 'string', default: '' },
  },
})
const source = fileURLToPath(new URL('..', import.meta.url))
// Nobody else may look into it.
const folder = mkdtempSync(join(tmpdir(), 'causeway-stress-'))
chmodSync(folder, 0o700)
const clone = join(folder, 'clone')
const home = join(folder, 'home')
mkdirSync(home)

// Another user has no programs in our home, and a search through folders that it may not enter ends differently.
const search = (process.env.PATH ?? '').split(delimiter)
const folders = values.user === undefined ? search : search.filter(path => !path.startsWith(homedir()))
const env = { ...process.env, PATH: pathWithout(values.without.split(',').filter(Boolean)) }
for (const name of Object.keys(env)) if (/^(?:npm_(?!config_)|TEST_)/i.test(name)) delete env[name]

// Another user keeps nothing in our home either, which npm names to what it runs.
const ownEnv = { ...env, HOME: home, npm_config_cache: join(home, '.npm') }
delete ownEnv.npm_config_userconfig

/** A PATH of links to every program but some. */
function pathWithout(hidden) {
  if (hidden.length === 0) return folders.join(delimiter)
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const taken = new Set(hidden)
  for (const from of folders)
    for (const name of namesIn(from)) {
      if (taken.has(name)) continue
      taken.add(name)
      symlinkSync(join(from, name), join(bin, name))
    }
  return bin
}

function namesIn(path) {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const seconds = from => Math.round((performance.now() - from) / 1000)
const idOf = flag => execFileSync('id', [flag, values.user], { encoding: 'utf8' }).trim()

/** Run something to its end, or to the end of its time; its output goes to a file. */
async function run(command, log, as = []) {
  const [program, ...args] = [...as, ...command]
  const child = spawn(program, args, {
    cwd: clone,
    env: as.length > 0 ? ownEnv : env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const file = createWriteStream(log)
  child.stdout.pipe(file, { end: false })
  child.stderr.pipe(file, { end: false })
  const stop = () => process.kill(-Number(child.pid), 'SIGKILL')
  const clock = setTimeout(stop, Number(values.minutes) * 60_000)
  stopping = stop
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject))
  stopping = undefined
  clearTimeout(clock)
  await new Promise(resolve => void file.end(resolve))
  return code
}

/** What the output of a run says of its tests. */
function summary(log) {
  const text = stripVTControlCharacters(readFileSync(log, 'utf8'))
  const [, counts = 'no tests were run'] = /^\s*Tests\s+(.*)$/m.exec(text) ?? []
  const notRun = /^not run: .*$/m.exec(text)?.[0]
  const failed = [...new Set(text.match(/^ FAIL .*$/gm))].map(line => `\n  ${line.trim()}`)
  return `${counts}${notRun ? `; ${notRun}` : ''}${failed.join('')}`
}

let stopping
const idlers = []
const end = () => {
  stopping?.()
  for (const child of idlers.splice(0)) child.kill('SIGKILL')
}
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    end()
    process.exit(1)
  })

execFileSync('git', ['clone', '--quiet', '--no-hardlinks', source, clone])
const began = performance.now()
// Another user may have no way to the registry: everything is installed before the runs.
for (const where of ['.', 'conformance/runner'])
  if ((await run(['npm', 'ci', '--prefix', where], join(folder, 'install.log'))) !== 0) {
    console.log(`npm ci failed: ${join(folder, 'install.log')}`)
    process.exit(1)
  }
console.log(`npm ci: ${seconds(began)} s`)
let as = []
if (values.user !== undefined) {
  execFileSync('chown', ['-R', `${idOf('-u')}:${idOf('-g')}`, folder])
  as = ['setpriv', '--reuid', idOf('-u'), '--regid', idOf('-g'), '--clear-groups']
}
for (let i = 0; i < Number(values.busy); i++)
  idlers.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))

const took = []
let failures = 0
for (let i = 1; i <= Number(values.runs); i++) {
  const log = join(folder, `run-${i}.log`)
  const start = performance.now()
  const code = await run(['npm', 'test'], log, as)
  took.push(seconds(start))
  if (code !== 0) failures += 1
  const how =
    code === 0 ? 'green' : code === null ? `stopped after ${values.minutes} minutes` : `exit code ${code}, see ${log}`
  console.log(`run ${i}: ${took.at(-1)} s, ${how}; ${summary(log)}`)
}
end()
console.log(
  `${took.length - failures} of ${took.length} green, ${Math.min(...took)} to ${Math.max(...took)} s, ${values.busy} busy loops beside`,
)
if (failures === 0) rmSync(folder, { recursive: true, force: true })
process.exitCode = failures === 0 ? 0 : 1
