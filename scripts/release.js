// Makes everything that a release consists of in release/, and publishes it, unless --dry-run is given. A tag starts it:
// see .github/workflows/release.yml.
//   npm run release -- --dry-run          the artefacts, and the commands that would publish them
//   npm run release -- --set-version 0.3.0    only writes the version into every package
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeBundle, tryBundle } from './release/bundle.js'
import { packAll, root } from './release/packages.js'
import { serverJson } from './release/server-json.js'
import { commonVersion, notesFor, setVersion } from './release/versions.js'

// A package comes after those it depends on.
const ORDER = [
  '@causeway/engine',
  '@causeway/packs',
  '@causeway/gateway',
  '@causeway/console',
  'causeway-mcp',
  'create-causeway',
]

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, 'set-version': { type: 'string' } },
})
const run = (command, args) => execFileSync(command, args, { cwd: root, stdio: 'inherit' })
const out = (...parts) => join(root, 'release', ...parts)
const write = (name, text) => writeFileSync(out(name), `${text}\n`)

/** Is there a program that builds images? */
function containerEngine() {
  return ['docker', 'podman'].find(program => {
    try {
      execFileSync(program, ['info'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })
}

async function makeArtefacts(version, work) {
  rmSync(out(), { recursive: true, force: true })
  mkdirSync(out('npm'), { recursive: true })
  write('notes.md', notesFor(version))
  run('npm', ['run', '-s', 'build'])
  const packed = packAll(out('npm'))
  const bundle = makeBundle(out(), { version, packed, tarballs: out('npm'), work })
  for (const line of await tryBundle(bundle.file, work)) console.log(`${bundle.name}: ${line}`)
  write('server.json', JSON.stringify(serverJson(version, bundle), null, 2))
  writeFileSync(out('sbom.json'), execFileSync(process.execPath, [join(root, 'scripts/sbom.js')], { maxBuffer: 1e8 }))
  const files = readdirSync(out(), { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const sums = files.map(({ parentPath, name }) => {
    const path = join(parentPath, name)
    return `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${path.slice(out().length + 1)}`
  })
  write('SHA256SUMS', sums.toSorted().join('\n'))
  return packed
}

function publish(version, packed, isTrial) {
  const engine = containerEngine()
  const tag = `causeway:${version}`
  const tarball = name => `release/npm/${packed.find(one => one.name === name).filename}`
  const commands = [
    ...(engine ? [[engine, 'build', '-t', tag, '.']] : []),
    // Provenance needs a workflow that may ask for an identity; .github/workflows/release.yml is one.
    ...ORDER.map(name => ['npm', 'publish', tarball(name), '--access', 'public', '--provenance']),
  ]
  if (!engine) console.log('No container engine runs here: npm run check:image executes the steps of the Dockerfile.')
  for (const [command, ...args] of commands) {
    if (isTrial && command !== engine) console.log(`would run: ${[command, ...args].join(' ')}`)
    else run(command, args)
  }
}

if (values['set-version'] !== undefined) setVersion(values['set-version'])
else {
  const version = commonVersion()
  const isTrial = values['dry-run']
  const changed = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).trim()
  if (changed !== '' && !isTrial) throw new Error('There are changes that are not committed')
  const work = mkdtempSync(join(tmpdir(), 'causeway-release-'))
  try {
    const packed = await makeArtefacts(version, work)
    publish(version, packed, isTrial)
    console.log(`Version ${version}: everything is in release/`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
