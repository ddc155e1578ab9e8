import { describe, expect, test } from 'vitest'
import { readServers } from '@causeway/gateway'
import type { Servers } from '@causeway/gateway'
import { isOffered } from '../../src/config/read-servers.ts'

const VARIABLES: Readonly<Record<string, string>> = { TOKEN: 't0k', EMPTY: '' }

const read = (value: unknown, files: Readonly<Record<string, string>> = {}): Servers =>
  readServers(value, { file: '/etc/mcp.json', variables: name => VARIABLES[name], readText: path => files[path] })

const one = (entry: object, files?: Readonly<Record<string, string>>): Servers =>
  read({ mcpServers: { it: entry } }, files)

describe('files of other clients', () => {
  test('mcpServers, and servers as VS Code has them, alone or inside its settings', () => {
    const entry = { command: 'npx', args: ['-y', 'thing'] }
    for (const value of [{ mcpServers: { a: entry } }, { servers: { a: entry } }, { mcp: { servers: { a: entry } } }]) {
      expect(read(value)).toMatchObject({ problems: [], upstreams: [{ name: 'a', target: { kind: 'stdio' } }] })
    }
  })

  test('what is no such file is said', () => {
    expect(read({}).problems).toEqual([
      '/etc/mcp.json: it has no servers; looked for "mcpServers", "servers", "mcp.servers", "mcp_servers", "context_servers", "extensions"',
    ])
    expect(read([]).problems).toHaveLength(1)
  })

  test.each([
    [{ url: 'https://x.test/mcp' }, 'http'],
    [{ url: 'https://x.test/sse' }, 'sse'],
    [{ url: 'wss://x.test/ws' }, 'ws'],
    [{ type: 'streamable-http', url: 'https://x.test/sse' }, 'http'],
    [{ serverUrl: 'https://x.test/mcp' }, 'http'],
    [{ command: 'node' }, 'stdio'],
  ])('%j is taken for %s', (entry, kind) => {
    expect(one(entry)).toMatchObject({ problems: [], upstreams: [{ target: { kind } }] })
  })
})

describe('variables', () => {
  test('are filled in, wherever text stands', () => {
    const entry = { command: '${env:TOKEN}', args: ['${TOKEN}', '${NONE:-x}'], env: { A: 'b${EMPTY:-c}' } }
    expect(one(entry).upstreams[0]?.target).toMatchObject({ command: 't0k', args: ['t0k', 'x'], env: { A: 'bc' } })
    const remote = { url: 'https://x.test/${TOKEN}', headers: { Authorization: 'Bearer ${TOKEN}' } }
    expect(one(remote).upstreams[0]?.target).toMatchObject({
      url: 'https://x.test/t0k',
      headers: { Authorization: 'Bearer t0k' },
    })
  })

  test('one that is missing is named, with what to do', () => {
    const { upstreams, problems } = one({ command: 'x', args: ['${NONE}', '${input:key}'] })
    expect(upstreams).toEqual([])
    expect(problems[0]).toContain('NONE is not set')
    expect(problems[1]).toContain('asks a person')
  })

  test('an envFile gives more, which env overrides', () => {
    const files = { '/etc/a.env': '# note\nexport A="1\\n2"\nB=two # why\nC=\'${TOKEN}\'\nnonsense' }
    const { upstreams } = one({ command: 'x', envFile: 'a.env', env: { B: 'mine' } }, files)
    expect(upstreams[0]?.target).toMatchObject({ env: { A: '1\n2', B: 'mine', C: '${TOKEN}' } })
    expect(one({ command: 'x', envFile: 'b.env' }).problems[0]).toContain('/etc/b.env cannot be read')
    const multi = { '/etc/a.env': 'A=\r\nB="two\nlines"\n' }
    expect(one({ command: 'x', envFile: 'a.env' }, multi).upstreams[0]?.target).toMatchObject({
      env: { A: '', B: 'two\nlines' },
    })
  })
})

describe('prefixes', () => {
  const clash = (mcpServers: object): Servers => read({ mcpServers })

  test('two servers with one prefix are refused, both named', () => {
    const { upstreams, problems, clashes } = clash({ 'my server': { command: 'a' }, 'my.server': { command: 'b' } })
    expect(upstreams.map(({ name }) => name)).toEqual(['my server'])
    expect(clashes).toEqual([
      `the servers 'my server' and 'my.server' have the same prefix 'my_server': give one of them another "prefix"`,
    ])
    expect(problems).toEqual([`/etc/mcp.json: ${clashes[0]}`])
  })

  test('also where it is said, and not where one of them is disabled or bare', () => {
    expect(clash({ a: { command: 'a' }, b: { command: 'b', prefix: 'a' } }).clashes).toHaveLength(1)
    expect(clash({ a: { command: 'a' }, b: { command: 'b', prefix: 'a', disabled: true } }).clashes).toEqual([])
    expect(clash({ a: { command: 'a', prefix: false }, b: { command: 'b', prefix: false } }).clashes).toEqual([])
  })
})

describe('our own keys', () => {
  test('have defaults', () => {
    expect(one({ command: 'x' }).upstreams[0]).toEqual({
      name: 'it',
      target: { kind: 'stdio', command: 'x', args: [], env: {}, cwd: undefined },
      disabled: false,
      prefix: 'it',
      tools: [],
      exclude: [],
      rename: {},
      describe: {},
      timeoutMs: 60_000,
      startTimeoutMs: 30_000,
      limits: { inFlight: 128, messageBytes: 10 * 1024 * 1024 },
      processes: 4,
      idleMs: 600_000,
      start: 'lazy',
    })
  })

  test('are taken as people write them', () => {
    const entry = {
      command: 'x',
      cwd: 'sub',
      prefix: false,
      timeout: '1.5s',
      idle: 'off',
      processes: 2,
      start: 'eager',
      limits: { inFlight: 3, message: '2mb' },
    }
    expect(one(entry).upstreams[0]).toMatchObject({
      target: { cwd: '/etc/sub' },
      prefix: false,
      timeoutMs: 1500,
      idleMs: 0,
      processes: 2,
      start: 'eager',
      limits: { inFlight: 3, messageBytes: 2 * 1024 * 1024 },
    })
  })

  test.each([
    [{ command: 'x', timeot: 1 }, "unknown key 'timeot'. Did you mean 'timeout'?"],
    [{ command: 'x', timeout: 'soon' }, "'timeout' must be"],
    [{ command: 'x', args: 'y' }, "'args' must be a list"],
    [{ command: 'x', env: { A: {} } }, "'env' must be an object of texts"],
    [{ command: 'x', prefix: 'a b' }, "'prefix' must be"],
    [{ command: 'x', processes: 0 }, "'processes' must be a whole number of at least 1"],
    [{ type: 'carrier-pigeon', command: 'x' }, "'type' must be one of"],
    [{ url: 'ftp://x' }, 'begins with http://'],
    [{ args: [] }, 'needs "command"'],
    ['npx', 'must be an object'],
  ])('%j is refused in words', (entry, words) => {
    const { upstreams, problems } = read({ mcpServers: { it: entry } })
    expect(upstreams).toEqual([])
    expect(problems.join()).toContain(words)
  })

  test('a broken one costs the others nothing, and what is switched off may be incomplete', () => {
    const { upstreams, problems } = read({
      mcpServers: { a: 1, b: { command: 'x' }, c: { command: '${NONE}', disabled: true } },
    })
    expect(upstreams.map(({ name, disabled }) => [name, disabled])).toEqual([
      ['b', false],
      ['c', true],
    ])
    expect(problems).toHaveLength(1)
  })

  test('tools are chosen by patterns, and exclude has the last word', () => {
    const offered = (name: string): boolean => isOffered({ tools: ['read_*', '*_list'], exclude: ['*secret*'] }, name)
    expect(['read_file', 'tool_list', 'write', 'read_secret_file'].map(offered)).toEqual([true, true, false, false])
    expect(isOffered({ tools: [], exclude: [] }, 'anything')).toBe(true)
  })
})
