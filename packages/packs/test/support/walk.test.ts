import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { walk } from '../../src/support/files/walk.ts'
import type { Part, Walk } from '../../src/support/files/walk.ts'

let root: string
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'walk-')))
  for (const folder of ['', 'a', 'a/deep/er', 'b', 'ignored']) mkdirSync(join(root, folder), { recursive: true })
  for (const folder of ['', 'a', 'a/deep/er', 'ignored'])
    for (let i = 0; i < 60; i++) writeFileSync(join(root, folder, `file ${i % 7}-${i}.txt`), '')
  writeFileSync(join(root, '.gitignore'), '/ignored/\n*-3.txt\n')
  writeFileSync(join(root, 'a', '.gitignore'), '!file 3-3.txt\n')
})
afterAll(() => rmSync(root, { recursive: true }))

/** Everything that is met, walking part by part until nothing is left. */
function metIn(parts: readonly Part[], options: Omit<Walk, 'root' | 'visit'>): string[] {
  const met: string[] = []
  const open = [...parts]
  for (let part = open.pop(); part; part = open.pop()) {
    const visit: Walk['visit'] = ({ path }) => {
      met.push(path)
      return 'on'
    }
    open.push(...walk([part], { ...options, root, visit }))
  }
  return met.sort()
}

test('whatever is left for later, and for however many, everything is met once', () => {
  const whole = metIn([{ path: '' }], { ignored: 'skip' })
  expect(whole).toContain('a/deep/er/file 0-0.txt')
  expect(whole).toContain('a/file 3-3.txt')
  expect(whole).not.toContain('file 3-3.txt')
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1 }), fc.integer({ min: 1, max: 5 }), (answers, shares) => {
      let asked = 0
      const enough = (): boolean => answers[asked++ % answers.length] === true
      expect(metIn([{ path: '' }], { ignored: 'skip', enough, shares })).toEqual(whole)
    }),
  )
})

test('a part is the entries between two names', () => {
  const met = metIn([{ path: 'a', from: 'file 1', to: 'file 3' }], { ignored: 'all' })
  expect(met.length).toBeGreaterThan(10)
  expect(met.every(path => path >= 'a/file 1' && path < 'a/file 3')).toBe(true)
})

test('a directory that takes long to list is not left at once, so that it is not listed again and again', () => {
  // Every look at the clock takes a millisecond, and so does listing the directory: four more must pass.
  let clock = 0
  const now = vi.spyOn(performance, 'now').mockImplementation(() => ++clock)
  onTestFinished(() => now.mockRestore())
  let visits = 0
  const later = walk([{ path: 'ignored' }], {
    root,
    ignored: 'all',
    enough: () => true,
    visit: () => {
      visits += 1
      return 'on'
    },
  })
  expect(visits).toBe(32)
  expect(later).toHaveLength(1)
})

test('directories below the deepest that is held open are left for later, not left out', () => {
  const deep = 'd/'.repeat(250)
  mkdirSync(join(root, 'b', deep), { recursive: true })
  onTestFinished(() => rmSync(join(root, 'b', 'd'), { recursive: true }))
  expect(metIn([{ path: 'b' }], { ignored: 'skip', enough: () => false })).toHaveLength(250)
})
