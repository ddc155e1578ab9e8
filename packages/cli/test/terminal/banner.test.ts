import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { BINARY, Spawned } from '../../../../test/support/spawned.ts'
import { readArgs } from '../../src/config/args.ts'
import { assemble } from '../../src/serve/assemble.ts'
import { rootWarnings, welcome } from '../../src/terminal/banner.ts'
import { readConfig } from '../../src/config/config.ts'
import { ownCommand, sameTools, startCommand } from '../../src/serve/own-command.ts'
import { EXECUTABLE } from '../../src/version.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-banner-'))
afterAll(() => rmSync(folder, { recursive: true }))

const configOf = (...args: readonly string[]) => readConfig(readArgs([...args, '--log-level', 'silent']), {})

/** Makes the process believe that a person sits there. */
const TERMINAL = {
  NODE_OPTIONS: `--import=data:text/javascript,process.stdin.isTTY=true;process.stderr.isTTY=true`,
}

describe('the banner', () => {
  test('over HTTP names tools, preset and root, and what to paste', async () => {
    const config = configOf('--preset', 'basics', '--root', folder, '--http')
    const text = await welcome('http://127.0.0.1:5000', await assemble(config), config)
    expect(text).toContain(
      `Causeway is listening on http://127.0.0.1:5000\nServing 5 tools (preset basics); root: ${folder}`,
    )
    expect(text).toContain(
      '{"mcpServers":{"causeway":{"type":"sse","url":"http://127.0.0.1:5000/sse","transport":"sse"}}}',
    )
    expect(text).not.toContain('TOKEN')
  })

  test('says where tokens go', async () => {
    const config = configOf('--preset', 'basics', '--token-file', 'x', '--read-only')
    const text = await welcome('http://127.0.0.1:5000', await assemble(config), config)
    expect(text).toContain('(preset basics, read-only)')
    expect(text).toContain('"headers":{"Authorization":"Bearer TOKEN"}')
  })

  test.each(['http://0.0.0.0:5000', 'http://[::]:5000'])('shows addresses that can be used for %s', async url => {
    const config = configOf('--preset', 'basics')
    const [first, ...rest] = (await welcome(url, await assemble(config), config)).split('\n')
    expect(first).toMatch(/^Causeway is listening on http:\/\/[^ ]+:5000$/)
    expect(first).not.toContain(url)
    expect(rest.join('\n')).not.toContain(url)
    expect(rest.join('\n')).toContain('http://127.0.0.1:5000')
    for (const address of rest.join('\n').match(/http:\/\/[^\s/",]+/g) ?? []) expect(URL.canParse(address)).toBe(true)
  })

  test('shows the public URL where there is one, which then is allowed as host and origin', async () => {
    const config = configOf(
      '--preset',
      'basics',
      '--public-url',
      'https://mcp.example.org/a/',
      '--allow-host',
      'Other.example',
    )
    const text = await welcome('http://127.0.0.1:5000', await assemble(config), config)
    expect(text).toContain('claude mcp add --transport http causeway https://mcp.example.org/a/mcp')
    expect(text).toContain('wss://mcp.example.org/a/ws')
    expect(config).toMatchObject({
      allowedHosts: ['other.example', 'mcp.example.org'],
      allowedOrigins: ['https://mcp.example.org'],
    })
  })

  test('on stdio is a line of the log', async () => {
    const server = new Spawned(['--preset', 'basics', '--root', folder])
    await server.end()
    const [line = ''] = server.stderr.split('\n')
    expect(JSON.parse(line)).toMatchObject({ message: 'serving on stdio', preset: 'basics', tools: 5, roots: [folder] })
    expect(server.lines).toEqual([])
  })

  test('in a terminal says what it is and what to do, on stderr, and serves', async () => {
    const server = new Spawned(['--preset', 'basics', '--root', folder], { env: TERMINAL })
    await server.initialize()
    expect(server.stderr).toContain(`an MCP server. Serving 5 tools (preset basics); root: ${folder}`)
    expect(server.stderr).toContain(`claude mcp add causeway -- ${process.execPath} ${BINARY}`)
    expect(server.stderr).toContain(`${BINARY} serve --http`)
    expect(server.stderr).not.toMatch(/\bnpx\b/)
    expect(await server.end()).toEqual({ code: 0, signal: null })
    expect(server.lines).toHaveLength(1)
  })
})

describe('how this program is started', () => {
  const linked = (path: string): string => {
    const bin = join(folder, path)
    mkdirSync(bin, { recursive: true })
    symlinkSync(EXECUTABLE, join(bin, 'causeway'))
    return bin
  }
  const real = [process.execPath, EXECUTABLE]
  const NPX = ['npx', '-y', 'causeway-mcp']

  test('by its name if a shell finds it, else by its path', () => {
    expect(ownCommand(linked('own'))).toEqual(['causeway'])
    expect(ownCommand('')).toEqual(real)
    // A shell of a person does not have what npx adds.
    expect(ownCommand(linked('node_modules/.bin'))).toEqual(real)
  })

  test('by npx, where npx or a project has it', () => {
    expect(ownCommand('', '/home/me/.npm/_npx/1a2b/node_modules/causeway-mcp/bin/causeway.js')).toEqual(NPX)
    expect(ownCommand('', '/work/app/node_modules/causeway-mcp/bin/causeway.js')).toEqual(['npx', 'causeway-mcp'])
    expect(startCommand('/x/_npx/1/node_modules/causeway-mcp/bin/causeway.js', 'linux')).toEqual(NPX)
    expect(startCommand('C:\\_npx\\1\\causeway.js', 'win32')).toEqual(['cmd', '/c', ...NPX])
  })

  test('another program of the name is not ours', () => {
    const bin = join(folder, 'other')
    mkdirSync(bin)
    writeFileSync(join(bin, 'causeway'), '', { mode: 0o755 })
    expect(ownCommand([bin, linked('own2')].join(delimiter))).toEqual(real)
  })

  test('so that it has the same tools: N M4', () => {
    const servers = join(folder, 'mcp.json')
    const args = [
      '--http',
      '--pack',
      'basics',
      '--root',
      folder,
      '--servers',
      servers,
      '--tools',
      'a*',
      '--tools',
      'b',
      '--read-only',
    ]
    const flags = sameTools(configOf(...args))
    const { given: _given, transport: _transport, logLevel: _level, readAgain: _read, ...expected } = configOf(...args)
    const { given: _other, transport: _stdio, logLevel: _another, readAgain: _reading, ...found } = configOf(...flags)
    expect(flags).toContain(servers)
    expect(found).toEqual({ ...expected, http: false })
  })
})

describe('roots that are too wide', () => {
  test.each([
    [['--root', '/'], 'The root is /: the whole file system can be read and changed.'],
    [['--root', '/', '--read-only'], 'The root is /: the whole file system can be read.'],
    [['--root', homedir()], `The root is ${homedir()}: your home folder can be read and changed.`],
  ])('%s', (args, warning) => {
    expect(rootWarnings(configOf(...args))).toEqual([expect.stringContaining(warning)])
  })

  test('others are fine', () => expect(rootWarnings(configOf('--root', folder))).toEqual([]))

  test('are in the log', async () => {
    const server = new Spawned(['--preset', 'basics', '--root', '/'])
    await server.end()
    expect(server.stderr).toContain('"level":"warn","message":"The root is /')
  })
})

describe('Ctrl-C', () => {
  writeFileSync(
    join(folder, 'slow.mjs'),
    `export const slow = { kind: 'tool', name: 'slow', readOnly: true, run: () => new Promise(resolve => {
       setTimeout(resolve, 600000, 'late'); process.stderr.write('STARTED') }) }`,
  )
  const running = async (env: Readonly<Record<string, string>> = {}): Promise<Spawned> => {
    const server = new Spawned(['--preset', 'basics', '--tools-dir', folder, '--timeout', 'off'], { env })
    await server.initialize()
    server.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow', arguments: {} } })
    await server.until(() => (server.stderr.includes('STARTED') ? true : undefined))
    return server
  }

  test('says what it waits for; the second one ends at once', async () => {
    const server = await running()
    server.process.kill('SIGINT')
    const said = 'stopping: waiting up to 30 s for 1 call (slow); press Ctrl-C again to end at once'
    await server.until(() => (server.stderr.includes(said) ? true : undefined))
    expect(server.process.exitCode).toBeNull()
    server.process.kill('SIGINT')
    expect(await server.ended).toEqual({ code: 1, signal: null })
  })

  test('says so in words where a person reads', async () => {
    const server = await running(TERMINAL)
    server.process.kill('SIGTERM')
    const said = '\ncauseway: stopping: waiting up to 30 s for 1 call (slow); a second SIGTERM will end at once\n'
    await server.until(() => (server.stderr.includes(said) ? true : undefined))
    server.process.kill('SIGTERM')
    expect(await server.ended).toEqual({ code: 1, signal: null })
  })

  test('ends at once where nothing runs', async () => {
    const server = new Spawned(['--preset', 'basics'])
    await server.initialize()
    server.process.kill('SIGINT')
    expect(await server.ended).toEqual({ code: 0, signal: null })
    expect(server.stderr).toContain('"message":"stopping"}')
  })
})
