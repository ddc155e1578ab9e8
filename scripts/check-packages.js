// Packs every package, installs the tarballs into empty folders, and checks what a new user gets: the files, the size, and
// a first answer in both eras. `--node 22` also runs the installed command with that version of Node, which comes from the
// registry as a package without an install script; may be repeated; such a version has to keep compiled code.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { problemsOf } from './release/check-contents.js'
import { handshakes } from './release/handshakes.js'
import { LIMITS, installInto, installNode, installedSize, packAll, testNew } from './release/packages.js'

const { values } = parseArgs({ options: { node: { type: 'string', multiple: true, default: [] } } })
const folder = mkdtempSync(join(tmpdir(), 'causeway-packages-'))
const problems = []
try {
  const tarballs = join(folder, 'tarballs')
  const packed = packAll(tarballs)
  for (const [name, limit] of Object.entries(LIMITS)) {
    const home = join(folder, name.replace('/', '-'))
    installInto(home, packed, tarballs, name)
    const { bytes, packages } = installedSize(home)
    console.log(`${name}: ${(bytes / 1e6).toFixed(1)} MB, ${packages} packages`)
    if (bytes > limit.bytes) problems.push(`${name} takes ${bytes} bytes, more than ${limit.bytes}`)
    if (packages > limit.packages) problems.push(`${name} is ${packages} packages, more than ${limit.packages}`)
  }
  const home = join(folder, 'create-causeway')
  installInto(home, packed, tarballs, 'create-causeway')
  for (const one of packed) problems.push(...problemsOf(one, join(home, 'node_modules', one.name)))
  const bin = join(home, 'node_modules/causeway-mcp/bin/causeway.js')
  for (const schema of ['zod', 'json']) {
    testNew(home, { schema, packed, tarballs })
    console.log(`npm create causeway, --schema ${schema}: strict types, and its tests pass`)
  }
  const nodes = values.node.map(version => installNode(join(folder, `node-${version}`), version))
  for (const node of [process.execPath, ...nodes]) {
    console.log(`Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`)
    for (const line of await handshakes(node, [bin, '--stdio'], home)) console.log(`  ${line}`)
  }
  if (nodes.length > 0 && !existsSync(join(home, 'node_modules/causeway-mcp/.compiled')))
    problems.push('causeway-mcp keeps no compiled code with a newer Node')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
