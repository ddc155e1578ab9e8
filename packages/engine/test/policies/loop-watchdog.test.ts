import { setImmediate, setTimeout } from 'node:timers/promises'
import { beforeEach, expect, test, vi } from 'vitest'
import { createServer, tool } from '@causeway/engine'
import { loopWatchdog, observe } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'

/** What the watchdog takes for the time; only work makes it pass, so that a busy machine blocks nothing. */
let now = 0
beforeEach(() => {
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  return () => clock.mockRestore()
})
const work = (ms: number): void => void (now += ms)

function watched(leastMs: number): {
  call: (name: string) => Promise<unknown>
  reports: (readonly [string, number])[]
} {
  const reports: [string, number][] = []
  const server = createServer({ name: 'x', version: '1', log: () => {} })
  server.use(observe([loopWatchdog({ leastMs, blocked: (names, ms) => void reports.push([names.join(), ms]) })]))
  server.add(
    tool({ name: 'at_once' }, () => work(leastMs + 50)),
    tool({ name: 'later' }, async () => {
      await setImmediate()
      // The clock strikes every 100 ms, so up to that much of it is not noticed.
      work(leastMs + 200)
    }),
    tool({ name: 'fails' }, () => {
      work(leastMs + 50)
      throw new Error('no')
    }),
    tool({ name: 'polite' }, () => setTimeout(5)),
  )
  const client = connect(server)
  return { call: name => client.call(name).catch(() => 'failed'), reports }
}

test('a tool that keeps the event loop busy is named, with how long', async () => {
  const { call, reports } = watched(100)
  await call('at_once')
  await call('fails')
  expect(reports.map(([name]) => name)).toEqual(['at_once', 'fails'])
  expect(reports[0]?.[1]).toBeGreaterThanOrEqual(100)
})

test('also one that does so after it waited for something', async () => {
  const { call, reports } = watched(100)
  await call('polite')
  await call('later')
  await expect.poll(() => reports.map(([name]) => name).join()).toContain('later')
})

test('the polite are not named', async () => {
  const { call, reports } = watched(1000)
  await Promise.all(Array.from({ length: 20 }, () => call('polite')))
  expect(reports).toEqual([])
})
