import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { bundleManifest } from '../../scripts/release/bundle.js'
import { executeStages, stagesOf } from '../../scripts/release/dockerfile.js'
import { root } from '../../scripts/release/packages.js'
import { serverJson } from '../../scripts/release/server-json.js'
import { commonVersion, manifestFiles, notesFor } from '../../scripts/release/versions.js'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

test('all packages have one version, and the changelog begins with it', () => {
  const version = commonVersion()
  expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  expect(notesFor(version)).toMatch(/^- /)
  expect(() => notesFor('9.9.9')).toThrow('not 9.9.9')
  expect(notesFor('1.0.0', '# Changelog\n\n## 1.0.0 (2026)\n\n- a\n\n## 0.9.0\n\n- b\n')).toBe('- a')
})

test('all packages name the same repository', () => {
  const [own, ...others] = manifestFiles().filter(path => path !== 'package.json')
  const urlIn = (path = ''): string => (JSON.parse(read(path)) as { repository: { url: string } }).repository.url
  for (const path of others) expect(urlIn(path)).toBe(urlIn(own))
})

describe('server.json', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const isValid = ajv.compile(JSON.parse(read('test/schema/server.schema.json')) as object)
  const bundle = { name: 'causeway-1.2.3.mcpb', sha256: 'a'.repeat(64) }

  test('is what registries take, with and without the bundle', () => {
    for (const one of [serverJson('1.2.3'), serverJson('1.2.3', bundle)]) {
      isValid(one)
      expect(isValid.errors ?? []).toEqual([])
    }
  })

  test('names the package that names it', () => {
    const { mcpName } = JSON.parse(read('packages/cli/package.json')) as { mcpName: string }
    expect(serverJson('1.2.3').name).toBe(mcpName)
  })

  test('self-test: a wrong one is refused', () => {
    expect(isValid({ ...serverJson('1.2.3'), name: 'no slash' })).toBe(false)
    expect(isValid({ ...serverJson('1.2.3', { ...bundle, sha256: 'x' }) })).toBe(false)
  })
})

test('the bundle starts the command that is in it, in the folder that the person chose', () => {
  const { server, version } = bundleManifest('1.2.3')
  expect(version).toBe('1.2.3')
  expect(server.mcp_config.args).toEqual([
    `\${__dirname}/${server.entry_point}`,
    '--stdio',
    '--root',
    '${user_config.root}',
  ])
  const { bin } = JSON.parse(read('packages/cli/package.json')) as { bin: Record<string, string> }
  expect(server.entry_point).toBe(`node_modules/causeway-mcp/${bin['causeway-mcp']}`)
})

describe('the Dockerfile', () => {
  test('installs what its build packed, and copies only what there is', () => {
    const stages = stagesOf(read('Dockerfile'))
    expect(stages.map(({ name }) => name)).toEqual(['build', 'app', 'final'])
    const copied = stages[0]?.steps
      .filter(({ instruction }) => instruction === 'COPY')
      .flatMap(({ words }) => words.slice(0, -1))
    for (const path of copied ?? []) expect(existsSync(join(root, path)), path).toBe(true)
    const entry = stages.at(-1)?.steps.find(({ instruction }) => instruction === 'ENTRYPOINT')?.rest
    expect(entry).toContain('/app/node_modules/causeway-mcp/bin/causeway.js')
  })

  // scripts/check-image.js executes all of it.
  test('its steps can be executed in plain folders', () => {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-stages-'))
    const context = join(folder, 'context')
    mkdirSync(join(context, 'sources'), { recursive: true })
    writeFileSync(join(context, 'sources/a.txt'), 'a')
    const text = [
      'FROM x AS build',
      'WORKDIR /build',
      'COPY sources sources',
      'RUN mkdir ../made && \\',
      '  cp sources/a.txt ../made/b.txt',
      'FROM x',
      'RUN apt-get install everything',
      'WORKDIR /app',
      'COPY --from=build /made ./',
      'ENTRYPOINT ["node", "/app/b.txt"]',
    ].join('\n')
    const image = executeStages(stagesOf(text), { context, folder: join(folder, 'stages') })
    expect(readdirSync(join(image.folder, 'app'))).toEqual(['b.txt'])
    expect(image.entry).toEqual(['node', join(image.folder, 'app/b.txt')])
  })
})
