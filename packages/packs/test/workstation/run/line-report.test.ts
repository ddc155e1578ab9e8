import { expect, onTestFinished, test, vi } from 'vitest'
import { LineReport } from '../../../src/workstation/run/line-report.ts'

function reported(): { readonly report: LineReport; readonly told: [number, string][] } {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const told: [number, string][] = []
  const report = new LineReport({
    progress: (lines, message = '') => void told.push([lines, message]),
    asData: value => value,
  })
  return { report, told }
}

test('the first lines are told at once, those after them together, the last at the end', () => {
  const { report, told } = reported()
  report.take(['one'])
  report.take(['two'])
  report.take(['three', 'four'])
  expect(told).toEqual([[1, 'one']])
  vi.advanceTimersByTime(100)
  report.take(['five'])
  report.end()
  expect(told.slice(1)).toEqual([
    [4, 'two\nthree\nfour'],
    [5, 'five'],
  ])
  expect(vi.getTimerCount()).toBe(0)
})

test('of a flood only the end of each part is looked at', () => {
  const { report, told } = reported()
  for (let i = 0; i < 1000; i++) report.take(['\0'.repeat(64 * 1024)])
  report.take(['end'])
  report.end()
  expect(told).toHaveLength(2)
  expect(told.at(-1)?.[0]).toBe(1001)
  expect(told.at(-1)?.[1].endsWith('\nend')).toBe(true)
  expect(told.every(([, message]) => message.length <= 8 * 1024)).toBe(true)
})
