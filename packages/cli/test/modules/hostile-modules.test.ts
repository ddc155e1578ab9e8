import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ToolModules } from '../../src/modules/tool-modules.ts'

test('modules that never finish, and what is no file, are named, and keep no other from being served', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-modules-'))
  writeFileSync(join(folder, 'a-waits.mjs'), 'await new Promise(() => {})\nexport const a = 1')
  spawnSync('mkfifo', [join(folder, 'b-pipe.mjs')])
  mkdirSync(join(folder, 'c-folder.mjs'))
  symlinkSync('d-loop.mjs', join(folder, 'd-loop.mjs'))
  writeFileSync(join(folder, 'e-good.mjs'), "export default { kind: 'tool', name: 'good', run: () => 'x' }")
  const modules = await ToolModules.load([folder], { log: () => {}, loadMs: 500 })
  expect(modules.features.map(({ name }) => name)).toEqual(['good'])
  const said = modules.problems.map(({ message }) => message)
  expect(said[0]).toContain('has not finished loading within 0.5 s')
  expect(said.slice(1, 3)).toEqual([
    expect.stringContaining('not a regular file'),
    expect.stringContaining('not a regular file'),
  ])
  expect(said[3]).toContain('ELOOP')
})
