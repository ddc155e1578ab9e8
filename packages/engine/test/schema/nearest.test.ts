import { createServer, nearest, tool } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { distance } from '../../src/schema/nearest.ts'

const VERBS = ['get', 'list', 'create', 'update', 'delete', 'search', 'find', 'read', 'write', 'send']
const NOUNS = ['file', 'issue', 'user', 'repo', 'branch', 'commit', 'page', 'message', 'channel', 'ticket', 'order']
const MANY = Array.from({ length: 10_000 }, (_, i) => `${VERBS[i % 10]}_${NOUNS[i % 11]}_${i.toString(36)}`)

/** Every pair of prefixes, without any short cut. */
function plainDistance(a: string, b: string): number {
  const known = new Map<string, number>()
  const of = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j
    const key = `${i} ${j}`
    const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
    const replaced = (): number => of(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1])
    const edits =
      known.get(key) ??
      Math.min(of(i - 1, j) + 1, of(i, j - 1) + 1, replaced(), isSwap ? of(i - 2, j - 2) + 1 : Infinity)
    known.set(key, edits)
    return edits
  }
  return of(a.length, b.length)
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'D', '_', '9'), minLength: 1, maxLength: 12 })

test('distances are those of the textbook, as far as they are asked for', () => {
  fc.assert(
    fc.property(word, word, fc.nat(8), (a, b, most) => {
      expect(distance(a, b, most)).toBe(Math.min(plainDistance(a, b), most + 1))
    }),
  )
})

test('the nearest names are those of an exhaustive search', () => {
  fc.assert(
    fc.property(word, fc.uniqueArray(word, { maxLength: 30 }), (written, known) => {
      const scored = known
        .map(name => ({ name, far: plainDistance(written.toLowerCase(), name.toLowerCase()) }))
        .filter(({ name, far }) => far <= Math.floor(Math.max(written.length, name.length) / 3))
        .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
      expect(nearest(written, known)).toEqual(scored.slice(0, 3).map(({ name }) => name))
    }),
  )
})

test.each(['get_fiel_1', 'list_isue_abc', 'serach_channel_7ps', 'x'.repeat(128)])(
  'among 10,000 names the nearest to %s is found in less than 5 ms',
  written => {
    const took = Array.from({ length: 20 }, () => {
      const start = process.cpuUsage()
      nearest(written, MANY)
      return process.cpuUsage(start).user / 1000
    })
    expect(Math.min(...took)).toBeLessThan(5)
  },
)

test('the nearest names stand in the message, which is all that hosts show', async () => {
  const server = createServer({ name: 's', version: '1' }).add(tool({ name: 'read_file' }, () => ''))
  await expect(connect(server).request('tools/call', { name: 'raed_file' })).rejects.toMatchObject({
    message: "Unknown tool: raed_file. Did you mean 'read_file'?",
    data: { suggestions: ['read_file'], hint: "Did you mean 'read_file'?" },
  })
})
