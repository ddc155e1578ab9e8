import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { versions } from '@causeway/engine'
import { describe, expect, test } from 'vitest'
import type { Churn } from '../../src/toolkit/churn/churn.ts'
import { churnScore } from '../../src/toolkit/churn/churn.ts'
import { parseLog } from '../../src/toolkit/churn/history.ts'
import { call, client, folder, repository, structured, textOf, write } from './world.ts'

const lines = (n: number): string => 'x\n'.repeat(n)

async function churned(root: string, args: Record<string, unknown> = {}, roots: string[] = [root]): Promise<Churn> {
  return JSON.parse(
    textOf(await call(client({ roots }), 'analyze_code_churn', { project_path: root, format: 'json', ...args })),
  ) as Churn
}

describe('the report', () => {
  test.each(versions)('is one JSON text and the same structured value in %s', async version => {
    const { root, commit } = repository()
    commit({ 'a.txt': lines(2) })
    const result = await call(client({ roots: [root] }, { version }), 'analyze_code_churn', {
      project_path: root,
      format: 'json',
    })
    const report = JSON.parse(textOf(result)) as Churn
    expect(Object.keys(report)).toEqual(['summary', 'files'])
    expect(result.structuredContent).toEqual(structured(version, report))
  })

  test('counts distinct commits, authors and lines, hottest first', async () => {
    const { root, commit } = repository()
    commit({ 'a.txt': lines(10), 'b.txt': lines(5) }, { daysAgo: 5 })
    commit({ 'a.txt': lines(4) }, { name: 'Bob', email: 'bob@example.org', daysAgo: 3 })
    commit({ 'a.txt': lines(6) }, { daysAgo: 2 })
    const { summary, files } = await churned(root)
    expect(files).toEqual([
      {
        path: 'a.txt',
        commit_count: 3,
        unique_authors: 2,
        additions: 12,
        deletions: 6,
        churn_score: 1,
        first_seen: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        last_modified: expect.stringMatching(/Z$/),
      },
      // 0.6 · 1/3 + 0.4 · 5/18
      expect.objectContaining({ path: 'b.txt', commit_count: 1, unique_authors: 1, churn_score: 0.311 }),
    ])
    expect(Date.parse(files[0]?.last_modified ?? '') - Date.parse(files[0]?.first_seen ?? '')).toBe(3 * 86_400_000)
    expect(summary).toEqual({
      period_days: 30,
      total_commits: 3,
      total_files_changed: 2,
      total_additions: 17,
      total_deletions: 6,
      hotspot_files: ['a.txt'],
      stable_files: [],
      author_contributions: [
        { author: 'Ann', commits: 2, files: 2 },
        { author: 'Bob', commits: 1, files: 1 },
      ],
    })
  })

  test('the score is the documented one', () => {
    expect(churnScore(10 / 20, 150 / 300)).toBe(0.5)
    expect(churnScore(1, 1)).toBe(1)
  })

  test('the period is kept', async () => {
    const { root, commit } = repository()
    commit({ 'old.txt': '1' }, { daysAgo: 40 })
    commit({ 'new.txt': '1' }, { daysAgo: 10 })
    const paths = async (period_days?: number): Promise<string[]> =>
      (await churned(root, period_days === undefined ? {} : { period_days })).files.map(({ path }) => path)
    expect(await paths()).toEqual(['new.txt'])
    expect((await paths(60)).toSorted()).toEqual(['new.txt', 'old.txt'])
    expect(await paths(5)).toEqual([])
  })

  test('hotspots and stable files', async () => {
    const { root, commit } = repository()
    commit(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`stable${i}.txt`, 'x\n'])))
    for (let i = 0; i < 20; i++) commit({ 'hot.txt': lines(100 + i) })
    const { summary } = await churned(root)
    expect(summary.hotspot_files).toEqual(['hot.txt'])
    expect(summary.stable_files).toHaveLength(10)
    expect(summary.total_commits).toBe(21)
  })
})

describe('odd repositories', () => {
  test('a name that was given away and taken again counts for both files; what is gone for none', async () => {
    const { root, commit, git } = repository()
    commit({ 'a.txt': lines(9), 'gone.txt': lines(3) })
    commit({ 'a.txt': lines(10) })
    git('mv', 'a.txt', 'b.txt')
    git('rm', '-q', 'gone.txt')
    commit({})
    commit({ 'a.txt': 'new\n' })
    const { summary, files } = await churned(root)
    expect(summary).toMatchObject({ total_commits: 4, total_files_changed: 2, deleted_files: 1 })
    expect(Object.fromEntries(files.map(f => [f.path, f.commit_count]))).toEqual({ 'a.txt': 3, 'b.txt': 3 })
    const one = await churned(root, { project_path: join(root, 'b.txt') })
    expect(one.files.map(f => [f.path, f.commit_count])).toEqual([['b.txt', 3]])
  })

  test('renames are followed', async () => {
    const { root, commit, git } = repository()
    commit({ 'old name.txt': lines(20) }, { daysAgo: 5 })
    commit({ 'old name.txt': lines(21) }, { daysAgo: 4 })
    git('mv', 'old name.txt', 'new.txt')
    commit({ 'new.txt': lines(22) }, { daysAgo: 3 })
    git('mv', 'new.txt', 'newest.txt')
    commit({}, { daysAgo: 2 })
    const { files } = await churned(root)
    expect(files.map(f => [f.path, f.commit_count, f.additions])).toEqual([['newest.txt', 4, 22]])
  })

  test('names and authors with any characters', async () => {
    const { root, commit } = repository()
    const path = 'we"ird\t|\n{a => b} ü.txt'
    commit({ [path]: 'x\n' }, { name: 'A | "B" \\ <x>\tä', email: 'odd|mail@example.org' })
    const { files, summary } = await churned(root)
    expect(files[0]?.path).toBe(path)
    expect(summary.author_contributions[0]).toMatchObject({ author: expect.stringContaining('A | "B"'), commits: 1 })
  })

  test('binary files count as changed, without lines', async () => {
    const { root, commit } = repository()
    commit({ 'image.bin': '\0\u0001\u0002' })
    expect((await churned(root)).files).toMatchObject([{ path: 'image.bin', commit_count: 1, additions: 0 }])
  })

  test('an empty repository has an empty report', async () => {
    const { root } = repository()
    const { summary, files } = await churned(root)
    expect(files).toEqual([])
    expect(summary).toMatchObject({ total_commits: 0, total_files_changed: 0, author_contributions: [] })
  })

  test('a shallow repository says so, and its oldest commit did not write everything', async () => {
    const { root: source, commit } = repository()
    commit({ 'big.txt': lines(1000) }, { daysAgo: 3 })
    commit({ 'small.txt': lines(1) }, { daysAgo: 2 })
    commit({ 'small.txt': lines(2) }, { daysAgo: 1 })
    const roots = [folder()]
    const root = join(roots[0] ?? '', 'clone')
    execFileSync('git', ['clone', '-q', '--depth', '2', `file://${source}`, root])
    const { summary, files } = await churned(root, {}, roots)
    expect(summary).toMatchObject({ shallow: true, total_commits: 1 })
    expect(files.map(({ path }) => path)).toEqual(['clone/small.txt'])
  })

  test('of a directory below the top only its files are told, scored against the whole repository', async () => {
    const { root, commit } = repository()
    commit({ 'pkg/a.txt': lines(10), 'b.txt': lines(40) })
    commit({ 'b.txt': lines(41) })
    const { summary, files } = await churned(join(root, 'pkg'), {}, [root])
    // 0.6 · 1/2 + 0.4 · 10/41
    expect(files.map(f => [f.path, f.churn_score])).toEqual([['pkg/a.txt', 0.398]])
    expect(summary).toMatchObject({ total_commits: 1, total_files_changed: 1 })
  })

  test('nothing that the repository configures is run', async () => {
    const { root, commit, git } = repository()
    commit({ 'a.txt': 'x\n', '.gitattributes': '*.txt diff=evil\n' })
    const canary = join(folder(), 'canary')
    const evil = `touch ${canary}; cat`
    git('config', 'diff.evil.textconv', evil)
    git('config', 'diff.external', evil)
    git('config', 'core.pager', evil)
    git('config', 'core.fsmonitor', evil)
    git('config', 'gpg.program', evil)
    git('config', 'log.showSignature', 'true')
    expect((await churned(root)).files).toHaveLength(2)
    expect(existsSync(canary)).toBe(false)
  })

  test('what git writes is read to the letter', () => {
    const commit = (hash: string, ...changes: string[]): string =>
      [hash.repeat(40), 'Ann', 'a@b', '1700000000', 'parent', ...changes, ''].join('\0')
    expect(parseLog(commit('a') + commit('b', '\n1\t2\tx', '-\t-\ty', '3\t4\t', 'from', 'to'))).toEqual([
      { author: 'Ann', email: 'a@b', time: 1_700_000_000, hasParent: true, changes: [] },
      expect.objectContaining({
        changes: [
          { path: 'x', additions: 1, deletions: 2 },
          { path: 'y', additions: 0, deletions: 0 },
          { path: 'to', from: 'from', additions: 3, deletions: 4 },
        ],
      }),
    ])
  })
})

describe('formats', () => {
  test('CSV and Markdown have the documented heads, and the same figures', async () => {
    const { root, commit } = repository()
    commit({ 'a,b.txt': lines(3) })
    const to = client({ roots: [root] })
    const raw = async (format: string): Promise<string> =>
      textOf(await call(to, 'analyze_code_churn', { project_path: root, format }))
    const [head, row] = (await raw('csv')).split('\r\n')
    expect(head).toBe('file_path,commits,additions,deletions,churn_score,unique_authors,last_modified')
    expect(row).toMatch(/^"a,b\.txt",1,3,0,1\.000,1,\d{4}-\d\d-\d\d$/)
    const markdown = await raw('markdown')
    expect(markdown).toContain('## Top 10 Files by Churn Score')
    expect(markdown).toMatch(/\| a,b\.txt \| 1 \| 1 \| 3 \| 0 \| 1\.000 \| \d{4}-\d\d-\d\d \|/)
    const page = await raw('summary')
    expect(page).toContain('1 commit by 1 author in 30 days: 1 file changed, +3 −0 lines.')
    expect(page).toMatch(/ 1\.000 {8}1 {8}1 {6}3 {8}0 {2}\d{4}-\d\d-\d\d {2}a,b\.txt\n/)
  })
})

describe('what is refused', () => {
  test('no repository, a missing path, one outside, a repository above the root', async () => {
    const { root, commit } = repository()
    commit({ 'sub/a.txt': 'x' })
    const plain = write(folder(), { 'a.txt': 'x' })
    await expect(churned(plain)).rejects.toMatchObject({
      message: expect.stringMatching(/not inside a git repository/),
    })
    await expect(churned(join(plain, 'gone'), {}, [plain])).rejects.toMatchObject({ message: /does not exist/ })
    await expect(churned(root, {}, [plain])).rejects.toMatchObject({ code: -32602 })
    await expect(churned(join(root, 'sub'))).rejects.toMatchObject({ message: expect.stringMatching(/repository/) })
  })

  test('a period that is none', async () => {
    const { root } = repository()
    for (const period_days of [0, -3, '30 days']) {
      await expect(churned(root, { period_days })).rejects.toMatchObject({ code: -32602 })
    }
  })
})

describe('find_hotspots', () => {
  const ifs = (n: number, name = 'f'): string => `const ${name} = a => {\n${'  if (a) a()\n'.repeat(n)}}\n`

  test('complex files that change often come first', async () => {
    const { root, commit } = repository()
    commit({ 'complex.ts': ifs(20), 'simple.ts': ifs(0), 'calm.ts': ifs(30), 'notes.md': 'x' }, { daysAgo: 90 })
    for (let i = 1; i < 5; i++)
      commit({ 'complex.ts': ifs(20 + i), 'simple.ts': `// ${i}\n${ifs(0)}`, 'notes.md': `${i}` })
    const found = await client({ roots: [root] }).call('find_hotspots', { project_path: root, period_days: 30 })
    expect(found).toEqual({
      summary: {
        period_days: 30,
        files_analysed: 3,
        files_changed: 1,
        tests_left_out: 0,
        generated_left_out: 0,
      },
      total: 1,
      hotspots: [
        {
          rank: 1,
          file: 'complex.ts',
          score: expect.any(Number),
          churn_score: expect.any(Number),
          commit_count: 4,
          complexity: 21, // 24 and 3 that are easy
          worst_function: 'f:1',
          worst_cognitive: 24,
          function_count: 1,
        },
      ],
    })
  })

  test('rank what people maintain, and not many easy functions', async () => {
    const { root, commit } = repository()
    const easy = Array.from({ length: 200 }, (_, i) => ifs(4, `f${i}`)).join('')
    commit({ 'hard.ts': ifs(40), 'easy.ts': easy })
    commit({
      'src/a.test.ts': ifs(90),
      'tests/b.ts': ifs(90),
      'dist/c.js': ifs(90),
      'd.ts': `// Code generated by x. DO NOT EDIT.\n${ifs(90)}`,
      'hard.ts': ifs(41),
    })
    const to = client({ roots: [root] })
    const ranked = async (more: object): Promise<string[]> => {
      const { hotspots } = (await to.call('find_hotspots', { project_path: root, ...more })) as {
        hotspots: { file: string }[]
      }
      return hotspots.map(({ file }) => file)
    }
    expect(await ranked({})).toEqual(['hard.ts', 'easy.ts'])
    expect((await ranked({ include_tests: true })).toSorted()).toEqual([
      'd.ts',
      'dist/c.js',
      'easy.ts',
      'hard.ts',
      'src/a.test.ts',
      'tests/b.ts',
    ])
  })
})

test('get_server_info says who and what', async () => {
  expect(await client().call('get_server_info')).toMatchObject({
    name: 'toolkit',
    version: '1',
    template_toolchains: ['rust', 'deno', 'python-uv', 'node', 'go', 'any'],
    languages: expect.arrayContaining(['rust', 'typescript', 'python', 'go', 'java', 'csharp', 'cpp']),
  })
})
