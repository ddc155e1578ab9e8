import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { folder, open, refusal } from '../place.ts'
import { children, running, until } from '../processes.ts'

const root = folder()
const descriptors = (): number => readdirSync('/proc/self/fd').length

/** A command with a child of its own, both deaf to the polite signal for every third. */
const stubborn = (mark: string, i: number): string =>
  `sh -c "${i % 3 === 0 ? "trap '' TERM; " : ''}(sleep 1000; echo ${mark}) & sleep 1000; echo ${mark}"`

test('after 150 timed-out, cancelled and abandoned commands nothing is left', async () => {
  const mark = `mark-${crypto.randomUUID()}`
  const before = descriptors()
  const timed = open({ roots: [root], allowCommand: ['*'] }, { timeoutMs: 400 })
  const left = open({ roots: [root], allowCommand: ['*'], limits: { timeMs: 500 } })
  const abandon = async (): Promise<unknown[]> => {
    const cancelled = open({ roots: [root], allowCommand: ['*'] }, { client: { version: '2025-11-25' } })
    await cancelled.request('tools/list')
    const calls = Array.from({ length: 50 }, (_, i) => {
      const params = { name: 'run_command', arguments: { command: stubborn(mark, i) } }
      if (i % 3 === 0) return refusal(timed.request('tools/call', params)).then(({ code }) => code)
      if (i % 3 === 1) return refusal(left.request('tools/call', params)).then(({ code }) => code)
      return cancelled.raw(JSON.stringify({ jsonrpc: '2.0', id: `c${i}`, method: 'tools/call', params }))
    })
    await until(() => running(mark).length > 20)
    for (let i = 2; i < 50; i += 3) await cancelled.notify('notifications/cancelled', { requestId: `c${i}` })
    return Promise.all(calls)
  }
  const ends = (await Promise.all(Array.from({ length: 3 }, abandon))).flat()
  expect(ends.filter(end => end === -32000)).toHaveLength(3 * 34)
  expect(ends.filter(end => end === undefined)).toHaveLength(3 * 16)
  await until(() => running(mark).length === 0)
  await until(() => children(process.pid).length === 0)
  await until(() => descriptors() <= before + 8)
  expect(running(mark)).toEqual([])
}, 180_000)
