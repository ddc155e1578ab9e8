// An .mcpb bundle, which desktop clients install with a click; made, checked and unpacked with the format's own tool.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { handshakes } from './handshakes.js'
import { installInto, root } from './packages.js'

const TOOL = '@anthropic-ai/mcpb@2.1.2'
const ENTRY = 'node_modules/causeway-mcp/bin/causeway.js'

const mcpb = (...args) =>
  execFileSync('npm', ['exec', '--yes', '--loglevel=error', '--', TOOL, ...args], { encoding: 'utf8', stdio: 'pipe' })

/** The manifest of the bundle: how a client starts the server, and what it asks the person for. */
export function bundleManifest(version) {
  const cli = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'))
  return {
    manifest_version: '0.3',
    name: 'causeway',
    display_name: 'Causeway',
    version,
    description: cli.description,
    author: { name: 'The Causeway authors' },
    repository: { type: 'git', url: cli.repository.url.replace(/^git\+/, '') },
    license: cli.license,
    keywords: cli.keywords,
    server: {
      type: 'node',
      entry_point: ENTRY,
      mcp_config: { command: 'node', args: [`\${__dirname}/${ENTRY}`, '--stdio', '--root', '${user_config.root}'] },
    },
    tools_generated: true,
    prompts_generated: true,
    user_config: {
      root: {
        type: 'directory',
        title: 'Folder',
        description: 'The folder that the tools may read and change',
        required: true,
        default: '${HOME}',
      },
    },
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: cli.engines.node } },
  }
}

/** Make the bundle from packed packages; its file name and hash. */
export function makeBundle(to, { version, packed, tarballs, work }) {
  const folder = join(work, 'bundle')
  installInto(folder, packed, tarballs, 'causeway-mcp')
  for (const name of ['package.json', 'package-lock.json']) rmSync(join(folder, name))
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(bundleManifest(version), null, 2))
  // Nobody compiles against a bundle, or debugs it.
  writeFileSync(join(folder, '.mcpbignore'), ['*.map', '*.d.ts', '*.d.mts', '*.d.cts', ''].join('\n'))
  mcpb('validate', join(folder, 'manifest.json'))
  const file = join(to, `causeway-${version}.mcpb`)
  mcpb('pack', folder, file)
  return { name: basename(file), file, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') }
}

/** Unpack a bundle and start it as its manifest says, in both eras. */
export async function tryBundle(file, work) {
  const folder = join(work, 'unpacked')
  mcpb('unpack', file, folder)
  const { server } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  const args = server.mcp_config.args.map(arg =>
    arg.replace('${__dirname}', folder).replace('${user_config.root}', folder),
  )
  return handshakes(process.execPath, args, folder)
}
