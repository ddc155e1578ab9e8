// The packages that are published: packed as npm would upload them, and installed into an empty folder.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** What an installation may cost at most: bytes of all files in node_modules, and packages. */
export const LIMITS = {
  '@causeway/engine': { bytes: 3.7e6, packages: 6 },
  'causeway-mcp': { bytes: 25e6, packages: 24 },
}

const npm = (args, cwd) =>
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  })

/** Pack what was built into a folder; an entry per package: name, version, filename, files, unpackedSize. */
export function packAll(to, dryRun = false) {
  mkdirSync(to, { recursive: true })
  const args = ['pack', '--workspaces', '--ignore-scripts', '--json', '--pack-destination', to]
  return JSON.parse(npm(dryRun ? [...args, '--dry-run'] : args, root))
}

/** Install packed packages into an empty folder, as somebody does who has only them and the registry. */
export function installInto(folder, packed, tarballs, wanted) {
  mkdirSync(folder, { recursive: true })
  const file = name => `file:${join(tarballs, packed.find(one => one.name === name).filename)}`
  // The others are not on the registry yet: whoever depends on them gets the packed ones.
  const overrides = Object.fromEntries(
    packed.filter(({ name }) => name !== wanted).map(({ name }) => [name, file(name)]),
  )
  const manifest = { name: 'empty', private: true, dependencies: { [wanted]: file(wanted) }, overrides }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  npm(['install'], folder)
}

/** Another version of Node, as the registry has it for this platform; the path of the program. */
export function installNode(folder, version) {
  mkdirSync(folder, { recursive: true })
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: { [name]: version } }))
  npm(['install', '--ignore-scripts'], folder)
  return join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

/** The bytes and packages of an installation. */
export function installedSize(folder) {
  const modules = join(folder, 'node_modules')
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
  return { bytes, packages: Object.keys(lock.packages).length }
}

/** Make a server as `npm create causeway` does, install what it depends on, and run its tests. */
export function testNew(home, { schema, packed, tarballs }) {
  const bin = join(home, 'node_modules/create-causeway/bin/create-causeway.js')
  const name = `made-with-${schema}`
  execFileSync(process.execPath, [bin, name, '--schema', schema, '--quiet'], { cwd: home })
  const manifest = join(home, name, 'package.json')
  const made = JSON.parse(readFileSync(manifest, 'utf8'))
  const engine = packed.find(one => one.name === '@causeway/engine').filename
  made.dependencies['@causeway/engine'] = `file:${join(tarballs, engine)}`
  writeFileSync(manifest, JSON.stringify(made))
  npm(['install'], join(home, name))
  npm(['test'], join(home, name))
}
