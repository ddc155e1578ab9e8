import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { needs } from '../../../../test/support/needs.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const FLAGS = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', 'false', '--types', 'node']

/** What a newcomer writes first. */
const SERVER = `import { createServer, serveStdio, tool } from '@causeway/engine'
await serveStdio(createServer({ name: 's', version: '1' }).add(tool({ name: 'hello' }, () => 'Hello!')))
`

// The declarations are made by the build that follows an installation.
test(
  'a server of two lines is checked with every declaration it reaches, and nothing is wrong in them',
  needs('npm run build', existsSync(`${root}packages/engine/dist/index.d.ts`)),
  () => {
    // In the repository, so that the compiler finds the engine as an installed package.
    const folder = `${root}node_modules/.cache/causeway/${crypto.randomUUID()}`
    mkdirSync(folder, { recursive: true })
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(`${folder}/package.json`, '{ "type": "module" }')
    writeFileSync(`${folder}/server.ts`, SERVER)
    const compiler = `${root}node_modules/typescript/bin/tsc`
    const { status, stdout } = spawnSync(
      process.execPath,
      [compiler, ...FLAGS, '--module', 'nodenext', '--target', 'es2023', `${folder}/server.ts`],
      { encoding: 'utf8', cwd: folder },
    )
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  },
)
