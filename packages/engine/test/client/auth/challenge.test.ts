import { expect, test } from 'vitest'
import { challengesIn } from '../../../src/client/auth/challenge.ts'

const read = (header: string | string[]) =>
  challengesIn({ 'www-authenticate': header }).map(({ scheme, params }) => [scheme, { ...params }])

test.each<[string | string[], unknown]>([
  ['Bearer', [['bearer', {}]]],
  ['Bearer scope="a b", error=insufficient_scope', [['bearer', { scope: 'a b', error: 'insufficient_scope' }]]],
  [
    'Basic realm="x, Bearer y", Bearer resource_metadata="https://a/b?c=\\"d\\""',
    [
      ['basic', { realm: 'x, Bearer y' }],
      ['bearer', { resource_metadata: 'https://a/b?c="d"' }],
    ],
  ],
  [
    ['DPoP algs="ES256"', 'BEARER Scope = "a"'],
    [
      ['dpop', { algs: 'ES256' }],
      ['bearer', { scope: 'a' }],
    ],
  ],
  ['Bearer scope="a", scope="b"', [['bearer', { scope: 'a' }]]],
  ['Bearer __proto__="x"', [['bearer', Object.fromEntries([['__proto__', 'x']])]]],
  ['', []],
  ['"', []],
  [',,, = ,', []],
])('%j', (header, expected) => expect(read(header)).toEqual(expected))

test('a header without end takes no time without end', () => {
  expect(read(`Bearer ${'a="'.repeat(1_000_000)}`)[0]).toBeDefined()
})
