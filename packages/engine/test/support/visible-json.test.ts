import { expect, test } from 'vitest'
import { visibleJson } from '../../src/support/visible-json.ts'

test('every character can be seen, and a parser reads back what was written', () => {
  const all = Array.from({ length: 0x3100 }, (_, code) => String.fromCodePoint(code)).join('')
  const value = { [all]: [all, '\u{E0041}\u{1F468}\u200D\u{1F469}'] }
  for (const indent of [0, 2]) {
    const text = visibleJson(value, indent)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/u)
    expect(JSON.parse(text)).toEqual(value)
  }
})

test('nothing is null', () => expect(visibleJson(undefined)).toBe('null'))
