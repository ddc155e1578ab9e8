import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Spawned } from '../support/spawned.ts'
import { byCurl, byHand, hasCurl, patternOf, readShown } from './curl-transcript.ts'
import type { Seen } from './curl-transcript.ts'
import { listeningAt } from './listening.ts'

const folder = new URL('curl/', import.meta.url)
const ways: [string, (command: string, url: string) => Promise<Seen>][] = [['by hand', byHand]]
if (hasCurl) ways.unshift(['by curl', byCurl])

describe.each(readdirSync(folder))('%s', file => {
  const shown = readShown(new URL(file, folder))
  let served: Spawned
  let url: string
  beforeAll(async () => {
    served = new Spawned(['serve', '--http', '--port', '0', '--preset', 'basics', '--log-level', 'error'])
    url = await listeningAt(served)
  })
  afterAll(async () => {
    served.process.kill('SIGTERM')
    await served.ended
  })

  test('shows something', () => {
    expect(shown.length).toBeGreaterThan(2)
  })

  describe.each(ways)('%s', (_, run) => {
    test.each(shown)('$command', async ({ command, head, body }) => {
      const seen = await run(command, url)
      expect(seen.head).toBe(head)
      expect(seen.body).toMatch(patternOf(body))
    })
  })
})

test('the rest of a body counts', () => {
  expect('{"a":1}').toMatch(patternOf('{"a":…}'))
  expect('{"a":1} more').not.toMatch(patternOf('{"a":…}'))
})
