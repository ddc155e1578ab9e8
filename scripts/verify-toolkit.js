// Runs what the project templates make: every target of every Makefile must be understood by make.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'

const run = promisify(execFile)

/** What verify:samples runs for the templates; `needs` names programs that must be installed. */
export const checks = [{ name: 'project templates: Makefiles', needs: ['make'], run: makefiles }]

// Everything that changes what a Makefile has in it, switched off and on; a template takes what it declares.
const VARIANTS = [
  {},
  { has_tests: false, has_benchmarks: false, features: [], permissions: [], target: '', default_args: '' },
  {
    has_tests: true,
    has_benchmarks: true,
    features: ['serde', 'tokio/full'],
    permissions: ['--allow-net=example.org:443', '-A'],
    target: 'x86_64-unknown-linux-musl',
    default_args: `--say "it's $(shell echo wrong)" # not a comment`,
    python_version: '3.13',
    package_manager: 'pnpm',
  },
]

async function makefiles() {
  const client = connect(createServer({ name: 'verify', version: '1' }).add(toolkit()))
  const templates = await client.call('list_templates', { category: 'makefile' })
  let targets = 0
  for (const { uri, parameters: declared } of templates) {
    const names = new Set(declared.map(({ name }) => name))
    for (const variant of VARIANTS) {
      const chosen = Object.entries({ project_name: 'sample', ...variant }).filter(([name]) => names.has(name))
      const parameters = Object.fromEntries(chosen)
      const { content } = await client.call('generate_template', { resource_uri: uri, parameters })
      targets += await verify(uri, content)
    }
  }
  return `${templates.length} templates, ${targets} targets`
}

async function verify(uri, content) {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-make-'))
  try {
    await writeFile(join(folder, 'Makefile'), content)
    const targets = [...content.matchAll(/^\.PHONY: (\S+)$/gm)].map(([, target]) => target)
    const make = (...args) => run('make', ['--warn-undefined-variables', ...args], { cwd: folder })
    for (const target of targets) {
      const { stdout, stderr } = await make('-n', target)
      if (stderr !== '' || stdout === '') throw new Error(`${uri}: make -n ${target}: ${stderr || 'does nothing'}`)
      if (stdout.includes('wrong') && !stdout.includes('$(shell echo wrong)'))
        throw new Error(`${uri}: make ran a parameter`)
    }
    const { stdout: help } = await make('help')
    const unlisted = targets.filter(target => !new RegExp(`^ +${target} `, 'm').test(help))
    if (unlisted.length > 0) throw new Error(`${uri}: make help does not list ${unlisted.join(', ')}`)
    return targets.length
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
