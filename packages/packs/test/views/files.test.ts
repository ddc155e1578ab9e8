import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { packView } from '../../src/support/views.ts'
import type { ViewName } from '../../src/support/views.ts'
import { readDiff } from '../../src/views/runtime/diff.ts'
import { lanesOf } from '../../src/views/runtime/lanes.ts'
import { readReport } from '../../src/views/runtime/report.ts'

const folder = fileURLToPath(new URL('../../dist/views/', import.meta.url))

test('each view is one small file that loads nothing', () => {
  const names = readdirSync(folder)
  expect(names).toHaveLength(9)
  for (const name of names) {
    const html = readFileSync(`${folder}${name}`, 'utf8')
    expect(Buffer.byteLength(html)).toBeLessThan(150_000)
    expect(html).toContain("default-src 'none'")
    expect(html.replaceAll(/http:\/\/www\.w3\.org\/[\w/]+/g, '')).not.toMatch(/https?:\/\/|@import|\bsrc=|<link|url\(/)
    const view = packView(name.replace('.html', '') as ViewName)
    expect(view).toMatchObject({ uri: `ui://causeway/${name}`, forApps: true })
  }
})

test('a line that looks like a head of a diff is one of its hunk all the same', () => {
  const { files } = readDiff(
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n+++ b/y\n same\ndiff --git a/z b/z\nnew file mode 100644',
  )
  expect(files.map(({ path, added, deleted }) => [path, added, deleted])).toEqual([
    ['x', 1, 1],
    ['z', 0, 0],
  ])
})

test('a branch has a lane from where it is merged to where it began', () => {
  const rows = lanesOf([
    { hash: 'm', parents: ['a', 'b'] },
    { hash: 'b', parents: ['r'] },
    { hash: 'a', parents: ['r'] },
    { hash: 'r', parents: [] },
  ])
  expect(rows.map(({ lane }) => lane)).toEqual([0, 1, 0, 1])
  expect(rows[0]?.lines).toEqual([
    { from: 0, to: 0 },
    { from: 0, to: 1 },
  ])
})

test('a report says what failed, where, and how much passed', () => {
  const words =
    "'npm test' failed.\nFailures (1):\n- a.ts:3:1 adds up\n    expected 1\n# pass 3\n# fail 1\n[stdout]\nrest"
  expect(readReport(words)).toMatchObject({
    head: "'npm test' failed.",
    failures: [{ place: 'a.ts:3:1', title: 'adds up', detail: ['expected 1'] }],
    counts: { passed: 3, failed: 1 },
    output: '[stdout]\nrest',
  })
})
