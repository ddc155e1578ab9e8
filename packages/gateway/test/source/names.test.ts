import { assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitsPattern } from '@causeway/engine/internal'
import { qualifiedName, serverPrefix } from '@causeway/gateway'

describe('names', () => {
  test('a short one is server__tool', () => {
    expect(qualifiedName('github', 'create_issue')).toBe('github__create_issue')
  })

  test('a long one is cut to what every client takes, and stays different from others that begin alike', () => {
    const [a, b] = [qualifiedName('server', `${'x'.repeat(80)}a`), qualifiedName('server', `${'x'.repeat(80)}b`)]
    expect(a).toHaveLength(64)
    expect(b).toHaveLength(64)
    expect(a).not.toBe(b)
    expect(a.startsWith('server__xxx')).toBe(true)
    expect(qualifiedName('server', `${'x'.repeat(80)}a`)).toBe(a)
  })

  test('of a server, letters that clients refuse become underscores', () => {
    expect(['my server', '@scope/name', 'ok-1', '✨', '__'].map(serverPrefix)).toEqual([
      'my_server',
      'scope_name',
      'ok-1',
      'server',
      'server',
    ])
  })
})

describe('patterns', () => {
  test.each([
    ['abc', 'abc', true],
    ['abc', 'ab', false],
    ['abc', '*', true],
    ['abc', 'a*c', true],
    ['ac', 'a*c', true],
    ['a', 'a*a', false],
    ['axbxc', 'a*b*c', true],
    ['axcxb', 'a*b*c', false],
    ['a.c', 'a?c', false],
  ])('%s, %s: %s', (name, pattern, fit) => expect(fitsPattern(name, pattern)).toBe(fit))

  test('agree with the regular expression they stand for', () => {
    const letters = string({ unit: constantFrom('a', 'b', '*'), maxLength: 8 })
    assert(
      property(letters, letters, (text, pattern) => {
        const name = text.replaceAll('*', 'a')
        expect(fitsPattern(name, pattern)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 's').test(name))
      }),
    )
  })
})
