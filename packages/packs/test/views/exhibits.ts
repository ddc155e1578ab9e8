/** What no view may take for anything but text. */
export const HOSTILE: string = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'

/** A view with a call that it stands beside: everything in it that others wrote is hostile. */
export interface Exhibit {
  readonly view: string
  readonly input: Record<string, unknown>
  readonly text?: string
  readonly structured?: Record<string, unknown>
  readonly isError?: boolean
  /** The tool that the view asks, and what that one answers. */
  readonly asks?: readonly [tool: string, answer: Record<string, unknown>]
  /** The role and name of the marks that the arrow keys walk through. */
  readonly marks?: boolean
  /** Shown, in addition to what is hostile. */
  readonly shows: string
}

const file = `src/${HOSTILE}.ts`
const summary = (of: Record<string, unknown>): Record<string, unknown> => ({ summary: of })

const diff = `commit abc
    ${HOSTILE}

diff --git a/${file} b/${file}
--- a/${file}
+++ b/${file}
@@ -1,3 +1,3 @@
 same ${HOSTILE}
---- deleted ${HOSTILE}
++++ added ${HOSTILE}
 last
`

const spots = [1, 2, 3].map(i => ({
  file: i === 1 ? file : `src/${i}.ts`,
  score: 4 - i,
  commit_count: i * 3,
  complexity: 12 / i,
  function_count: i,
  lines: i * 40,
  worst_function: `${HOSTILE}:1`,
}))

const buckets = ['2026-01-01', '2026-01-08', '2026-01-15'].map((start, i) => ({
  start,
  commits: i,
  additions: i * 10,
  deletions: i * 4,
  count: i + 1,
  hours: i,
}))

const commits = [
  {
    hash: 'aaa1',
    parents: ['bbb2', 'ccc3'],
    refs: ['main', HOSTILE],
    author: HOSTILE,
    date: '2026-01-02',
    subject: HOSTILE,
  },
  { hash: 'ccc3', parents: ['ddd4'], refs: [], author: 'a', date: '2026-01-01', subject: 'on a branch' },
  { hash: 'bbb2', parents: ['ddd4'], refs: [], author: 'a', date: '2026-01-01', subject: 'on main' },
  { hash: 'ddd4', parents: [], refs: [`tag: ${HOSTILE}`], author: 'a', date: '2026-01-01', subject: 'first' },
]

const complexity = {
  ...summary({ total_functions: 3, total_files: 1, median_cyclomatic: 2, errors: 1 }),
  thresholds: { cyclomatic: { warn: 10, fail: 20 }, cognitive: { warn: 15, fail: 30 } },
  cyclomatic: [0, 2, 1],
  cognitive: [3],
  functions: [{ file, name: HOSTILE, line: 1, lines: 3, cyclomatic: 2, cognitive: 0 }],
}

/** Every view. */
export const exhibits: readonly Exhibit[] = [
  {
    view: 'hotspots',
    input: { project_path: '.' },
    text: JSON.stringify({ hotspots: spots.slice(0, 1) }),
    asks: ['view_hotspots', { hotspots: spots }],
    marks: true,
    shows: '3 files that are complex',
  },
  {
    view: 'complexity',
    input: { project_path: '.' },
    text: '3 functions',
    asks: ['view_complexity', complexity],
    marks: true,
    shows: 'The most complex functions',
  },
  {
    view: 'churn',
    input: { project_path: '.' },
    text: '3 commits',
    asks: [
      'view_churn',
      {
        ...summary({ total_commits: 3, author_contributions: [{ author: HOSTILE }] }),
        files: [{ path: file }],
        days: 7,
        buckets,
      },
    ],
    marks: true,
    shows: 'files changed',
  },
  {
    view: 'dependencies',
    input: { project_path: '.' },
    text: '{}',
    asks: [
      'view_dependencies',
      {
        level: 'file',
        total: 3,
        nodes: [file, 'b.ts', 'c.ts'],
        edges: [
          [0, 1],
          [1, 0],
          [1, 2],
        ],
        cycles: [{ size: 2, path: [file, 'b.ts', file] }],
      },
    ],
    marks: true,
    shows: '3 files; 1 cycles',
  },
  { view: 'git-log', input: {}, text: HOSTILE, asks: ['view_git_log', { commits, more: false }], shows: '4 commits' },
  { view: 'diff', input: {}, text: diff, shows: '1 file, +1 −1' },
  {
    view: 'search',
    input: { content: 'img' },
    structured: { total: 2, matches: [{ path: file, line: 3, text: HOSTILE, before: [HOSTILE], after: [] }] },
    shows: '1 of 2 results in 1 files',
  },
  {
    view: 'build',
    input: {},
    isError: true,
    text: `'npm test' failed with exit code 1.\nFailures (1):\n- src/a.ts:3:1 ${HOSTILE}\n    expected ${HOSTILE}\n1 passing\n2 failing\n[stdout]\n${HOSTILE}`,
    shows: '✗ Failed',
  },
  {
    view: 'cassini',
    input: { bucket: 'year' },
    structured: { synthetic: true, total: 6, buckets, targets: [{ name: HOSTILE, count: 3, hours: 2 }] },
    marks: true,
    shows: 'Cassini: all targets',
  },
]
