import { expect, test } from 'vitest'
import { countOf } from '../../src/page/state/count.ts'

test('tools are counted as the banner and the list count them: helpers are none (N M16)', () => {
  const keys = ['read_file', 'find_tools', 'describe_tool', 'call_tool', 'read_result']
  expect(countOf(keys.map(key => ({ kind: 'tool', key })))).toBe(1)
  expect(countOf(keys.map(key => ({ kind: 'prompt', key })))).toBe(5)
})
