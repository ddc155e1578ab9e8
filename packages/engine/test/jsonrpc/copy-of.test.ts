import { assert, dictionary, jsonValue, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { copyOf } from '../../src/jsonrpc/copy-of.ts'

test('a copy has the same members, whatever their names', () => {
  assert(
    property(dictionary(string(), jsonValue()), value => {
      const copy = copyOf(value)
      expect(copy).not.toBe(value)
      expect(JSON.stringify(copy)).toBe(JSON.stringify(value))
    }),
  )
})

test('a member called __proto__ is copied, and nothing is inherited from it', () => {
  const hostile = JSON.parse('{"a":1,"__proto__":{"isError":true}}') as { isError?: boolean }
  const copy = copyOf(hostile)
  expect(JSON.stringify(copy)).toBe('{"a":1,"__proto__":{"isError":true}}')
  expect(copy.isError).toBeUndefined()
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
})
