import { ConnectionLost, HttpError } from '@causeway/engine/client'
import { describe, expect, test } from 'vitest'
import { causeOf, needsAuthorization, tellingLine, withoutAddresses } from '../../src/upstream/causes.ts'

describe('the line that says why a program ended', () => {
  test.each([
    [
      'of Node',
      [
        'node:internal/modules/cjs/loader:1228',
        '  throw err;',
        '  ^',
        '',
        "Error: Cannot find module '/nonexistent/server.js'",
        '    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)',
        'Node.js v20.20.2',
      ],
      "Error: Cannot find module '/nonexistent/server.js'",
    ],
    [
      'of Python',
      [
        'Traceback (most recent call last):',
        '  File "/srv/server.py", line 3, in <module>',
        '    raise ValueError("no")',
        "ModuleNotFoundError: No module named 'mcp'",
      ],
      "ModuleNotFoundError: No module named 'mcp'",
    ],
    ['where none looks like a reason, the last', ['starting', 'bye', '[causeway] ended with code 1'], 'bye'],
    ['with sequences for terminals', ['\u001B[31mError: API_KEY is required\u001B[0m'], 'Error: API_KEY is required'],
    [
      'without secrets',
      ['Error: the token ghp_16C7e42F292c6912E7710c838347Ae178B4a was refused'],
      'Error: the token [redacted] was refused',
    ],
    ['where only we wrote', ['[causeway] ended with SIGTERM'], undefined],
    ['where nothing was written', [], undefined],
  ])('%s', (_, lines, expected) => {
    expect(tellingLine(lines)).toBe(expected)
  })
})

test.each([
  ['connect ECONNREFUSED 127.0.0.1:42021', 'connect ECONNREFUSED [address]'],
  [
    'use `npx mcp-remote https://inner.example:8443/mcp?key=s` as its command',
    'use `npx mcp-remote [address]` as its command',
  ],
  ['connect to [fd00::1]:80 or localhost:9', 'connect to [address] or [address]'],
  ['version 1.2.3 at 10:30', 'version 1.2.3 at 10:30'],
])('clients are not told where a server is: %s', (text, expected) => {
  expect(withoutAddresses(text)).toBe(expected)
})

test('errors of the system are put into words', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })
  expect(causeOf(refused)).toBe('nothing listens at its address')
  expect(causeOf(new TypeError('fetch failed', { cause: refused }))).toBe('nothing listens at its address')
  expect(causeOf(new ConnectionLost('spawn nope ENOENT'))).toBe("the program 'nope' was not found")
  expect(causeOf(new Error('something else'))).toBe('something else')
  expect([401, 403, 500].map(status => needsAuthorization(new HttpError(status, '')))).toEqual([true, false, false])
})
