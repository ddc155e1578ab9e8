import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { clientPrograms } from '@causeway/engine/client-programs'
import { bearerTokens } from '@causeway/engine/http'
import { describe, expect, test } from 'vitest'
import { apply, backupOf, installed, uninstalled } from '../../src/clients/client-installation.ts'
import { clientFile, pathOn } from '../../src/clients/client-paths.ts'
import { BINARY, Spawned, run } from '../../../../test/support/spawned.ts'

const HOME = { platform: 'linux', home: '/home/ada', env: {} } as const

test.each([
  ['claude-code', 'linux', '/home/ada/.claude.json'],
  ['claude-desktop', 'linux', '/home/ada/.config/Claude/claude_desktop_config.json'],
  ['claude-desktop', 'darwin', '/home/ada/Library/Application Support/Claude/claude_desktop_config.json'],
  ['vscode', 'linux', '/home/ada/.config/Code/User/mcp.json'],
  ['cursor', 'linux', '/home/ada/.cursor/mcp.json'],
  ['codex', 'linux', '/home/ada/.codex/config.toml'],
  ['windsurf', 'darwin', '/home/ada/.codeium/windsurf/mcp_config.json'],
  ['gemini-cli', 'linux', '/home/ada/.gemini/settings.json'],
  ['zed', 'linux', '/home/ada/.config/zed/settings.json'],
  ['jetbrains', 'linux', '/home/ada/.junie/mcp/mcp.json'],
  ['goose', 'linux', '/home/ada/.config/goose/config.yaml'],
] as const)('the file of %s on %s', (id, platform, path) => {
  const program = clientPrograms.find(one => one.id === id)
  expect(program && clientFile(program, 'user', { ...HOME, platform })).toBe(path)
})

test('folders of the platform are looked up', () => {
  const env = { XDG_CONFIG_HOME: '/x', APPDATA: '/roaming' }
  expect(pathOn('$XDG_CONFIG_HOME/a', { ...HOME, env })).toBe('/x/a')
  expect(pathOn('$XDG_CONFIG_HOME/a', { ...HOME, env: { XDG_CONFIG_HOME: 'relative' } })).toBe('/home/ada/.config/a')
  expect(pathOn({ linux: 'l', darwin: 'd', win32: '%APPDATA%/a' }, { ...HOME, env, platform: 'win32' })).toBe(
    '/roaming/a',
  )
})

const ENTRY = { path: ['mcpServers', 'causeway'], entry: { command: 'node' } }
const fresh = (): string => mkdtempSync(join(tmpdir(), 'causeway-install-'))

describe('a file after install and uninstall', () => {
  const BEFORE = '{\n  "mcpServers": {\n    "x": { "command": "y" } // mine\n  }\n}'

  test('is as it was, byte for byte, however often it was installed', () => {
    const file = join(fresh(), 'mcp.json')
    writeFileSync(file, BEFORE, { mode: 0o640 })
    apply(installed(file, ENTRY))
    expect(readFileSync(backupOf(file), 'utf8')).toBe(BEFORE)
    apply(installed(file, { ...ENTRY, entry: { command: 'other' } }))
    expect(JSON.stringify(readFileSync(file, 'utf8'))).toContain('other')
    const change = uninstalled(file, ENTRY.path)
    if (change) apply(change)
    expect(readFileSync(file, 'utf8')).toBe(BEFORE)
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(readdirSync(dirname(file))).toEqual(['mcp.json'])
  })

  test('is gone if there was none', () => {
    const file = join(fresh(), 'deep', 'mcp.json')
    apply(installed(file, ENTRY))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const change = uninstalled(file, ENTRY.path)
    if (change) apply(change)
    expect(readdirSync(dirname(file))).toEqual([])
    expect(uninstalled(file, ENTRY.path)).toBeUndefined()
  })

  test('keeps a copy of an entry of that name that was not ours', () => {
    const file = join(fresh(), 'mcp.json')
    const foreign = '{ "mcpServers": { "causeway": { "command": "mine" } } }'
    writeFileSync(file, foreign)
    apply(installed(file, ENTRY))
    apply(installed(file, { ...ENTRY, entry: { command: 'other' } }))
    const change = uninstalled(file, ENTRY.path)
    if (change) apply(change)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: {} })
    expect(readFileSync(backupOf(file), 'utf8')).toBe(foreign)
  })

  test('that cannot be used is named, and nothing is written', () => {
    const folder = fresh()
    expect(() => installed(folder, ENTRY)).toThrow(`${folder} cannot be read: it is not a file`)
    const file = join(folder, 'mcp.json')
    writeFileSync(file, '{"mcpServers": [1]}')
    expect(() => installed(file, ENTRY)).toThrow("cannot be edited safely. Edit 'mcpServers.causeway' by hand.")
    expect(readFileSync(file, 'utf8')).toBe('{"mcpServers": [1]}')
  })

  test('keeps what was changed in between', () => {
    const file = join(fresh(), 'mcp.json')
    writeFileSync(file, BEFORE)
    apply(installed(file, ENTRY))
    writeFileSync(file, readFileSync(file, 'utf8').replace('"y"', '"z"'))
    const change = uninstalled(file, ENTRY.path)
    if (change) apply(change)
    expect(JSON.parse(readFileSync(file, 'utf8').replace('// mine', ''))).toEqual({
      mcpServers: { x: { command: 'z' } },
    })
  })
})

describe('the command', () => {
  const world = (): { env: Record<string, string>; cwd: string } => {
    const home = fresh()
    return { env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') }, cwd: home }
  }

  test('adds what the client then starts', async () => {
    const { env, cwd } = world()
    mkdirSync(join(cwd, 'code'))
    const { code, stdout, stderr } = await run(['install', 'claude-desktop', '--root', 'code', '--preset', 'basics'], {
      env,
      cwd,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Written. Restart Claude Desktop to load it.\n' })
    expect(stdout).toContain('+ ')
    const file = join(cwd, '.config/Claude/claude_desktop_config.json')
    const { causeway } = JSON.parse(readFileSync(file, 'utf8')).mcpServers
    expect(causeway).toEqual({
      command: process.execPath,
      args: [BINARY, 'serve', '--stdio', '--preset', 'basics', '--root', join(cwd, 'code')],
    })
    const [script, ...args] = causeway.args
    const client = new Spawned(args, { cwd: '/', env, script })
    expect(await client.initialize()).toMatchObject({ result: { serverInfo: {} } })
    await client.end()
  })

  test('lets clients share one daemon where there are servers', async () => {
    const { env, cwd } = world()
    expect(
      await run(['install', 'claude-desktop', '--root', '.', '--servers', 'mcp.json'], { env, cwd }),
    ).toMatchObject({ code: 0 })
    const { causeway } = JSON.parse(
      readFileSync(join(cwd, '.config/Claude/claude_desktop_config.json'), 'utf8'),
    ).mcpServers
    expect(causeway.args).toEqual([BINARY, 'attach', '--servers', join(cwd, 'mcp.json'), '--root', cwd])
    const alone = ['install', 'windsurf', '--pack', 'none', '--servers', 'mcp.json', '--dry-run']
    expect((await run(alone, { env, cwd })).stdout).not.toContain('--root')
  })

  test('gives a client a token of its own, and revokes it', async () => {
    const { env, cwd } = world()
    const flags = ['cursor', '--url', 'http://127.0.0.1:5000/mcp', '--token-file', 'tokens']
    const first = await run(['install', ...flags], { env, cwd })
    expect(first.stdout).not.toMatch(/cw_[\w-]{32}/)
    const written = (): string => readFileSync(join(cwd, '.cursor/mcp.json'), 'utf8')
    const token = /cw_[\w-]{32}/.exec(written())?.[0] ?? ''
    const tokens = readFileSync(join(cwd, 'tokens'), 'utf8')
    expect(bearerTokens(tokens)).toBeDefined()
    expect(tokens).toMatch(/^cursor sha256:/)
    const again = await run(['install', ...flags], { env, cwd })
    expect(again.stderr).toBe('It was there already.\n')
    expect(written()).toContain(token)
    await run(['uninstall', 'cursor', '--token-file', 'tokens'], { env, cwd })
    expect(readFileSync(join(cwd, 'tokens'), 'utf8')).toBe('# Every token was revoked.\n')
    expect(existsSync(join(cwd, '.cursor/mcp.json'))).toBe(false)
  })

  test('keeps its token, though the file has those of others', async () => {
    const { env, cwd } = world()
    mkdirSync(join(cwd, '.cursor'))
    const other = { url: 'http://h.test', headers: { Authorization: `Bearer cw_${'x'.repeat(32)}` } }
    writeFileSync(join(cwd, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { other } }))
    const flags = ['install', 'cursor', '--url', 'http://127.0.0.1:5000/mcp', '--token-file', 'tokens']
    await run(flags, { env, cwd })
    expect((await run(flags, { env, cwd })).stderr).toBe('It was there already.\n')
  })

  test('makes no token for a file that it cannot edit', async () => {
    const { env, cwd } = world()
    mkdirSync(join(cwd, '.cursor'))
    writeFileSync(join(cwd, '.cursor/mcp.json'), '{"mcpServers": [1]}')
    const { code } = await run(['install', 'cursor', '--url', 'http://h.test', '--token-file', 'tokens'], { env, cwd })
    expect(code).toBe(4)
    expect(existsSync(join(cwd, 'tokens'))).toBe(false)
  })

  test.each([
    [['install'], /Name a client\. Clients: claude-code, /, 2],
    [['install', 'curser'], /Unknown client 'curser'\. Did you mean 'cursor'\?/, 2],
    [['install', 'codex', '--scope', 'project'], /Codex has no file for a project\. Use --scope user\./, 2],
    [['install', 'cursor', '--scope', 'galaxy'], /--scope must be user or project, got 'galaxy'/, 2],
    [['install', 'cursor', '--url', 'ftp://x'], /--url must be an address such as/, 2],
    [['install', 'cursor', '--token-file', 'x'], /--token-file needs --url/, 2],
    [['install', 'cursor', '--preset', 'nope'], /preset/, 2],
    [['install', '--all', 'cursor'], /Name a client, or use --all, not both/, 2],
  ] as const)('%j is refused', async (args, words, code) => {
    const { env, cwd } = world()
    const ended = await run([...args], { env, cwd })
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toMatch(words)
    expect(readdirSync(cwd)).toEqual([])
  })
})
