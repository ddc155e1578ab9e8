import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { Threads } from '../../src/support/threads/thread-pool.ts'

/** A job waits until its number is let go; shared memory tells how many have begun. */
const SCRIPT = `import { parentPort } from 'node:worker_threads'
parentPort.on('message', ({ input: { gate, begun } }) => {
  if (begun) { Atomics.add(begun, 0, 1); Atomics.notify(begun, 0) }
  if (gate) Atomics.wait(gate, 0, 0)
  parentPort.postMessage({ value: 'done' })
})
parentPort.postMessage('loaded')`

const gates: Int32Array[] = []
const flag = (): Int32Array => {
  const made = new Int32Array(new SharedArrayBuffer(4))
  gates.push(made)
  return made
}
const open = (gate: Int32Array): void => {
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
}
afterAll(() => gates.forEach(open))

test('a client that keeps every thread busy does not make another wait (R-M7)', async () => {
  const threads = new Threads(new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`), { most: 2 })
  const [gate, begun] = [flag(), flag()]
  const greedy = Array.from({ length: 4 * threads.size }, () =>
    threads.run('wait', { gate, begun }, { client: 'greedy' }),
  )
  expect(await threads.run('now', {}, { client: 'modest' })).toBe('done')
  expect(await threads.run('now', {}, { client: 'modest' })).toBe('done')
  expect(Atomics.load(begun, 0), 'no client gets more threads than there are processors').toBeLessThanOrEqual(
    threads.size,
  )
  open(gate)
  expect(await Promise.all(greedy)).toHaveLength(4 * threads.size)
})

test('a job that is given up gives its place back', async () => {
  const threads = new Threads(new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`), { most: 1 })
  const stopping = new AbortController()
  const stuck = threads.run('wait', { gate: flag() }, { client: 'a', signal: stopping.signal })
  const next = threads.run('now', {}, { client: 'a' })
  stopping.abort(new Error('enough'))
  await expect(stuck).rejects.toThrow('enough')
  expect(await next).toBe('done')
})

test('a job that is given up while its thread loads its modules leaves no file of theirs open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-threads-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const names = Array.from({ length: 40 }, (_, at) => `part-${at}.mjs`)
  for (const name of names) writeFileSync(join(folder, name), `export const text = '${'x'.repeat(20_000)}'`)
  const script = [...names.map(name => `import './${name}'`), SCRIPT].join('\n')
  writeFileSync(join(folder, 'main.mjs'), script)
  const open = (): string[] =>
    readdirSync('/proc/self/fd').flatMap(fd => {
      try {
        const path = readlinkSync(`/proc/self/fd/${fd}`)
        return path.startsWith(folder) ? [path] : []
      } catch {
        return []
      }
    })
  const threads = new Threads(pathToFileURL(join(folder, 'main.mjs')), { most: 2 })
  for (let i = 0; i < 80; i++) {
    const stopping = new AbortController()
    const job = threads.run('now', {}, { signal: stopping.signal })
    const given = setTimeout(() => stopping.abort(new Error('enough')), i)
    await job.catch(() => {})
    clearTimeout(given)
  }
  await expect.poll(open).toEqual([])
})
