import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Spawned, run } from '../../../../test/support/spawned.ts'
import type { Said, Surroundings } from '../../../../test/support/spawned.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-command-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function file(content: object): string {
  const path = join(folder, `${++files}.json`)
  writeFileSync(path, JSON.stringify(content))
  return path
}

const words = (line: string): string[] => line.split(' ').filter(word => word !== '')

describe('the command ends with', () => {
  test('0 when all went well', async () => {
    expect(await run(words('call add_numbers number1=5 number2=3'))).toEqual({
      code: 0,
      stdout: '{"result":8}\n',
      stderr: '',
    })
  })

  test('1 when the tool failed', async () => {
    const { code, stdout, stderr } = await run(words('call add_numbers number1=5'))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain("Missing required parameter 'number2'")
  })

  test('2 when it was written wrongly', async () => {
    const { code, stdout, stderr } = await run(['--presett', 'basics'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe("causeway: Unknown flag '--presett'. Did you mean '--preset'? See: causeway help serve\n")
  })

  test('4 when the configuration is wrong', async () => {
    expect(await run(['--config', file({ pressets: 'basics' })])).toMatchObject({ code: 4, stdout: '' })
  })

  test('5 when it may not write', async () => {
    const { code, stdout, stderr } = await run(['--audit', join(folder, 'nowhere/audit.jsonl')])
    expect(stderr).toContain('cannot be written')
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
  })

  test('prints everything before it ends, even to a slow reader', async () => {
    const large = ['a', 'b', 'c'].map(key => `${key}=${'x'.repeat(100_000)}`)
    const command = new Spawned(['call', 'system_echo', ...large])
    command.process.stdout.pause()
    // It has written what the pipe takes; the rest must wait for us.
    await expect.poll(() => command.process.stdout.readableLength, { interval: 5 }).toBeGreaterThan(0)
    command.process.stdout.resume()
    expect(await command.ended).toEqual({ code: 0, signal: null })
    expect(command.lines[0]).toHaveLength(300_000 + '{"a":"","b":"","c":""}'.length)
  })
})

/** What a server says of itself before any handshake: who it is, and whether it serves already. */
async function profile(args: readonly string[], surroundings: Surroundings = {}): Promise<string> {
  const server = new Spawned([...args, '--log-level', 'silent'], surroundings)
  const early = await server.request('early', 'tools/list')
  const { result } = await server.initialize()
  await server.end()
  const info = result?.serverInfo as { name: string } | undefined
  return `${info?.name} ${early.error ? 'strict' : 'lenient'}`
}

describe('flag over environment over file over preset over default', () => {
  const lenientFile = (): string => file({ lifecycle: 'lenient' })
  const strictFile = (): string => file({ preset: 'basics', lifecycle: 'strict' })

  test('default', async () => expect(await profile([])).toBe('causeway strict'))
  test('preset', async () => expect(await profile(['--preset', 'basics'])).toBe('mcp-gateway lenient'))
  test('file over default', async () => expect(await profile(['--config', lenientFile()])).toBe('causeway lenient'))
  test('file over preset', async () => expect(await profile(['--config', strictFile()])).toBe('mcp-gateway strict'))
  test('environment over file', async () => {
    const env = { CAUSEWAY_CONFIG: strictFile(), CAUSEWAY_LIFECYCLE: 'lenient' }
    expect(await profile([], { env })).toBe('mcp-gateway lenient')
  })
  test('flag over environment', async () => {
    const env = { CAUSEWAY_LIFECYCLE: 'lenient', CAUSEWAY_PRESET: 'basics' }
    expect(await profile(['--lifecycle', 'strict', '--preset=all'], { env })).toBe('causeway strict')
  })
  test('an empty variable is none', async () => {
    expect(await profile([], { env: { CAUSEWAY_PRESET: '' } })).toBe('causeway strict')
  })
  test('the last of two flags', async () => {
    expect(await profile(words('--preset basics --preset all --lifecycle lenient'))).toBe('causeway lenient')
  })
})

describe('limits hold on the wire', () => {
  async function served(line: string, talk: (server: Spawned) => Promise<void>): Promise<Spawned> {
    const server = new Spawned(['--stdio', '--log-level', 'error', ...words(line)])
    await server.initialize()
    await talk(server)
    expect(await server.end()).toEqual({ code: 0, signal: null })
    return server
  }
  const textOf = ({ result }: Said): unknown => (result?.content as { text: string }[] | undefined)?.[0]?.text

  test('--tools, --exclude-tools', async () => {
    await served('--pack basics --tools add_numbers,system_echo --exclude-tools system_echo', async server => {
      expect((await server.request(1, 'tools/list')).result?.tools).toMatchObject([{ name: 'add_numbers' }])
      expect(await server.call(2, 'system_echo')).toMatchObject({ error: { code: -32602 } })
    })
  })

  test('--rate-limit', async () => {
    await served('--rate-limit 2/0.001', async server => {
      const answers = await Promise.all([1, 2, 3].map(id => server.call(id, 'system_ping')))
      expect(answers.map(({ error }) => error?.code)).toEqual([undefined, undefined, -32003])
      expect(answers[2]?.error?.data).toMatchObject({ retryAfterMs: expect.any(Number) })
    })
  })

  test('--max-request', async () => {
    await served('--max-request 1kb', async server => {
      server.write(`${' '.repeat(1025)}\n`)
      const refusal = await server.until(() => server.lines[1])
      expect(JSON.parse(refusal)).toMatchObject({ error: { code: -32600, data: { maxBytes: 1024 } } })
      expect(await server.call(1, 'system_ping')).toHaveProperty('result')
    })
  })

  test('--max-response', async () => {
    await served('--max-response 1kb', async server => {
      const answer = await server.call(1, 'system_echo', { message: 'x'.repeat(1000) })
      expect(answer.result).toMatchObject({ isError: true })
      expect(textOf(answer)).toContain('larger than 1024 bytes')
    })
  })

  test('--audit FILE', async () => {
    const path = join(folder, 'audit.jsonl')
    await served(`--audit ${path} --pack basics`, async server => {
      await server.call('a', 'system_echo', { message: 'hi', password: 'hunter2' })
      await server.call('b', 'add_numbers', { number1: 1 })
      await server.call('c', 'nope')
      await server.request('d', 'tools/list')
    })
    const entries = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(entries.map(line => JSON.parse(line) as unknown)).toMatchObject([
      { audit: 'begin', after: null },
      { request: 'a', tool: 'system_echo', outcome: 'ok', transport: 'stdio', client: 'spawned/1.0.0' },
      { request: 'b', tool: 'add_numbers', outcome: 'invalid-arguments', arguments: { number1: 1 } },
      { request: 'c', tool: 'nope', outcome: 'unknown-tool', revision: '2025-11-25' },
      { audit: 'end' },
    ])
    expect(entries.join()).not.toContain('hunter2')
    for (const line of entries.slice(1, -1))
      expect(JSON.parse(line)).toMatchObject({ session: expect.stringMatching(/^[\da-f]{8}…$/) })
  })

  test('--audit: contents of files and secrets on command lines are not in it', async () => {
    const path = join(folder, 'contents.jsonl')
    const root = mkdtempSync(join(folder, 'root-'))
    await served(`--audit ${path} --pack workstation --root ${root} --allow-command *`, async server => {
      await server.call('a', 'write_file', { path: 'a.txt', content: 'open sesame' })
      const edits = [{ oldText: 'open sesame', newText: 'open barley' }]
      await server.call('b', 'edit_file', { path: 'a.txt', edits })
      await server.call('c', 'run_command', { command: 'echo --password open-sesame' })
      await server.call('d', 'run_command', { command: 'mysql -popen-sesame' })
      await server.call('e', 'filesystem/write', { path: 'b.txt', content: 'open sesame' })
    })
    expect(readFileSync(join(root, 'b.txt'), 'utf8')).toBe('open sesame')
    const written = readFileSync(path, 'utf8')
    expect(written.trimEnd().split('\n')).toHaveLength(7)
    expect(written).toContain('echo --password [redacted]')
    expect(written).not.toMatch(/sesame|barley/)
  })

  test('--audit stderr', async () => {
    const server = await served('--audit stderr', async server => {
      await server.call('a', 'system_ping')
    })
    expect(JSON.parse(server.stderr)).toMatchObject({ request: 'a', outcome: 'ok' })
  })

  test('--audit stderr, which nobody reads for a while: no call fails, no entry is lost', async () => {
    const calls = Array.from({ length: 3000 }, (_, id) => id)
    const server = await served('--audit stderr --rate-limit off --pack basics', async server => {
      server.process.stderr.pause()
      const answers = await Promise.all(calls.map(id => server.call(id, 'add_numbers', { number1: id, number2: 1 })))
      expect(answers.filter(({ result }) => result?.isError !== undefined || result === undefined)).toEqual([])
      server.process.stderr.resume()
    })
    const entries = server.stderr.trimEnd().split('\n')
    expect(entries.map(line => (JSON.parse(line) as { request: number }).request)).toEqual(calls)
  })
})
