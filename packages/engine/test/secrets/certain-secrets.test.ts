import { maskCertainSecrets } from '@causeway/engine/internal'
import { assert, constantFrom, array, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ISSUED, LOOKALIKES, generate, pem } from './secret-corpus.ts'

const ALNUM = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const randomText = (length: number, seed: number): string => generate([[ALNUM, length]], seed)
const INLINE_KEY = `${pem('PRIVATE KEY', 1).split('\n')[0] ?? ''} ${'A'.repeat(40)}`
const SEEDS = Array.from({ length: 40 }, (_, i) => i + 1)

/** Code, logs and diffs that speak of secrets and hold none. */
const CODE: readonly string[] = [
  '"cookie": "^0.7.1",',
  '-    "js-tokens": "4.0.0",',
  'def reset_password(token: str, password: str) -> None:',
  'password = request.form["password"]',
  'const TOKEN_EXPIRY_SECONDS = 3600',
  'class PropertyToken : MessageTemplateToken',
  "var cookie = require('cookie')",
  'id-token: write',
  'Pat: 19696 Bytes',
  'case 128: /* ObjPat: BINDING */',
  'var token = Assert.Single(tokens.OfType<PropertyToken>());',
  'integrity sha512-aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789==',
  'github.com/x/y v1.2.3 h1:aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789aBcDeFg=',
  "SyntaxError: unexpected token: identifier near ')'",
  "assert 'password: hunter2' == 'password: hunter3'",
  '--- PASS: TestTokenBucketRefillsAfterInterval (0.00s)',
  '    token: ${{ secrets.GITHUB_TOKEN }}',
  '@@ -1,7 +1,9 @@ class PropertyToken : MessageTemplateToken',
  '(lambda: click.prompt("Pw: "),\n+ (lambda: click.prompt("IP"))',
  'const apiKey: string = process.env.API_KEY_FOR_SERVICE_2',
  'apiKey: "your-api-key-goes-here-1234"',
  'secret: "content-security-policy-report-only"',
  'passwordHash = "$2b$12$KIXQ4b1x9Z8w7V6u5T4s3RqPoNmLkJiHgFeDcBa0987654321"',
  'headers["Authorization"] = f"Bearer {token}"',
  'Authorization: Bearer <token>',
  'http://user:pass@example.com and https://user:${PASSWORD}@host/',
  'https://%s:%s@host/path',
  "pattern = '-----BEGIN RSA PRIVATE KEY-----'\nnextLine()",
  'uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683',
  'token = tokenizer.next_token_after_whitespace_2()',
  'authToken=getAuthTokenFromSession(session42)',
]

describe('certain secrets', () => {
  test.each(Object.entries(ISSUED))('%s is found in nearly every case', (_, format) => {
    const found = SEEDS.filter(seed => {
      const secret = generate(format, seed)
      return !maskCertainSecrets(`+const value = fetch("${secret}")`).includes(secret)
    })
    expect(found.length / SEEDS.length).toBeGreaterThanOrEqual(0.95)
  })

  test.each([
    'apiKey = "{}"',
    "'client_secret' => '{}',",
    'const accessToken: string = "{}"',
    '{"password":"{}"}',
    'DB_PASSWORD={}',
    '+export AWS_SECRET_ACCESS_KEY={}',
    '    api_key: {}',
    'Authorization: Bearer {}',
    'X-Api-Key: {}',
    'Set-Cookie: session={}; Path=/',
    'postgres://app:{}@db.internal:5432/app',
    'https://{}@github.com/a/b.git',
  ])('%s', pattern => {
    const found = SEEDS.filter(seed => {
      const secret = randomText(32, seed)
      return !maskCertainSecrets(`first line\n${pattern.replace('{}', secret)}\nlast line`).includes(secret)
    })
    expect(found.length / SEEDS.length).toBeGreaterThanOrEqual(0.95)
  })

  test('credentials of basic authentication', () => {
    const encoded = Buffer.from('ada:k9Fh2pQz8Lm3').toString('base64')
    expect(maskCertainSecrets(`Authorization: Basic ${encoded}`)).toBe('Authorization: Basic [redacted]')
    const shown = `Authorization: Basic ${Buffer.from('user:password').toString('base64')}`
    expect(maskCertainSecrets(shown)).toBe(shown)
  })

  test.each([...CODE, ...LOOKALIKES])('keeps %s', line => {
    expect(maskCertainSecrets(line)).toBe(line)
    expect(maskCertainSecrets(`+${line}`)).toBe(`+${line}`)
  })

  test('only the text of a private key is masked, line by line', () => {
    const key = pem('RSA PRIVATE KEY', 3)
    const masked = maskCertainSecrets(`a\n${key}\nb`).split('\n')
    expect(masked).toHaveLength(key.split('\n').length + 2)
    expect(masked.slice(2, 5)).toEqual(['[redacted]', '[redacted]', '[redacted]'])
    const diff = key.replaceAll(/^/gm, '+')
    expect(maskCertainSecrets(diff).split('\n')[1]).toBe('+[redacted]')
    const inline = maskCertainSecrets(`key = "${key.replaceAll('\n', '\\n')}"`)
    expect(inline).not.toContain(key.split('\n')[2])
    expect(inline).toMatch(/^key = "-----BEGIN RSA PRIVATE KEY-----\\n\[redacted\]-----END/)
  })

  test('lines stay lines, and what was masked is told', () => {
    const parts = [
      ...CODE,
      ...LOOKALIKES,
      pem('PRIVATE KEY', 5),
      generate(ISSUED['github personal'] ?? [], 1),
      '\r\n',
      '"',
    ]
    assert(
      property(array(constantFrom(...parts, '\n'), { maxLength: 12 }), pieces => {
        const text = pieces.join('')
        const secrets: string[] = []
        const masked = maskCertainSecrets(text, secret => secrets.push(secret))
        expect(masked.split('\n')).toHaveLength(text.split('\n').length)
        expect(secrets.length > 0).toBe(masked !== text)
      }),
    )
  })

  test('takes time in proportion to the length, whatever the text', () => {
    const parts = [
      'a',
      '"',
      'password="',
      'eyJaaaaaaaaaa-',
      '://a:b',
      'sk-a',
      '-----BEGIN PRIVATE KEY-----\n',
      'basic aaaa',
    ]
    const timeFor = (text: string): number => {
      const times = [1, 2, 3].map(() => {
        const start = process.cpuUsage()
        maskCertainSecrets(text)
        const { user, system } = process.cpuUsage(start)
        return (user + system) / 1000
      })
      return Math.min(...times)
    }
    for (const part of [...parts, 'token:', 'a_', 'x-key:', 'cookie:a=', '+ ', 'A=', 'MIIB', INLINE_KEY]) {
      const time = (length: number): number => timeFor(part.repeat(Math.ceil(length / part.length)))
      // In proportion is 10 times as long, quadratic would be 100 times.
      expect(time(200_000), part).toBeLessThan(40 * Math.max(1, time(20_000)))
    }
  })
})

// As the sources of programs, JSON, URLs and terminals have what stands before a token.
const BEFORE = ['\\n', '\\t', '\\r\\n', '\\u0022', '\\x22', '%3D', '%20', '\u001B[32m', 'prefix_', '-']

test.each(BEFORE)('a token is found behind %j', before => {
  const github = 'ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5'
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.Sfl2KxwRJSMeKKF2QT4fwpMeJf36POk6yJVadQssw5c'
  // Within a run of letters and dashes, a token of three parts cannot be looked for in time.
  const tokens = /[_-]$/.test(before) ? [github] : [github, jwt]
  for (const token of tokens) expect(maskCertainSecrets(`a${before}${token} b`)).toBe(`a${before}[redacted] b`)
})

test.each(['> ', '    | ', '; ', '% '])('the lines of a key are found behind %j', before => {
  const line = 'MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDIoEsXeMcM9WoZ'
  const key = ['-----BEGIN PRIVATE KEY-----', line, line, '-----END PRIVATE KEY-----']
  const masked = maskCertainSecrets(key.map(one => before + one).join('\n'))
  expect(masked).not.toContain(line)
  expect(masked.split('\n')).toHaveLength(4)
})

test('what only looks like the middle of a token stays', () => {
  for (const code of ['const nghp_x = 1', 'tableyJson.fields.values', 'a%20b%3Dc', String.raw`"\nghost_writer"`])
    expect(maskCertainSecrets(code)).toBe(code)
})
