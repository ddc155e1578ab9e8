import { createServer, tool } from '@causeway/engine'
import { isSecretName, isSecretVariable, maskSecrets, redact } from '@causeway/engine/internal'
import { maskResults } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import { describe, expect, test } from 'vitest'
import { ISSUED, LOOKALIKES, SURROUNDED, generate, pem, plainSecret } from './secret-corpus.ts'

const SEEDS = [1, 2, 3, 4, 5]
const around = (secret: string): string[] => [
  secret,
  `use ${secret} now`,
  `"${secret}"`,
  `x=${secret}`,
  `(${secret})`,
  `a,${secret},b`,
  `line\n${secret}\nline`,
  `https://x.example/?q=${secret}&r=1`,
]

describe('[S-LOG-03] maskSecrets', () => {
  test.each(Object.entries(ISSUED))('%s', (_, format) => {
    for (const secret of SEEDS.map(seed => generate(format, seed))) {
      for (const text of around(secret)) {
        const masked = maskSecrets(text)
        // Not even a part that could be completed.
        for (let at = 0; at + 12 <= secret.length; at += 4) expect(masked).not.toContain(secret.slice(at, at + 12))
        expect(masked).toContain('[redacted]')
      }
    }
  })

  test.each(SURROUNDED)('%s', pattern => {
    for (const secret of SEEDS.map(plainSecret)) {
      const masked = maskSecrets(pattern.replaceAll('{}', secret))
      expect(masked).not.toContain(secret)
      expect(masked).not.toContain(secret.slice(2))
      expect(maskSecrets(masked), 'once masked it stays as it is').toBe(masked)
    }
  })

  test.each(['PRIVATE KEY', 'RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'EC PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'])(
    '%s',
    kind => {
      const key = pem(kind, 7)
      expect(maskSecrets(`a\n${key}\nb`)).toBe('a\n[redacted]\nb')
      expect(maskSecrets(`a ${key.replaceAll('\n', '\\n')} b`)).toBe('a [redacted] b')
      expect(maskSecrets(key.slice(0, 150)), 'cut short').toBe('[redacted]')
    },
  )

  test.each(LOOKALIKES)('keeps %s', text => {
    expect(maskSecrets(text)).toBe(text)
  })

  test('keeps what stands around', () => {
    expect(maskSecrets('mysql -u root -phunter2 app')).toBe('mysql -u root -p[redacted] app')
    expect(maskSecrets('{"user":"ann","password":"a\\"b","n":1}')).toBe('{"user":"ann","password":"[redacted]","n":1}')
    expect(maskSecrets('postgres://ann:hunter2@db/app')).toBe('postgres://[redacted]@db/app')
    expect(maskSecrets('postgres://ann:hunter2@db/app', '***')).toBe('postgres://***@db/app')
    expect(maskSecrets('run --password "two words" --verbose')).toBe('run --password "[redacted]" --verbose')
  })

  test('takes time in proportion to the length, whatever the text', () => {
    const parts = [
      'a',
      '-',
      '"',
      'password',
      'password="',
      'eyJ',
      'eyJaaaaaaaaaa-',
      'eyJaaaaaaaaaa.',
      '://',
      '://a:b',
      'sk-',
      'sk-a',
      'ghp_',
      'SG.aaaaaaaaaaaaaaaaaaaa',
      `-----BEGIN ${'A '.repeat(9)}`,
      pem('PRIVATE KEY', 1).slice(0, 27),
      'mysql ',
      'docker ',
      'curl -u a',
      '--a ',
      'a.',
      'basic ',
      'authorization:',
      '\\"',
      '\\',
      'M.',
      '0',
      '8Q~',
    ]
    // Of the processor, and the best of three: other processes make it no longer.
    const timeFor = (text: string): number => {
      const times = [1, 2, 3].map(() => {
        const start = process.cpuUsage()
        maskSecrets(text)
        const { user, system } = process.cpuUsage(start)
        return (user + system) / 1000
      })
      return Math.min(...times)
    }
    for (const part of parts) {
      const time = (length: number): number => timeFor(part.repeat(Math.ceil(length / part.length)))
      // In proportion is 10 times as long, quadratic would be 100 times.
      expect(time(200_000), part).toBeLessThan(40 * Math.max(1, time(20_000)))
    }
  })
})

describe('names', () => {
  test.each(
    `password PASSWD pwd MYSQL_PWD db_pw ROOT_PW pass dbPass passphrase pass-phrase auth basic_auth access_key accessKey
    AWS_SECRET_ACCESS_KEY api-key apiKey x-api-key GITHUB_PAT token accessToken refresh_token mytoken client_secret
    Set-Cookie privateKey private_key sshKey encryption_key jwt bearer sentry_dsn connectionString connection_string
    credentials webhook_secret otp stripeKeys`.split(/\s+/),
  )('%s is secret', name => expect(isSecretName(name)).toBe(true))

  test.each(
    `path pattern patch monkey keyboard turkey author authority authored compass bypass passenger passed tokenizer key
    keys primary_key cacheKey publicKey progressToken nextPageToken token_file password_length auth_url tokenType
    secretary_at user host`.split(/\s+/),
  )('%s is not', name => expect(isSecretName(name)).toBe(false))

  test('variables of the environment are judged more strictly', () => {
    for (const name of ['SSH_KEY', 'SESSION', 'MY_PRIVATE_THING', 'DB_PW', 'GH_PAT', 'CONNECTIONSTRING'])
      expect(isSecretVariable(name)).toBe(true)
    for (const name of ['PATH', 'HOME', 'LANG', 'EDITOR']) expect(isSecretVariable(name)).toBe(false)
  })
})

describe('redact', () => {
  test('masks numbers under secret names, and keeps counts', () => {
    expect(redact({ pin_password: 1234, token: 987_654, maxTokens: 5, max_token: 5, tokens: 12, pass: 3 })).toEqual({
      pin_password: '[redacted]',
      token: '[redacted]',
      maxTokens: 5,
      max_token: 5,
      tokens: 12,
      pass: 3,
    })
  })

  test('masks what follows a flag in a list, and the value of a named pair', () => {
    expect(redact({ args: ['run', '--password', 'hunter2', '--verbose', '-x'] })).toEqual({
      args: ['run', '--password', '[redacted]', '--verbose', '-x'],
    })
    expect(
      redact({
        env: [
          { name: 'DB_PASSWORD', value: 'hunter2' },
          { name: 'HOME', value: '/root' },
        ],
      }),
    ).toEqual({
      env: [
        { name: 'DB_PASSWORD', value: '[redacted]' },
        { name: 'HOME', value: '/root' },
      ],
    })
  })

  test('masks keys by look', () => {
    const secret = generate(['gh', 'p_', ['abc123', 36]], 1)
    expect(JSON.stringify(redact({ [secret]: 1 }))).not.toContain(secret)
  })

  test('a secret that begins before the cut does not show its beginning', () => {
    const secret = generate(['gh', 'p_', ['abc123', 36]], 1)
    const shown = String(redact(`${'x '.repeat(490)}${secret} ${'y'.repeat(9000)}`))
    expect(shown).not.toContain(secret.slice(0, 10))
    expect(shown).toContain('characters)')
  })

  test('shortens session ids', () => {
    const id = plainSecret(1) + plainSecret(2)
    expect(redact({ session: id, sessionId: id, 'mcp-session-id': id })).toEqual({
      session: `${id.slice(0, 8)}…`,
      sessionId: `${id.slice(0, 8)}…`,
      'mcp-session-id': `${id.slice(0, 8)}…`,
    })
  })

  test('follows the annotations of a schema', () => {
    const schema = {
      type: 'object',
      properties: {
        content: { type: 'string', 'x-audit': 'omit' },
        pin: { type: 'integer', 'x-audit': 'mask' },
        command: { type: 'string', 'x-audit': 'head' },
        edits: {
          type: 'array',
          items: { type: 'object', properties: { newText: { type: 'string', 'x-audit': 'omit' } } },
        },
        list: { type: 'array', 'x-audit': 'omit' },
      },
    }
    const given = {
      content: 'hunter2',
      pin: 1234,
      command: `deploy --password hunter2 ${'x'.repeat(300)}`,
      edits: [{ oldText: 'a', newText: 'hunter2' }],
      list: [1, 2],
      path: 'a.txt',
    }
    expect(redact(given, schema)).toEqual({
      content: '[omitted: 7 characters]',
      pin: '[redacted]',
      command: expect.stringMatching(/^deploy --password \[redacted\] x+… \(326 characters\)$/),
      edits: [{ oldText: 'a', newText: '[omitted: 7 characters]' }],
      list: '[omitted: 2 items]',
      path: 'a.txt',
    })
    // What does not fit the schema is shown like anything else.
    expect(redact({ edits: 'x', content: 5, __proto__: null }, schema)).toEqual({ edits: 'x', content: '[omitted]' })
  })

  test('has a bound on everything', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`k${i}`, Array.from({ length: 100 }, () => ({ a: { b: 1 } }))]),
    )
    expect(JSON.stringify(redact(wide)).length).toBeLessThan(200_000)
    expect(redact({ at: new Date(0), url: new URL('https://a:b@c.d/'), bytes: new Uint8Array(5) })).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      url: 'https://[redacted]@c.d/',
      bytes: '[5 bytes]',
    })
  })
})

test('strict, maskResults masks whatever is called a secret in what tools return and throw', async () => {
  const server = createServer({ name: 't', version: '1' })
    .use(maskResults({ strict: true }))
    .add(
      tool({ name: 'text' }, () => 'password=hunter2, user=ann'),
      tool({ name: 'data' }, async () => ({ token: 'hunter2', tokens: 5, nested: [{ note: 'PASSWORD=hunter2' }] })),
      tool({ name: 'fails' }, () => {
        throw new Error('could not log in with --password hunter2')
      }),
      tool({ name: 'fails-later' }, async () => {
        throw new Error('could not log in with --password hunter2')
      }),
    )
  const client = connect(server)
  const { content, _meta } = await client.request('tools/call', { name: 'text' })
  expect(content).toMatchObject([
    { text: 'password=[redacted], user=ann' },
    { text: expect.stringMatching(/^\[1 value .* masked/) },
  ])
  expect(_meta).toMatchObject({ 'dev.causeway/masked': 1 })
  expect(await client.call('data')).toEqual({
    token: '[redacted]',
    tokens: 5,
    nested: [{ note: 'PASSWORD=[redacted]' }],
  })
  for (const name of ['fails', 'fails-later'])
    await expect(client.call(name)).rejects.toThrow('could not log in with --password [redacted]')
})
