import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createJail } from '../../src/support/files/jail.ts'
import { copyRepository } from '../../src/support/git/snapshot.ts'
import type { Snapshot } from '../../src/support/git/snapshot.ts'
import { gitlinks } from '../../src/support/git/index-file.ts'
import { withObjects } from '../../src/support/git/objects.ts'
import { readBudget } from '../../src/support/git/read-budget.ts'
import type { BudgetLimits } from '../../src/support/git/read-budget.ts'
import { folder, repository } from '../workstation/place.ts'

/** Copy a repository within a budget, reflogs included. */
function copied(root: string, limits: BudgetLimits): Promise<Snapshot> {
  const gitDir = join(root, '.git')
  const wanted = { owner: Promise.resolve([]), reflogs: true, worktrees: true, budget: readBudget(limits) }
  return copyRepository(createJail([root]), { top: root, gitDir, common: gitDir }, folder(), wanted)
}

test('everything that is read of a repository counts against one budget (R-M8)', async () => {
  const root = repository()
  await expect(copied(root, { bytes: 100_000 })).resolves.toMatchObject({ bare: false })
  // Each is far below the limit of its kind.
  for (const i of [1, 2, 3, 4]) {
    const path = join(root, `.git/logs/refs/heads/sparse-${i}`)
    writeFileSync(path, '')
    truncateSync(path, 20_000)
  }
  for (const name of ['ORIG_HEAD', 'packed-refs']) writeFileSync(join(root, '.git', name), `# ${'x'.repeat(20_000)}\n`)
  await expect(copied(root, { bytes: 100_000 })).rejects.toThrow(
    'The git repository has more than 100000 bytes of refs, logs and index: run git gc in it',
  )
})

test('files are counted, and folders without files', async () => {
  const root = repository()
  for (let i = 0; i < 60; i++) mkdirSync(join(root, `.git/refs/heads/${i}`))
  await expect(copied(root, { entries: 100 })).resolves.toMatchObject({ bare: false })
  for (let i = 0; i < 60; i++) mkdirSync(join(root, `.git/logs/refs/heads/${i}`))
  await expect(copied(root, { entries: 100 })).rejects.toThrow('more than 100 files')
})

test('lines of alternates and objects are counted', async () => {
  const root = repository()
  const copy = (entries: number): Promise<string> =>
    withObjects(
      {
        jail: createJail([root]),
        objects: join(root, '.git/objects'),
        folder: folder(),
        held: true,
        budget: readBudget({ entries }),
      },
      () => Promise.resolve('linked'),
    )
  await expect(copy(10)).resolves.toBe('linked')
  for (let i = 0; i < 12; i++) writeFileSync(join(root, `.git/objects/pack/pack-${i}.keep`), '')
  await expect(copy(10)).rejects.toThrow('more than 10 files')
  await expect(copy(50)).resolves.toBe('linked')
  writeFileSync(join(root, '.git/objects/info/alternates'), '.\n'.repeat(60))
  await expect(copy(50)).rejects.toThrow('more than 50 files')
})

test('reading takes limited time, and ends with its call', async () => {
  const root = repository()
  await expect(copied(root, { timeMs: -1 })).rejects.toThrow(/^Reading the git repository took more than/)
  await expect(copied(root, { signal: AbortSignal.abort(new Error('given up')) })).rejects.toThrow('given up')
})

test('large repositories are read one after the other', async () => {
  const MEGABYTES = 1024 * 1024
  const [first, second] = [readBudget(), readBudget()]
  await first.upTo(1).take?.(20 * MEGABYTES)
  const order: string[] = []
  const waits = Promise.all([second.upTo(1).take?.(20 * MEGABYTES), second.upTo(1).take?.(1)]).then(() =>
    order.push('second'),
  )
  await readBudget()
    .upTo(1)
    .take?.(1 * MEGABYTES)
  order.push('small')
  first.release()
  await waits
  second.release()
  expect(order).toEqual(['small', 'second'])
})

test('names in an index cannot grow from entry to entry', () => {
  const entry = (name: Buffer): Buffer => {
    const head = Buffer.alloc(62)
    head.writeUInt32BE(0o160000, 24)
    return Buffer.concat([head, Buffer.of(0), name, Buffer.of(0)])
  }
  const header = Buffer.from('DIRC\0\0\0\u0004\0\0\0\0', 'latin1')
  header.writeUInt32BE(6, 8)
  const index = Buffer.concat([
    header,
    ...Array.from({ length: 6 }, () => entry(Buffer.alloc(1000, 'a'))),
    Buffer.alloc(20),
  ])
  expect(() => gitlinks(index, 20)).toThrow('its index has a path of more than 4096 bytes')
})

test('an index of nothing but extensions is damaged', () => {
  const index = Buffer.concat([
    Buffer.from('DIRC\0\0\0\u0002\0\0\0\0', 'latin1'),
    Buffer.alloc(8 * 200),
    Buffer.alloc(20),
  ])
  expect(() => gitlinks(index, 20)).toThrow('its index is damaged')
})
