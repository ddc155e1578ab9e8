import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { measureFile } from '../../src/toolkit/analysis/parse/file.ts'
import type { Report } from '../../src/toolkit/analysis/report.ts'
import { call, client, folder, textOf, write } from './world.ts'

/** Puts a directory and a link in each other's place, again and again. */
const SWAP = `
  const { renameSync } = require('node:fs')
  const { workerData: [place, other, spare] } = require('node:worker_threads')
  for (;;) {
    renameSync(place, spare)
    renameSync(other, place)
    renameSync(place, other)
    renameSync(spare, place)
  }
`

test('a link that takes the place of a directory is never followed, whenever it does', async () => {
  const outside = write(folder(), { 'a.js': 'const stolen = a => a ? 1 : 2\n' })
  const root = write(folder(), { 'src/a.js': 'const own = a => a ? 1 : 2\n' })
  symlinkSync(outside, join(root, 'link'))
  const swapping = new Worker(SWAP, {
    eval: true,
    workerData: [join(root, 'src'), join(root, 'link'), join(root, 'spare')],
  })
  // The folder is removed only when nothing is swapped in it any more.
  onTestFinished(async () => void (await swapping.terminate()))
  await new Promise(resolve => void swapping.once('online', resolve))
  const seen = new Set<string>()
  for (let i = 0; i < 3000; i++) {
    const { functions, fault } = await measureFile({ path: join(root, 'src/a.js'), top: root, file: './src/a.js' })
    seen.add(functions[0]?.name ?? fault?.reason ?? '')
  }
  expect([...seen]).not.toContain('stolen')
  expect([...seen]).toContain('own')
})

test('what is no regular file, or lies behind a link, is told and not read', async () => {
  const outside = write(folder(), { 'a.js': 'const stolen = 1\n' })
  const root = folder()
  execFileSync('mkfifo', [join(root, 'pipe.js')])
  mkdirSync(join(root, 'dir.js'))
  symlinkSync(outside, join(root, 'out'))
  symlinkSync(join(outside, 'a.js'), join(root, 'link.js'))
  const reason = async (file: string): Promise<unknown> =>
    (await measureFile({ path: join(root, file), top: root, file: `./${file}` })).fault?.reason
  expect(await reason('pipe.js')).toBe('Not a file')
  expect(await reason('dir.js')).toBe('Not a file')
  expect(await reason('link.js')).toBe('A link')
  expect(await reason('out/a.js')).toBe('A link')
  expect(await reason('none.js')).toBe('Cannot be read: ENOENT')
})

test('a pipe in the place of a .gitignore holds nothing up', async () => {
  const root = write(folder(), { 'a.js': 'const own = a => a\n', 'b/c.js': 'const other = a => a\n' })
  execFileSync('mkfifo', [join(root, '.gitignore')])
  execFileSync('mkfifo', [join(root, 'b/.gitignore')])
  const args = { project_path: root, toolchain: 'node', format: 'full' }
  const report = JSON.parse(textOf(await call(client({ roots: [root] }), 'analyze_complexity', args))) as Report
  expect(report.summary).toMatchObject({ total_files: 2 })
})
