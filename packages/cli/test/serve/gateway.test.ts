import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RemoteServer, httpTransport } from '@causeway/engine/client'
import type { ServerChange } from '@causeway/engine/client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ROOT, Spawned, run } from '../../../../test/support/spawned.ts'
import { upstreamScript } from '../../../../test/support/upstream-script.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const plain = upstreamScript('plain')
const READS = { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }
const WRITES = { name: 'wipe', inputSchema: { type: 'object' } }

interface Place {
  readonly folder: string
  readonly file: string
  readonly flags: readonly string[]
  entry(...args: string[]): object
  write(content: object): void
}

/** A folder with a file of servers; each lists the tools it is given. */
function place(...tools: object[]): Place {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-gateway-'))
  const file = join(folder, 'servers.json')
  const list = join(folder, 'tools.json')
  writeFileSync(list, JSON.stringify(tools))
  const entry = (...args: string[]): object => ({ command: process.execPath, args: [plain, '--tools', list, ...args] })
  const write = (content: object): void => writeFileSync(file, JSON.stringify(content))
  write({ mcpServers: { up: entry() } })
  return { folder, file, entry, write, flags: ['--pack', 'basics', '--servers', file, '--data', folder] }
}

/** A gateway over HTTP, and a client of it. */
async function serving(
  { flags }: Place,
  { more = [], path = '/mcp' }: { more?: string[]; path?: string } = {},
): Promise<{ client: RemoteServer; changes: ServerChange[]; url: string; process: Spawned }> {
  const process = new Spawned(['serve', '--http', '--port', '0', ...flags, ...more])
  cleanups.push(async () => {
    process.process.kill('SIGTERM')
    await process.ended
  })
  const url = await process.until(() => /http:\/\/[\d.]+:\d+(?=\/mcp)/.exec(process.lines.join('\n'))?.[0])
  const changes: ServerChange[] = []
  const client = await RemoteServer.connect(
    { open: () => httpTransport({ url: url + path }) },
    { client: { name: 'near', version: '1' }, onChange: change => changes.push(change) },
  )
  cleanups.push(() => client.close())
  return { client, changes, url, process }
}

const namesOf = async (client: RemoteServer): Promise<unknown[]> =>
  (await client.list('tools/list')).map(({ name }) => name)

/** Wait until a list is what it should be. */
const lists = (client: RemoteServer, check: (names: unknown[]) => void): Promise<void> =>
  vi.waitFor(async () => check(await namesOf(client)), { interval: 20 })

test('this command can be a server behind this command', async () => {
  const own = place()
  const args = [`${ROOT}packages/cli/bin/causeway.js`, 'serve', '--pack', 'basics']
  own.write({ mcpServers: { up: { command: process.execPath, args } } })
  const { client } = await serving(own)
  await lists(client, names => expect(names).toContain('up__add_numbers'))
})

describe('flags that choose tools choose those of servers, too', () => {
  const CASES: readonly [flags: string[], listed: string[], hidden: string, why: string][] = [
    [['--exclude-tools', 'up__wipe'], ['up__look'], 'up__wipe', '--exclude-tools'],
    [['--exclude-tools', '*wipe,add_*'], ['up__look'], 'up__wipe', '--exclude-tools'],
    [['--tools', 'up__look'], ['up__look'], 'up__wipe', '--tools'],
    [['--tools', 'up__*'], ['up__look', 'up__wipe'], 'add_numbers', '--tools'],
    [['--read-only'], ['up__look'], 'up__wipe', '--read-only'],
  ]

  test.each(CASES)('%j', async (more, listed, hidden, why) => {
    const { client } = await serving(place(READS, WRITES), { more })
    await lists(client, names => expect(names).toEqual(expect.arrayContaining(listed)))
    expect((await namesOf(client)).filter(name => String(name).startsWith('up__'))).toEqual(listed)
    expect(await namesOf(client)).not.toContain(hidden)
    await expect(client.callTool(hidden)).rejects.toThrow(why)
  })
})

describe('virtual servers', () => {
  test('come from the file, which is followed, and from the command line', async () => {
    const here = place(READS, WRITES)
    here.write({ mcpServers: { up: here.entry() }, virtual: { some: { tools: ['up__look', 'add_numbers'] } } })
    const { client, changes, url } = await serving(here, {
      path: '/mcp/some',
      more: ['--virtual', 'more=up__w*+echo*'],
    })
    await lists(client, names => expect(names).toEqual(['add_numbers', 'up__look']))
    await expect(client.callTool('up__wipe')).rejects.toThrow('Unknown tool')
    const more = await RemoteServer.connect(
      { open: () => httpTransport({ url: `${url}/mcp/more` }) },
      { client: { name: 'near', version: '1' } },
    )
    cleanups.push(() => more.close())
    await lists(more, names => expect(names).toContain('up__wipe'))
    expect(await namesOf(more)).not.toContain('up__look')
    changes.length = 0
    here.write({ mcpServers: { up: here.entry() }, virtual: { some: { tools: ['up__*'] } } })
    await vi.waitFor(() => expect(changes).toContainEqual({ list: 'tools' }), 10_000)
    await lists(client, names => expect(names).toEqual(['up__look', 'up__wipe']))
    here.write({ mcpServers: { up: here.entry() } })
    await vi.waitFor(async () => expect((await fetch(`${url}/mcp/some`)).status).toBe(404), 10_000)
  })

  test('a malformed one is refused', async () => {
    const { code, stderr } = await run(['list', '--pack', 'basics', '--virtual', 'nothing'])
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('docs=read_*') as string })
  })
})

describe('the file of servers', () => {
  test('is followed while serving: what is added appears, what is removed or disabled goes', async () => {
    const here = place(READS)
    const { client, changes } = await serving(here)
    await lists(client, names => expect(names).toContain('up__look'))
    changes.length = 0
    here.write({ mcpServers: { up: here.entry(), other: here.entry() } })
    await lists(client, names => expect(names).toContain('other__look'))
    expect(changes).toContainEqual({ list: 'tools' })
    const { code } = await run(['servers', 'disable', 'up', '--servers', here.file, '--data', here.folder])
    expect(code).toBe(0)
    await lists(client, names => expect(names).not.toContain('up__look'))
    await expect(client.callTool('up__look')).rejects.toThrow('Unknown tool')
    await run(['servers', 'enable', 'up', '--servers', here.file, '--data', here.folder])
    await lists(client, names => expect(names).toContain('up__look'))
    writeFileSync(here.file, '{ this is no JSON')
    await run(['servers', 'list', '--servers', here.file])
    expect(JSON.stringify(await client.callTool('other__look'))).toContain('look {}')
  })

  test('a change that gives two servers one prefix is refused: what was served goes on', async () => {
    const here = place(READS)
    const { client, process } = await serving(here)
    await lists(client, names => expect(names).toContain('up__look'))
    here.write({ mcpServers: { other: { ...here.entry(), prefix: 'up' }, up: here.entry() } })
    await process.until(() =>
      process.stderr.includes("'other' and 'up' have the same prefix 'up'") ? true : undefined,
    )
    expect(await namesOf(client)).toContain('up__look')
    expect((await client.callTool('up__look')).isError).not.toBe(true)
  })

  test('two servers with one prefix are refused at the start, across files too', async () => {
    const [one, two] = [place(READS), place(READS)]
    two.write({ mcpServers: { 'up!': two.entry() } })
    const { code, stderr } = await run(['serve', '--servers', `${one.file},${two.file}`, '--data', one.folder])
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: `causeway: the servers 'up' and 'up!' have the same prefix 'up': give one of them another "prefix"\n`,
    })
  })

  test('restart ends a server that runs, and the next call starts it again', async () => {
    const here = place({ name: 'pid', inputSchema: { type: 'object' } })
    const { client } = await serving(here)
    const pid = async (): Promise<string> => JSON.stringify((await client.callTool('up__pid')).content)
    await lists(client, names => expect(names).toContain('up__pid'))
    const first = await pid()
    expect(first).toMatch(/pid \d+/)
    expect(await pid()).toBe(first)
    const { code } = await run(['servers', 'restart', 'up', '--servers', here.file, '--data', here.folder])
    expect(code).toBe(0)
    await vi.waitFor(async () => expect(await pid()).not.toBe(first), { interval: 50 })
  })

  test('logs show what a server wrote', async () => {
    const here = place(READS)
    here.write({ mcpServers: { up: here.entry('--complain', 'cannot find my keys') } })
    const { client } = await serving(here)
    await lists(client, names => expect(names).toContain('up__look'))
    const flags = ['--servers', here.file, '--data', here.folder]
    await vi.waitFor(
      async () => expect((await run(['servers', 'logs', 'up', ...flags])).stdout).toContain('cannot find my keys'),
      10_000,
    )
    const unknown = await run(['servers', 'logs', 'upp', ...flags])
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean 'up'?") as string })
  })

  test('disable and enable edit the file of any client, and keep its comments', async () => {
    const here = place(READS)
    const { command, args } = here.entry() as { command: string; args: string[] }
    const entry = `"it": { "command": ${JSON.stringify(command)}, "args": ${JSON.stringify(args)} /* mine */ }`
    const edit = (action: string, file: string) => run(['servers', action, 'it', '--servers', file])
    for (const text of [
      `{\n  // VS Code\n  "mcp": { "servers": { ${entry} } },\n}`,
      `{ "context_servers": { ${entry} } }`,
    ]) {
      writeFileSync(here.file, text)
      expect(await edit('disable', here.file)).toMatchObject({ code: 0, stdout: 'it is disabled.\n' })
      expect((await run(['servers', 'list', '--servers', here.file])).stdout).toMatch(/^it +disabled/)
      expect(readFileSync(here.file, 'utf8')).toContain('/* mine */')
      expect(await edit('enable', here.file)).toMatchObject({ code: 0, stdout: 'it is enabled.\n' })
      expect((await run(['servers', 'list', '--servers', here.file])).stdout).not.toContain('disabled')
      expect(readFileSync(here.file, 'utf8').includes('// VS Code')).toBe(text.includes('// VS Code'))
    }
    const toml = join(here.folder, 'config.toml')
    writeFileSync(toml, '[mcp_servers.it]\ncommand = "x"\n')
    expect(await edit('disable', toml)).toMatchObject({
      code: 2,
      stderr: `causeway: ${toml} is TOML, which is not edited: write "enabled = false" below [mcp_servers.it] by hand.\n`,
    })
  })
})

test('a tool of a server that never started is refused with why, and when to try again', async () => {
  const here = place(READS)
  here.write({ mcpServers: { up: { command: 'no-such-program' } } })
  const { client, url } = await serving(here)
  await vi.waitFor(async () => {
    const { upstreams } = (await (await fetch(`${url}/health/upstreams`)).json()) as { upstreams: object[] }
    expect(upstreams).toMatchObject([{ state: 'failed' }])
  }, 10_000)
  const refused = JSON.stringify(await client.callTool('up__look'))
  expect(refused).toMatch(/The server 'up' is not available: .*was not found.*retryAfterMs/)
  await expect(client.callTool('other__look')).rejects.toThrow('Unknown tool')
})
