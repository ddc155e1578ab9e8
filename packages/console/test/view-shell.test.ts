import { expect, test } from 'vitest'
import { policyFor } from '../src/view-shell.ts'

const policy = (query: Readonly<Record<string, string>>): string | undefined => policyFor(name => query[name])

test('a view that declares nothing has no network, and an opaque origin', () => {
  const directives = policy({})?.split('; ')
  expect(directives).toContain("default-src 'none'")
  expect(directives).toContain('sandbox allow-scripts')
  expect(directives).toContain("frame-ancestors 'self'")
  expect(directives?.some(one => one.startsWith('connect-src'))).toBe(false)
})

test('origins stand in the directives they are for', () => {
  const made = policy({ connect: 'https://api.example.com wss://*.example.com:8443' })
  expect(made).toContain('connect-src https://api.example.com wss://*.example.com:8443;')
  expect(made).not.toMatch(/script-src [^;]*example/)
  expect(policy({ resource: 'https://cdn.example.com' })).toMatch(
    /script-src 'unsafe-inline' https:\/\/cdn\.example\.com;/,
  )
})

test.each([
  "https://a.example; script-src 'unsafe-eval'",
  "'self'",
  '*',
  'https:',
  'data:',
  'https://a.example/path',
  'https://a.example,https://b.example',
  Array.from({ length: 31 }, (_, i) => `https://a${i}.example`).join(' '),
])('what is no list of origins is refused: %s', connect => {
  expect(policy({ connect })).toBeUndefined()
})
