import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { isTest, read, repoFiles } from './repo.ts'

const MOST_FILES = 17

/** Folders of sources in which a newcomer has to look for a file among many. */
function crowded(paths: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1)
  return [...counts].filter(([, count]) => count > MOST_FILES).map(([folder, count]) => `${folder} has ${count} files`)
}

const inSources = (path: string): boolean => /^packages\/\w+\/src\/.*\.tsx?$/.test(path)
// Tests that need something say what: test/support/needs.ts.
const UNRUN = /(?<!\.)\.(?:skip|skipIf|runIf|todo|only)\b\(/

test('no folder of sources is crowded', () => {
  expect(crowded(repoFiles().filter(inSources))).toEqual([])
})

test('tests stand beside the sources, not among them', () => {
  expect(repoFiles().filter(path => inSources(path) && isTest(path))).toEqual([])
})

test('no test is skipped', () => {
  expect(repoFiles().filter(path => isTest(path) && UNRUN.test(read(path)))).toEqual([])
})

test('self-test: a crowded folder is named', () => {
  const files = Array.from({ length: MOST_FILES }, (_, i) => `a/${i}.ts`)
  expect(crowded([...files, 'b/1.ts'])).toEqual([])
  expect(crowded([...files, 'a/more.ts'])).toEqual([`a has ${MOST_FILES + 1} files`])
})
