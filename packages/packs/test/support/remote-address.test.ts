import { expect, test } from 'vitest'
import { fitsAddress, parseAddress, showAddress } from '../../src/support/git/remote/address.ts'

const fits = (pattern: string, url: string): boolean | undefined => {
  const address = parseAddress(url)
  return address && fitsAddress(pattern, address)
}

test.each([
  ['git@github.com:org/*', 'git@github.com:org/repo', true],
  ['*@github.com:*', 'git@github.com:org/repo', true],
  ['git@github.com:org/*', 'ssh://git@github.com/org/repo', true],
  ['https://github.com/org/*', 'https://ada:word@github.com/org/repo', true],
  ['https://github.com/*', 'https://github.com.evil.example/org', false],
  ['https://github.com/*', 'https://evil.example/github.com/org', false],
  ['*@github.com:*', 'ssh://git@evil.example/github.com:x', false],
  ['*@github.com:*', 'git@evil.example:github.com/x', false],
  ['github.com', 'https://github.com/org/repo', true],
  ['github.com/org/*', 'git@github.com:org/repo', true],
  ['/srv/git/*', '/srv/git/a', true],
  ['/srv/git/*', 'git@host:srv/git/a', false],
  ['*', 'git@anything:x', true],
])('%s for %s: %s', (pattern, url, expected) => {
  expect(fits(pattern, url)).toBe(expected)
})

// Git and a reader would take these apart differently.
test.each([
  'git:x@github.com:org/repo',
  'evil.example:git@github.com:x',
  'ssh://git@evil.example/git@github.com:x',
  'user:word@host:path',
  'host:a:b',
])('%s is refused', url => {
  expect(parseAddress(url)).toBeUndefined()
})

test('an address is shown without a password', () => {
  const shown = (url: string): string => {
    const address = parseAddress(url)
    return address ? showAddress(address) : 'refused'
  }
  expect(shown('https://ada:word@github.com/a')).toBe('https://github.com/a')
  expect(shown('https://ghp_x@github.com/a')).toBe('https://github.com/a')
  expect(shown('git@github.com:a')).toBe('git@github.com:a')
  expect(shown('ssh://git@github.com:22/a')).toBe('ssh://git@github.com:22/a')
})
