import { expect, test } from 'vitest'
import { surviveRejections } from '../../src/terminal/stray-rejections.ts'

test('commands in one process share a listener, which writes to the log of the last one', () => {
  const written: string[] = []
  // Other files of this process may have registered it already.
  surviveRejections(() => {}, [])
  const before = process.listenerCount('unhandledRejection')
  for (let i = 0; i < 20; i++) surviveRejections((_, message) => void written.push(`${i}: ${message}`), [])
  expect(process.listenerCount('unhandledRejection')).toBe(before)
  const ours = process.listeners('unhandledRejection').findLast(({ name }) => name === 'logRejection')
  ours?.(new Error('nobody waits'), Promise.resolve())
  expect(written).toEqual(['19: unhandled promise rejection'])
})
