import { jsonLog } from '@causeway/engine'
import { redact } from '@causeway/engine/internal'
import { describe, expect, test } from 'vitest'

describe('[S-LOG-03] redact', () => {
  test('blots out by name, wherever it stands', () => {
    const secrets = {
      password: 'a',
      Passwd: 'b',
      'api-key': 'c',
      apiKey: 'd',
      API_KEY: 'e',
      token: 'f',
      accessToken: 'g',
      authorization: 'h',
      'Set-Cookie': 'i',
      client_secret: 'j',
      privateKey: 'k',
      credentials: { user: 'l' },
      passphrase: 'm',
    }
    const blotted = redact({ deep: [secrets], user: 'ann' }) as { deep: Record<string, unknown>[]; user: string }
    expect(blotted.user).toBe('ann')
    expect(Object.keys(blotted.deep[0] ?? {})).toEqual(Object.keys(secrets))
    expect(new Set(Object.values(blotted.deep[0] ?? {}))).toEqual(new Set(['[redacted]']))
  })

  test('blots out by look', () => {
    expect(redact('use Bearer abcdefghijklmnop now')).toBe('use [redacted] now')
    expect(redact({ text: 'key sk-abcdefghijklmnop1234' })).toEqual({ text: 'key [redacted]' })
    expect(redact('ghp_abcdefghijklmnopqrst')).toBe('[redacted]')
  })

  test('keeps what only sounds secret', () => {
    const plain = {
      maxTokens: 5,
      hasPassword: true,
      progressToken: 'p-1',
      passenger: 'ann',
      tokens: 12,
    }
    expect(redact(plain)).toEqual(plain)
  })

  test('cuts what is long, wide or deep', () => {
    expect(redact('x'.repeat(1001))).toBe(`${'x'.repeat(1000)}… (1001 characters)`)
    expect(redact(Array(200).fill(1))).toHaveLength(100)
    let deep: unknown = 'bottom'
    for (let i = 0; i < 20; i++) deep = { deep }
    expect(JSON.stringify(redact(deep))).toContain('"[deep]"')
    expect(JSON.stringify(redact(deep))).not.toContain('bottom')
  })

  test('shows errors and big numbers, and leaves the original alone', () => {
    const original = Object.freeze({ password: 'x', n: 10n, error: new Error('Bearer abcdefghijklmnop') })
    expect(redact(original)).toMatchObject({ n: '10', error: { name: 'Error', message: '[redacted]' } })
    expect(original.password).toBe('x')
  })

  test('survives what points back at itself', () => {
    const loop: Record<string, unknown> = {}
    loop.self = loop
    expect(() => JSON.stringify(redact(loop))).not.toThrow()
  })
})

describe('[S-LOG-03] jsonLog', () => {
  test('writes a line of JSON for what is loud enough, secrets blotted out', () => {
    const lines: string[] = []
    const log = jsonLog('warn', line => lines.push(line))
    log('debug', 'no')
    log('info', 'no')
    log('warn', 'careful', { token: 'abc', request: 0 })
    log('error', 'broken\nline')
    expect(lines.map(line => line.endsWith('\n') && line.split('\n').length)).toEqual([2, 2])
    expect(lines.map(line => JSON.parse(line))).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        level: 'warn',
        message: 'careful',
        token: '[redacted]',
        request: 0,
      },
      { time: expect.any(String), level: 'error', message: 'broken\nline' },
    ])
  })

  test('may be silent', () => {
    const lines: string[] = []
    jsonLog('silent', line => lines.push(line))('error', 'x')
    expect(lines).toEqual([])
  })
})
