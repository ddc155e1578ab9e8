import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientPrograms, httpSnippet, stdioSnippet } from '@causeway/engine/client-programs'
import { afterAll, describe, expect, test } from 'vitest'
import { versions } from '@causeway/engine'
import type { Params } from '@causeway/engine'
import { plan } from '../../src/page/state/preview.ts'
import { overHttp, overStdio } from '../../src/page/state/client-snippets.ts'
import { asCommand, asCurl, asTypeScript } from '../../src/page/state/snippets.ts'

const RUN = 'touch PWNED'
const HOSTILE = [
  `x;${RUN};`,
  `$(${RUN})`,
  `\`${RUN}\``,
  `$TOKEN`,
  `'+require('fs').writeFileSync('PWNED','')+'`,
  `'; ${RUN}; '`,
  `"; ${RUN}; "`,
  `\${globalThis.process.exit(1)}`,
  `\\'; ${RUN}; \\'`,
  `a\n${RUN}\n`,
  `\u0015${RUN}\n`,
  `\u001B[201~\n${RUN}\n`,
  `\u0003'\n${RUN}\n'`,
  `'\u202E; ${RUN} #`,
  `--servers=/etc/passwd`,
  `-h`,
  `@/etc/passwd`,
  `=ls`,
  `~root`,
  `*`,
  `!!`,
  `a'b"c\`d$e\\f`,
  `\u2028\u2029`,
  `__proto__`,
  ` `,
]

/** Any mixture of what shells and languages treat specially. */
function mixtures(count: number): string[] {
  const parts = [
    `'`,
    `"`,
    '\\',
    '$(',
    ')',
    '`',
    ';',
    '\n',
    ' ',
    '$',
    '{',
    '}',
    '|',
    '&',
    '#',
    RUN,
    '\u0007',
    'é',
    '-',
    '*/',
  ]
  let seed = 7
  const next = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + next(9) }, () => parts[next(parts.length)] ?? '').join(''),
  )
}

const values = [...HOSTILE, ...mixtures(40)]
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const isPlainText = (text: string): boolean => !/[\u0000-\u001F\u007F-\u009F\u2028-\u202E]/.test(text)

const folder = mkdtempSync(join(tmpdir(), 'causeway-snippets-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What commands get as their arguments when a shell reads the lines; every program of interest only shows them. */
function argumentsIn(shell: string, lines: readonly string[]): readonly (readonly string[])[] {
  const shows = ['causeway', 'curl', 'claude'].map(
    name => `${name}() { { for one; do printf '%s\\0' "$one"; done; printf '\\001\\0'; } >&3; }`,
  )
  const script = ['TOKEN=TOKEN; exec 3>&1 1>/dev/null', ...shows, ...lines].join('\n')
  const shown = execFileSync(shell, {
    input: script,
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '' },
  })
  expect(readdirSync(folder)).toEqual([])
  return shown
    .split('\u0001\0')
    .slice(0, -1)
    .map(one => one.split('\0').slice(0, -1))
}

const toolNamed = (name: string): { definition: Params } => {
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  return { definition: { name, inputSchema: { type: 'object', properties: { region } } } }
}

describe.each([
  // Only some shells can write a control character in quotes; in the others such a word is wrong, but still one word.
  ['sh', values.filter(isPlainText)],
  ['bash', values],
])('in %s, a value of a server is one argument', (shell, exact) => {
  test('of causeway', () => {
    const lines = exact.map(value => asCommand(callOf(value), ['causeway', 'call', '--servers', value]))
    const expected = exact.map(value => {
      const dashes = value.startsWith('-') ? ['--'] : []
      return ['call', '--servers', value, '--args', JSON.stringify({ [value]: value }), ...dashes, value]
    })
    expect(argumentsIn(shell, lines).map(parsedAfter('--args'))).toEqual(expected.map(parsedAfter('--args')))
  })

  test('of curl, in every revision', async () => {
    for (const version of [versions[0] ?? '', versions[1] ?? '']) {
      const lines: string[] = []
      for (const value of exact) {
        const planned = await plan({ ...callOf(value), params: paramsOf(value), version, tool: toolNamed(value) })
        lines.push(asCurl('http://127.0.0.1:5000/mcp', planned, true))
      }
      const calls = argumentsIn(shell, lines).filter(words => words.some(word => word.includes('"tools/call"')))
      expect(calls).toHaveLength(exact.length)
      for (const [i, words] of calls.entries()) {
        const value = exact[i] ?? ''
        expect(JSON.parse(words.at(-1) ?? '')).toMatchObject({ params: paramsOf(value) })
        expect(words.slice(0, 4)).toEqual(['-sS', 'http://127.0.0.1:5000/mcp', '-H', 'authorization: Bearer TOKEN'])
        expect(new Set(words.filter((_, at) => at > 1 && at % 2 === 0))).toEqual(new Set(['-H', '-d']))
        expect(words.filter(word => word.startsWith('mcp-session-id'))).toEqual(
          version === versions[0] ? [] : ['mcp-session-id: '],
        )
      }
    }
  })

  test('of claude mcp add', () => {
    const [program] = clientPrograms
    if (!program) throw new Error('no program')
    const started = exact.map(value => stdioSnippet(program, 'it', { command: value, args: [value] }))
    expect(argumentsIn(shell, started)).toEqual(exact.map(value => ['mcp', 'add', 'it', '--', value, value]))
    const reached = exact.map(value => httpSnippet(program, 'it', { url: value, headers: { A: value } }))
    expect(argumentsIn(shell, reached)).toEqual(
      exact.map(value => ['mcp', 'add', '--transport', 'http', 'it', value, '--header', `A: ${value}`]),
    )
  })
})

test('a link adds the server with one click, but never with a token', () => {
  const reached = { url: 'http://127.0.0.1:5000', token: '', needsToken: false, command: ['npx', 'causeway-mcp'] }
  const linked = (snippets: ReturnType<typeof overHttp>): string[] =>
    snippets.flatMap(({ client, link }) => (link === undefined ? [] : [`${client} ${link.split(':', 1)[0]}`]))
  expect(linked(overHttp(reached))).toEqual(['VS Code vscode', 'Cursor cursor'])
  expect(linked(overStdio(reached))).toEqual(['VS Code vscode', 'Cursor cursor'])
  expect(linked(overHttp({ ...reached, token: 'cw_secret', needsToken: true }))).toEqual([])
})

test('in sh, no command runs, whatever characters a value has', () => {
  const [program] = clientPrograms
  const lines = values.flatMap(value => [
    asCommand(callOf(value), ['causeway', 'call', value]),
    program ? stdioSnippet(program, 'it', { command: 'node', args: [value] }) : '',
  ])
  expect(argumentsIn('sh', lines)).toHaveLength(lines.length)
})

test('a pasted line has no character that a terminal takes as a key', () => {
  for (const value of values) {
    const [program] = clientPrograms
    const lines = [
      asCommand(callOf(value), ['causeway', 'call', value]),
      program ? stdioSnippet(program, value, { command: value, args: [] }) : '',
    ]
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u2028-\u202E]/)
  }
})

describe('in TypeScript, a value of a server is a value', () => {
  let seen: unknown[] = []
  const server = {
    callTool: (...args: unknown[]) => void seen.push(args),
    request: (...args: unknown[]) => void seen.push(args),
    close: () => {},
  }

  const evaluate = async (source: string): Promise<unknown> => {
    const body = source.replace(/^import .*\n/, '')
    const AsyncFunction = Object.getPrototypeOf(evaluate).constructor as new (
      ...words: string[]
    ) => (...args: unknown[]) => Promise<unknown>
    const names = ['RemoteServer', 'httpTransport', 'console', 'process', 'require', 'globalThis']
    const forbidden = (): never => {
      throw new Error('code of a server was run')
    }
    seen = []
    await new AsyncFunction(...names, `'use strict'\n${body}`)(
      { connect: (to: { open(): unknown }) => (to.open(), server) },
      (options: unknown) => void seen.push(options),
      { log: () => {} },
      { env: { TOKEN: 't' } },
      forbidden,
      new Proxy({}, { get: forbidden }),
    )
    return seen
  }

  test('of a call', async () => {
    for (const value of values) {
      const options = { url: `http://h/${value}`, headers: { authorization: 'Bearer t' } }
      expect(await evaluate(asTypeScript(options.url, callOf(value), true))).toEqual([
        options,
        [value, { [value]: value }],
      ])
    }
  })

  test('of another request', async () => {
    for (const value of values) {
      const planned = { method: 'resources/read', params: { uri: value }, version: value }
      expect(await evaluate(asTypeScript('http://h', planned, false))).toEqual([
        { url: 'http://h' },
        ['resources/read', { uri: value }],
      ])
    }
  })
})

function callOf(value: string): { method: string; params: { name: string; arguments: object }; version: string } {
  return { method: 'tools/call', params: { name: value, arguments: { [value]: value } }, version: '' }
}

const paramsOf = (value: string): { name: string; arguments: { region: string } } => ({
  name: value,
  arguments: { region: value },
})

/** JSON may be spelled in more than one way. */
const parsedAfter =
  (flag: string) =>
  (words: readonly string[]): readonly unknown[] =>
    words.map((word, i) => (words[i - 1] === flag ? (JSON.parse(word) as unknown) : word))
