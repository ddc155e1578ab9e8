/** What takes a plan of the full size, made or imported several times over. */
import { execFile } from 'node:child_process'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { sourceOf } from '@causeway/packs/cassini'
import { expect, test } from 'vitest'
import { databases } from '../../src/cassini/plan/files.ts'
import { syntheticRows } from '../../src/cassini/plan/synthetic.ts'
import { folder, list, serve } from './fixture.ts'
import { HEADER, disguised, load, quoted } from './plan-files.ts'

// The thread as it was built before the tests.
const worker = new URL('../../dist/cassini-worker.js', import.meta.url)

test('all generated rows are refused, in other words too', async () => {
  const all = [...syntheticRows()].map(disguised).map(quoted)
  await expect(load([HEADER, ...all].join('\n'), { lenient: true })).rejects.toThrow(/generated/)
})

test('rows with the totals of the public plan are not it', async () => {
  const [YEAR, DAY] = [4, 8]
  // A year later, or on the next day: every total stays.
  const moved = [...syntheticRows()].map(row => {
    const [start = ''] = row
    const day = (Number(start.slice(YEAR + 1, DAY)) % 365) + 1
    return row.with(0, `${start.slice(0, YEAR + 1)}${String(day).padStart(3, '0')}${start.slice(DAY)}`)
  })
  const { about } = await load([HEADER, ...moved.map(quoted)].join('\n'))
  expect(about).toMatchObject({ rows: 61_873, isPublicPlan: false })
  expect(about && sourceOf(about)).toMatch(/, not the public master plan$/)
}, 120_000)

test('a damaged or old synthetic plan is made anew', async () => {
  const data = folder()
  const { synthetic } = databases(data)
  writeFileSync(synthetic, 'SQLite format 3\0 but nothing more')
  expect(await list(serve({ data }), 'query_observations_by_team', { team: 'ISS' })).toMatchObject({ total: 8989 })
  expect(readFileSync(synthetic).length).toBeGreaterThan(1_000_000)
  expect(readdirSync(data)).toHaveLength(1)
}, 120_000)

test('processes that start at once do not spoil each other’s database', async () => {
  const shared = folder()
  const script = `
    import { Worker } from 'node:worker_threads'
    const workerData = { data: ${JSON.stringify(shared)}, stop: new SharedArrayBuffer(4) }
    const worker = new Worker(new URL(${JSON.stringify(worker.href)}), { workerData, execArgv: [] })
    worker.on('message', outcome => { if (outcome === 'loaded') return; console.log(JSON.stringify(outcome.value)); process.exit() })
    worker.postMessage({ job: 'ask', input: { kind: 'about' } })`
  const run = promisify(execFile)
  const start = () => run(process.execPath, ['--input-type=module', '--eval', script])
  const outcomes = await Promise.all([start(), start(), start()])
  outcomes.push(await start())
  for (const { stdout, stderr } of outcomes) {
    expect(JSON.parse(stdout)).toMatchObject({ answer: { about: { synthetic: true }, value: { rows: 61_873 } } })
    expect(stderr).toBe('')
  }
  expect(readdirSync(shared)).toEqual(['cassini-synthetic-2.db'])
}, 120_000)
