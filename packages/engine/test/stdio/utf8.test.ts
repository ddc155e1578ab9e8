import { assert, property, string, uint8Array } from 'fast-check'
import { isUtf8 } from 'node:buffer'
import { expect, test } from 'vitest'
import { textOf } from '../../src/transports/stdio/utf8.ts'

test('bytes are text if they are UTF-8, and nothing else is', () => {
  assert(
    property(uint8Array({ maxLength: 12 }), bytes => {
      const buffer = Buffer.from(bytes)
      expect(textOf(buffer)).toBe(isUtf8(buffer) ? buffer.toString() : undefined)
    }),
    { numRuns: 2000 },
  )
  assert(
    property(string({ unit: 'grapheme' }), text => {
      expect(textOf(Buffer.from(text))).toBe(text)
    }),
  )
})

test('the character that decoders put in the place of others may be sent as itself', () => {
  expect(textOf(Buffer.from('a\uFFFDb'))).toBe('a\uFFFDb')
  expect(textOf(Buffer.concat([Buffer.from('a\uFFFD'), Buffer.from([0xff])]))).toBeUndefined()
})
