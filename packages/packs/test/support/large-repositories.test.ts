import { expect, test } from 'vitest'
import { gitlinks, gitlinksInSlices } from '../../src/support/git/index-file.ts'
import { packedRefs } from '../../src/support/git/refs.ts'

/** How often the event loop got its turn during work that waits for nothing else. */
async function turnsDuring<T>(work: () => Promise<T>): Promise<{ turns: number; result: T }> {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const result = await work()
  isOver = true
  return { turns, result }
}

const HASH = 'ab'.repeat(20)

test('packed refs are read in slices, so that other calls are served in between (R-M8)', async () => {
  const names = Array.from({ length: 60_000 }, (_, i) => `refs/tags/ü-${String(i).padStart(40, '0')}`)
  const text = ['# pack-refs with: peeled', ...names.map(name => `${HASH} ${name}`), ''].join('\n')
  const loose = new Map([[names[0] ?? '', HASH]])
  const read = (): Promise<string[]> => packedRefs(Buffer.from(text).toString('latin1'), loose)
  const { turns, result } = await turnsDuring(read)
  expect(result).toEqual(names.slice(1).map(name => `${HASH} ${name}`))
  expect(turns).toBeGreaterThanOrEqual(10)
})

test('an index is read in slices, and as it is read at once', async () => {
  const COUNT = 60_000
  const entry = Buffer.alloc(72)
  entry.writeUInt32BE(0o100644, 24)
  entry.write('a.txt', 62)
  const header = Buffer.from('DIRC\0\0\0\u0002\0\0\0\0', 'latin1')
  header.writeUInt32BE(COUNT, 8)
  const link = Buffer.from(entry)
  link.writeUInt32BE(0o160000, 24)
  const entries = Array.from({ length: COUNT }, (_, i) => (i === 5 ? link : entry))
  const index = Buffer.concat([header, ...entries, Buffer.alloc(20)])
  const { turns, result } = await turnsDuring(() => gitlinksInSlices(index, 20))
  expect(result).toEqual(gitlinks(index, 20))
  expect(result).toMatchObject([{ path: 'a.txt', assumed: false }])
  expect(turns).toBeGreaterThanOrEqual(5)
})
