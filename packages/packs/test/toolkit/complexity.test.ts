import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createServer, versions } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Client } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'
import { describe, expect, test } from 'vitest'
import { totalScore } from '../../src/toolkit/analysis/ranking.ts'
import type { Report } from '../../src/toolkit/analysis/report.ts'
import { sarifProblems } from './sarif.ts'
import { call, client, dialect, folder, repository, structured, textOf, write } from './world.ts'

/** A function of a given cyclomatic complexity, whose cognitive complexity is one less. */
const ifs = (name: string, cyclomatic: number): string =>
  `function ${name}(a) {\n${'  if (a) a()\n'.repeat(cyclomatic - 1)}}\n`

function project(): string {
  return write(folder(), {
    'src/plain.ts': ifs('plain', 1),
    'src/warm.ts': ifs('warm', 11) + ifs('cool', 10),
    'src/hot.ts': `class Hot {\n  method(a) {\n${'    if (a) a()\n'.repeat(20)}  }\n}\n`,
    'lib/deep.js': 'const deep = a => { if (a) { for (;;) { while (a) { if (a) { for (;;) { a() } } } } } }\n',
    'README.md': '# no code',
  })
}

async function analyse(to: Client, args: Record<string, unknown>): Promise<Report> {
  return JSON.parse(
    textOf(await call(to, 'analyze_complexity', { toolchain: 'node', format: 'json', ...args })),
  ) as Report
}

describe('the report', () => {
  test.each(versions)('is one JSON text and the same structured value in %s', async version => {
    const root = project()
    const to = client({ roots: [root] }, { version })
    const result = await call(to, 'analyze_complexity', { project_path: root, toolchain: 'deno', format: 'json' })
    const report = JSON.parse(textOf(result)) as Report
    expect(Object.keys(report)).toEqual(['summary', 'violations'])
    expect(result.structuredContent).toEqual(structured(version, report))
  })

  test('sums up files, functions, averages, medians, percentiles and debt', async () => {
    const root = project()
    const { summary } = await analyse(client({ roots: [root] }), { project_path: root })
    // Cyclomatic 1, 10, 11, 21, 6; cognitive 0, 9, 10, 20, 1+2+3+4+5.
    expect(summary).toEqual({
      total_files: 4,
      total_functions: 5,
      total_lines: 50,
      avg_cyclomatic: 9.8,
      median_cyclomatic: 10,
      p90_cyclomatic: 21,
      max_cyclomatic: 21,
      avg_cognitive: 10.8,
      median_cognitive: 10,
      p90_cognitive: 20,
      max_cognitive: 20,
      errors: 1,
      warnings: 2,
      // 1 · 30 min above 20, 1 · 15 min above 10, 5 · 15 min above 15.
      technical_debt_hours: 2,
    })
  })

  test('warns above 10 and 15, fails above 20 and 30', async () => {
    const root = project()
    const { violations } = await analyse(client({ roots: [root] }), { project_path: root })
    expect(violations).toEqual([
      {
        severity: 'error',
        rule: 'cyclomatic-complexity',
        message: `'Hot.method' has a cyclomatic complexity of 21, above 20`,
        value: 21,
        threshold: 20,
        file: 'src/hot.ts',
        line: 2,
        function: 'Hot.method',
      },
      expect.objectContaining({ severity: 'warning', rule: 'cognitive-complexity', value: 20, threshold: 15 }),
      expect.objectContaining({ severity: 'warning', function: 'warm', value: 11, threshold: 10, line: 1 }),
    ])
  })

  test('a given maximum fails above it and warns above three quarters of it', async () => {
    const root = project()
    const to = client({ roots: [root] })
    const found = async (more: Record<string, unknown>): Promise<unknown> => {
      const { violations } = await analyse(to, { project_path: root, ...more })
      const cyclomatic = violations.filter(v => v.rule === 'cyclomatic-complexity')
      return cyclomatic.map(v => [v.function, v.severity, v.threshold])
    }
    expect(await found({ max_cyclomatic: 12 })).toEqual([
      ['Hot.method', 'error', 12],
      ['warm', 'warning', 9],
      ['cool', 'warning', 9],
    ])
    expect(await found({ max_cyclomatic: 40 })).toEqual([])
    const { violations } = await analyse(to, { project_path: root, max_cognitive: 9 })
    const cognitive = violations.filter(v => v.rule === 'cognitive-complexity')
    expect(cognitive.map(v => [v.function, v.severity])).toEqual([
      ['deep', 'error'],
      ['Hot.method', 'error'],
      ['warm', 'error'],
      ['cool', 'warning'],
    ])
  })

  test('ranks files as documented, and only if asked to', async () => {
    const root = project()
    const to = client({ roots: [root] })
    const { top_files } = await analyse(to, { project_path: root, top_files: 2 })
    expect(top_files).toEqual({
      requested: 2,
      returned: 2,
      rankings: [
        {
          rank: 1,
          file: 'src/hot.ts',
          function_count: 1,
          max_cyclomatic: 21,
          avg_cognitive: 20,
          halstead_effort: expect.any(Number),
          total_score: 24.9, // 0.8·21 + 0.4·20 + 0.1·1
        },
        expect.objectContaining({ rank: 2, file: 'src/warm.ts', function_count: 2, total_score: 12.8 }),
      ],
    })
    expect(await analyse(to, { project_path: root, top_files: 0 })).not.toHaveProperty('top_files')
    expect((await analyse(to, { project_path: root, top_files: 50 })).top_files).toMatchObject({ returned: 4 })
  })

  test('of one file is that of the file alone', async () => {
    const root = project()
    const to = client({ roots: [root] })
    const { summary, violations } = await analyse(to, { project_path: join(root, 'src/warm.ts') })
    expect(summary).toMatchObject({ total_files: 1, total_functions: 2, max_cyclomatic: 11 })
    expect(violations.map(v => v.file)).toEqual(['src/warm.ts'])
    await expect(
      call(to, 'analyze_complexity', { project_path: 'src/warm.ts', toolchain: 'rust' }),
    ).rejects.toMatchObject({ message: expect.stringMatching(/is typescript, not rust; use toolchain deno or node/) })
  })

  test('as a summary is one page, the worst first', async () => {
    const root = project()
    const to = client({ roots: [root] })
    const page = textOf(await call(to, 'analyze_complexity', { project_path: root, toolchain: 'node', top_files: 2 }))
    expect(page.split('\n').slice(0, 8)).toEqual([
      '5 functions in 4 files, 50 lines.',
      'Cyclomatic: mean 9.8, median 10, 90th percentile 21, max 21.',
      'Cognitive: mean 10.8, median 10, 90th percentile 20, max 20.',
      '1 error (above 20 cyclomatic or 30 cognitive), 2 warnings (above 10 or 15); technical debt 2 h.',
      '',
      'Worst 5; 2 functions above a threshold:',
      '  cyclomatic  cognitive  lines  function',
      '          21         20     22  Hot.method src/hot.ts:2',
    ])
    expect(page).toContain('Most complex files (2 of 2 ranked)')
    const many = write(folder(), { 'a.ts': Array.from({ length: 60 }, (_, i) => ifs(`f${i}`, 12)).join('') })
    const long = textOf(
      await call(client({ roots: [many] }), 'analyze_complexity', { project_path: many, toolchain: 'node' }),
    )
    expect(long).toContain('Worst 10; 60 functions above a threshold:')
    expect(long.split('\n').length).toBeLessThan(60)
  })

  test('the score is the documented one', () => {
    expect(totalScore({ max_cyclomatic: 32, avg_cognitive: 5.8, function_count: 30 })).toBeCloseTo(30.92, 10)
    expect(totalScore({ max_cyclomatic: 999, avg_cognitive: 999, function_count: 999 })).toBe(90)
  })
})

describe('formats', () => {
  test('score a function the same in all of them', async () => {
    const root = project()
    const to = client({ roots: [root] })
    const raw = async (format: string): Promise<string> =>
      textOf(await call(to, 'analyze_complexity', { project_path: root, toolchain: 'node', format, top_files: 1 }))
    const full = JSON.parse(await raw('full')) as Report
    const method = full.files?.find(({ file }) => file === 'src/hot.ts')?.functions[0]
    expect(method).toMatchObject({
      name: 'Hot.method',
      line: 2,
      end_line: 23,
      lines: 22,
      cyclomatic: 21,
      cognitive: 20,
      nesting: 1,
      parameters: 1,
      halstead: { volume: expect.any(Number), difficulty: expect.any(Number), effort: expect.any(Number) },
      maintainability: expect.any(Number),
    })
    expect(full.top_files?.rankings[0]?.halstead_effort).toBe(method?.halstead.effort)
    expect(await raw('csv')).toContain(
      `src/hot.ts,2,Hot.method,21,20,1,22,1,${method?.halstead.volume},${method?.halstead.difficulty},${method?.halstead.effort},${method?.maintainability}\r\n`,
    )
    expect(await raw('markdown')).toContain('| error | src/hot.ts | 2 | Hot.method | cyclomatic-complexity | 21 | 20 |')
    expect(await raw('sarif')).toContain(`'Hot.method' has a cyclomatic complexity of 21, above 20`)
    expect((JSON.parse(await raw('json')) as Report).summary).toEqual(full.summary)
    expect(await raw('summary')).toMatch(/^ +21 +20 +22 {2}Hot\.method src\/hot\.ts:2$/m)
  })

  test('markdown puts the ranking first', async () => {
    const root = project()
    const args = { project_path: root, toolchain: 'node', format: 'markdown', top_files: 1 }
    const lines = textOf(await call(client({ roots: [root] }), 'analyze_complexity', args)).split('\n')
    expect(lines[2]).toBe('## Top files by complexity')
    expect(lines[6]).toMatch(/^\| 1 \| src\/hot\.ts \| 1 \| 21 \| 20 \| [\d.]+ \| 24\.9 \|$/)
  })

  test('SARIF is SARIF 2.1.0, whatever the files are called', async () => {
    const root = write(project(), { 'src/a b%[1]#?.js': ifs('odd', 30), 'src/bad.js': 'function ( {' })
    const args = { project_path: root, toolchain: 'node', format: 'sarif' }
    const result = await call(client({ roots: [root] }), 'analyze_complexity', args)
    const document = JSON.parse(textOf(result)) as { runs: { results: unknown[] }[] }
    expect(result.structuredContent).toEqual(document)
    expect(sarifProblems(document)).toEqual([])
    expect(document.runs[0]?.results.length).toBeGreaterThan(3)
    expect(JSON.stringify(document)).toContain('src/a%20b%25%5B1%5D%23%3F.js')
    expect(JSON.stringify(document)).toContain('Syntax error')
  })

  test('the check of SARIF notices what is wrong', () => {
    expect(sarifProblems({ version: '2.0.0', runs: [{ tool: {}, results: [{ level: 'bad' }] }] })).not.toEqual([])
  })

  test('called by its own name, the answer is the report itself', async () => {
    const root = project()
    const server = createServer({ name: 'toolkit', version: '1', dialect }).add(toolkit({ roots: [root] }))
    const to = connect(server, { version: '2024-11-05', direct: true })
    await to.request('tools/list')
    const params = { project_path: './/', toolchain: 'node', format: 'json', top_files: 5 }
    const answer = await to.raw(JSON.stringify({ jsonrpc: '2.0', method: 'analyze_complexity', params, id: 1 }))
    const { result } = JSON.parse(answer ?? '') as { result: Report }
    expect(Object.keys(result)).toEqual(['summary', 'violations', 'top_files'])
  })
})

describe('which files', () => {
  const one = 'export const one = () => 1\n'
  const names = async (to: Client, args: Record<string, unknown>): Promise<string[]> => {
    const { files = [] } = await analyse(to, { format: 'full', ...args })
    return files.map(({ file }) => file)
  }

  test('.gitignore is respected at every level, what others wrote is skipped, links are not followed', async () => {
    const root = write(folder(), {
      '.gitignore': '*.gen.ts\n/out/\n',
      'a.ts': one,
      'b.gen.ts': one,
      'out/c.ts': one,
      'src/.gitignore': '!d.gen.ts\nsecret.ts\n',
      'src/d.gen.ts': one,
      'src/secret.ts': one,
      'src/out/e.ts': one,
      'node_modules/x/f.ts': one,
      'target/g.ts': one,
      'vendor/h.ts': one,
    })
    const outside = write(folder(), { 'i.ts': one })
    symlinkSync(outside, join(root, 'link'))
    symlinkSync(join(outside, 'i.ts'), join(root, 'j.ts'))
    const to = client({ roots: [root] })
    expect(await names(to, { project_path: root })).toEqual(['a.ts', 'src/d.gen.ts', 'src/out/e.ts'])
  })

  test('below the top of a repository, its .gitignore still counts', async () => {
    const { root } = repository(write(folder(), { '.gitignore': 'gen/\n', 'pkg/gen/a.ts': one, 'pkg/b.ts': one }))
    expect(await names(client({ roots: [root] }), { project_path: join(root, 'pkg') })).toEqual(['pkg/b.ts'])
  })

  test('include and exclude', async () => {
    const root = write(folder(), { 'src/a.ts': one, 'src/b.test.ts': one, 'lib/c.js': one, 'lib/x/d.tsx': one })
    const to = client({ roots: [root] })
    expect(await names(to, { project_path: root, include: ['src'] })).toEqual(['src/a.ts', 'src/b.test.ts'])
    expect(await names(to, { project_path: root, include: ['src/**', '*.tsx'], exclude: ['*.test.ts'] })).toEqual([
      'lib/x/d.tsx',
      'src/a.ts',
    ])
    expect(await names(to, { project_path: root, include: ['**/*.{js,tsx}'] })).toEqual(['lib/c.js', 'lib/x/d.tsx'])
    expect(await names(to, { project_path: root, exclude: ['lib/', './src/b.test.ts'] })).toEqual(['src/a.ts'])
  })

  test('each toolchain means its languages', async () => {
    const root = write(folder(), {
      'a.rs': 'fn a() {}',
      'b.py': 'def b(): pass',
      'c.go': 'package c\nfunc c() {}',
      'D.java': 'class D { void d() {} }',
      'E.cs': 'class E { void e() {} }',
      'f.cpp': 'int f() { return 1; }',
      'g.ts': one,
    })
    const to = client({ roots: [root] })
    const expected = {
      rust: 'a.rs',
      'python-uv': 'b.py',
      go: 'c.go',
      java: 'D.java',
      csharp: 'E.cs',
      cpp: 'f.cpp',
      deno: 'g.ts',
    }
    for (const [toolchain, file] of Object.entries(expected)) {
      expect(await names(to, { project_path: root, toolchain })).toEqual([file])
    }
  })

  test('what cannot be parsed or read is reported, and not counted', async () => {
    const root = write(folder(), { 'a.ts': one, 'broken.ts': 'class { ((', 'binary.ts': 'a\0b' })
    const { summary, unparsable } = await analyse(client({ roots: [root] }), { project_path: root })
    expect(summary.total_files).toBe(1)
    expect(unparsable).toEqual([
      { file: 'binary.ts', reason: 'Not a text' },
      { file: 'broken.ts', line: 1, reason: 'Syntax error' },
    ])
  })
})

describe('what is refused', () => {
  const refused = async (root: string, args: Record<string, unknown>): Promise<unknown> =>
    call(client({ roots: [root] }), 'analyze_complexity', { toolchain: 'node', ...args })

  test('no files, with what was found instead', async () => {
    const root = write(folder(), { 'a.md': '#', '.gitignore': 'x.ts', 'x.ts': '1', 'b/c.ts': '1' })
    await expect(refused(root, { project_path: root, include: ['nothing'] })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(/0 files analysed \(found 2 of other kinds, 1 ignored by \.gitignore, 1 left out/),
    })
    await expect(refused(root, { project_path: root, toolchain: 'rust' })).rejects.toMatchObject({
      message: expect.stringMatching(/^No rust files to analyse/),
    })
  })

  test('a path that is missing, outside, of another language or a way out', async () => {
    const root = write(folder(), { 'a.ts': '1', 'a.py': '1', 'a.txt': '1' })
    const outside = write(folder(), { 'b.ts': '1' })
    mkdirSync(join(root, 'sub'))
    symlinkSync(outside, join(root, 'sub/link'))
    for (const project_path of [
      join(root, 'gone'),
      outside,
      '/',
      '..',
      'sub/link',
      join(root, 'a.py'),
      join(root, 'a.txt'),
    ]) {
      await expect(refused(root, { project_path })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining("'path'"),
      })
    }
  })

  test('an unknown toolchain or format, with the nearest there is', async () => {
    const root = project()
    await expect(refused(root, { project_path: root, toolchain: 'rsut', format: 'cvs' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/toolchain[^]*format/),
    })
  })
})

test('progress is told as the work goes on', async () => {
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}.ts`, ifs(`f${i}`, 3)]))
  const root = write(folder(), files)
  const to = client({ roots: [root] })
  await to.request('tools/call', {
    name: 'analyze_complexity',
    arguments: { project_path: root, toolchain: 'node' },
    _meta: { progressToken: 'p' },
  })
  const progress = to.seen.map(message => ('params' in message ? message.params : undefined))
  expect(progress.at(-1)).toMatchObject({ progressToken: 'p', progress: 40, total: 40 })
  expect(progress.length).toBeGreaterThan(3)
})
