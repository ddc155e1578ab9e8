import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { Threads } from '../../packages/packs/src/support/threads/thread-pool.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-threads-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A thread that works, dies in the middle, or eats all its memory, as it is asked to. */
const script = join(folder, 'thread.mjs')
writeFileSync(
  script,
  `import { parentPort } from 'node:worker_threads'
   const held = []
   parentPort.on('message', ({ job, input }) => {
     if (job === 'die') process.exit(1)
     if (job === 'eat') for (;;) held.push(new Array(100_000).fill(held.length))
     parentPort.postMessage({ value: input })
   })
   parentPort.postMessage('loaded')`,
)
const pool = (): Threads => new Threads(pathToFileURL(script), { most: 1, memoryMb: 32 })

test.each([
  ['die', /The thread that ran 'die' ended unexpectedly/],
  ['eat', /memory/],
])(
  'a thread that is killed in the middle of "%s" fails its job in words, and the next one is done',
  async (job, why) => {
    const threads = pool()
    expect(await threads.run('echo', 1)).toBe(1)
    const [killed, waiting] = await Promise.allSettled([threads.run(job, 2), threads.run('echo', 3)])
    expect(killed).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(why) as string } })
    expect(waiting).toEqual({ status: 'fulfilled', value: 3 })
    expect(await threads.run('echo', 4)).toBe(4)
  },
)
