import { describe, expect, test } from 'vitest'
import { parseDocument, pathOf } from '../../../src/config/files/config-document.ts'

const problem = (file: string, text: string): string => {
  try {
    parseDocument(file, text)
    return ''
  } catch (error) {
    const { message, place } = error as { message: string; place?: { line: number; column: number } }
    return `${place?.line}:${place?.column} ${message}`
  }
}

describe('YAML', () => {
  test('is YAML 1.2: words such as no and off are texts, and keys have places', () => {
    const document = parseDocument('a.yaml', 'audit: off\nrights:\n  - who: ["*"]\n    allow: { tools: [no, yes] }\n')
    expect(document.value).toEqual({ audit: 'off', rights: [{ who: ['*'], allow: { tools: ['no', 'yes'] } }] })
    expect(document.placeOf(pathOf('rights'))).toEqual({ line: 2, column: 1 })
    expect(document.placeOf(pathOf('rights[0].allow.tools[1]'))).toEqual({ line: 4, column: 26 })
    expect(document.placeOf(pathOf('rights[0].deny'))).toEqual({ line: 3, column: 5 })
  })

  test('with comments only is an empty object', () => {
    expect(parseDocument('a.yaml', '# nothing\n').value).toEqual({})
  })

  test('that hides something is refused with its place', () => {
    expect(problem('a.yaml', 'who: [*]')).toMatch(/^1:7 .*Write a text that begins with \* in quotes/)
    expect(problem('a.yaml', 'a: 1\na: 2')).toMatch(/^2:1 .*unique/)
    expect(problem('a.yaml', 'a: !!js/function x')).toMatch(/^1:4 .*tag/i)
    expect(problem('a.yaml', '%YAML 1.1\n---\na: no')).toContain('only YAML 1.2 is read')
    expect(problem('a.yaml', 'a: 1\n---\nb: 2')).toMatch(/multiple documents/)
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefgh'.split('').map((to, i) => `${to}: &${to} [${`*${'abcdefgh'[i]},`.repeat(9)}]`),
    ]
    expect(problem('a.yaml', bomb.join('\n'))).toMatch(/alias/i)
    expect(problem('a.yaml', '['.repeat(100_000))).not.toBe('')
  })

  test('has no keys that reach a prototype', () => {
    const { value } = parseDocument('a.yaml', '__proto__: { polluted: true }\n')
    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

test('JSON has comments, and keys with dots have places', () => {
  const text = '{ // scopes\n  "auth": {\n    "scopes": { "tools": { "a.b": 1 } } }\n}'
  const document = parseDocument('a.json', text)
  expect(document.placeOf(pathOf('auth.scopes.tools["a.b"]'))).toEqual({ line: 3, column: 28 })
  expect(document.placeOf(pathOf('auth.scopes.none'))).toEqual({ line: 3, column: 5 })
  expect(problem('a.json', '{"a":1,\n"a":2}')).toBe("2:1 the key 'a' stands here twice")
})
