import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Threads } from '../../src/support/threads/thread-pool.ts'
import { createPool } from '../../src/toolkit/analysis/pool.ts'
import type { Report } from '../../src/toolkit/analysis/report.ts'
import { buildWorker } from './worker-script.ts'
import { call, client, folder, textOf, write } from './world.ts'

let worker: URL
let remove: () => void
beforeAll(async () => {
  const built = await buildWorker()
  worker = built.url
  remove = built.remove
})
afterAll(() => remove())

/** A file that takes a parser a good while. */
const slow = (): string => `const slow = a => {\n${'  if (a && a.b || a.c) { a(x => x ? 1 : 2) }\n'.repeat(30_000)}}\n`

test('threads find the same as this thread does', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`f${i}.js`, `const f${i} = a => a ${'&& a '.repeat(i)}\n`]),
  )
  const root = write(folder(), files)
  const args = { project_path: root, toolchain: 'node', format: 'full' }
  const [threaded, plain] = await Promise.all([
    call(client({ roots: [root], worker }), 'analyze_complexity', args),
    call(client({ roots: [root] }), 'analyze_complexity', args),
  ])
  const report = JSON.parse(textOf(threaded)) as Report
  expect(report).toEqual(JSON.parse(textOf(plain)))
  expect(report.summary).toMatchObject({ total_files: 50, max_cyclomatic: 50 })
})

test('other calls are answered while an analysis runs, and cancelling it takes no time', async () => {
  const root = write(folder(), { 'slow.js': slow() })
  const to = client({ roots: [root], worker }, { version: '2025-11-25' })
  await to.request('tools/list')
  const raw = { jsonrpc: '2.0', id: 'slow', method: 'tools/call' }
  const params = { name: 'analyze_complexity', arguments: { project_path: root, toolchain: 'node' } }
  let isDone = false
  const running = to.raw(JSON.stringify({ ...raw, params })).then(answer => {
    isDone = true
    return answer
  })
  for (let i = 0; i < 20; i++) {
    const { files } = (await to.call('scaffold_project', {
      toolchain: 'go',
      templates: ['makefile'],
      parameters: { project_name: 'x' },
    })) as { files: unknown[] }
    expect(files).toHaveLength(1)
  }
  expect(isDone).toBe(false)
  await to.notify('notifications/cancelled', { requestId: 'slow' })
  expect(await running).toBeUndefined()
})

test('a cancelled batch is given up at once, its thread too, and the pool goes on', async () => {
  const root = write(folder(), { 'slow.js': slow(), 'quick.js': 'const quick = a => a || 1\n' })
  const pool = createPool(worker)
  expect(pool.size).toBe(Math.min(8, availableParallelism()))
  const quick = { path: join(root, 'quick.js'), top: root, file: './quick.js' }
  const wanted = {}
  await pool.run([quick], wanted)
  const stopping = new AbortController()
  const target = { path: join(root, 'slow.js'), top: root, file: './slow.js' }
  // More than there are threads, so that some are running and some wait; ten times the work of one.
  const batches = Array.from({ length: pool.size + 2 }, () =>
    pool.run(
      Array.from({ length: 10 }, () => target),
      { signal: stopping.signal },
    ),
  )
  const outcomes = Promise.allSettled(batches)
  await setImmediate()
  const began = process.cpuUsage()
  stopping.abort(new Error('enough'))
  expect(await outcomes).toEqual(batches.map(() => ({ status: 'rejected', reason: new Error('enough') })))
  // Every place was taken: this one is only served once a busy thread has ended.
  const [measured] = await pool.run([quick], wanted)
  expect(measured?.functions[0]).toMatchObject({ name: 'quick', cyclomatic: 2 })
  // Of the processor, in all threads: going on to the end would take several times as much.
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(5000)
})

test('a pool does not begin what is not wanted', async () => {
  const none = AbortSignal.abort(new Error('never'))
  await expect(createPool(worker).run([], { signal: none })).rejects.toThrow('never')
})

test('a thread that fails is an error, not silence', async () => {
  const root = write(folder(), { 'bad.mjs': 'throw new Error("no thread")' })
  const run = (script: string): Promise<unknown> => createPool(pathToFileURL(join(root, script))).run([], {})
  await expect(run('bad.mjs')).rejects.toThrow('no thread')
  await expect(run('missing.mjs')).rejects.toThrow('missing.mjs')
})

test('a thread that is being ended, since it was idle, is given no job', async () => {
  const threads = new Threads(worker, { idleMs: 1 })
  const root = write(folder(), { 'a.js': '' })
  const find = (): Promise<unknown> => threads.run('find', { top: root, below: '' })
  await find()
  for (let i = 0; i < 5; i++) {
    // It ends in this turn of the loop, but has not ended yet.
    await new Promise(resolve => void setTimeout(resolve, 1))
    expect(await find()).toMatchObject({ files: ['a.js'] })
  }
})
