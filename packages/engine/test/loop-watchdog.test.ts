import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { connect, createServer, loopWatchdog, observe, tool } from '@causeway/engine'

function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

function watched(): { call: (name: string) => Promise<unknown>; heard: (readonly [string, number])[] } {
  const reports: [string, number][] = []
  const server = createServer({ name: 'x', version: '1', log: () => {} })
  server.use(observe([loopWatchdog({ leastMs: 1000, blocked: (names, ms) => void reports.push([names.join(), ms]) })]))
  server.add(
    tool({ name: 'at_once' }, () => work(1100)),
    tool({ name: 'later' }, async () => {
      await setImmediate()
      work(1300)
    }),
    tool({ name: 'fails' }, () => {
      work(1100)
      throw new Error('no')
    }),
    tool({ name: 'polite' }, () => setTimeout(5)),
  )
  const client = connect(server)
  return { call: name => client.call(name).catch(() => 'failed'), heard: reports }
}

test('a tool that keeps the event loop busy is named, with how long', async () => {
  const { call, heard } = watched()
  await call('at_once')
  await call('fails')
  expect(heard.map(([name]) => name)).toEqual(['at_once', 'fails'])
  expect(heard[0]?.[1]).toBeGreaterThanOrEqual(1000)
})

test('also one that does so after it waited for something', async () => {
  const { call, heard } = watched()
  await call('polite')
  await call('later')
  await expect.poll(() => heard.map(([name]) => name).join()).toContain('later')
})

test('the polite are not named', async () => {
  const { call, heard } = watched()
  await Promise.all(Array.from({ length: 20 }, () => call('polite')))
  expect(heard).toEqual([])
})
