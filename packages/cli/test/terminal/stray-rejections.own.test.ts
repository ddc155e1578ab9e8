import { expect, test } from 'vitest'
import { surviveRejections } from '../../src/terminal/stray-rejections.ts'

test('commands in one process share a listener, which writes to the log of the last one', () => {
  const before = process.listenerCount('unhandledRejection')
  const written: string[] = []
  for (let i = 0; i < 20; i++) surviveRejections((_, message) => void written.push(`${i}: ${message}`), [])
  expect(process.listenerCount('unhandledRejection')).toBe(before + 1)
  const ours = process.listeners('unhandledRejection').at(-1)
  ours?.(new Error('nobody waits'), Promise.resolve())
  expect(written).toEqual(['19: unhandled promise rejection'])
})
