import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { BINARY, ROOT, Spawned } from '../../../../test/support/spawned.ts'
import type { Said } from '../../../../test/support/spawned.ts'

const workshop = (...args: readonly string[]): Spawned =>
  new Spawned(args, { script: join(ROOT, 'test/support/workshop.js') })
const lenient = (...args: readonly string[]): Spawned =>
  new Spawned(['--lifecycle', 'lenient', '--rate-limit', 'off', '--log-level', 'error', ...args])

const WELL = { code: 0, signal: null }
const folder = mkdtempSync(join(tmpdir(), 'causeway-pipes-'))
afterAll(() => rmSync(folder, { recursive: true }))

const textOf = ({ result }: Said): unknown => (result?.content as { text: string }[] | undefined)?.[0]?.text
const count = (text: string, word: string): number => text.split(word).length - 1

describe('the end of the input', () => {
  test('ends the process at once when nothing is in flight', async () => {
    const server = new Spawned([])
    await server.initialize()
    expect(await server.end()).toEqual(WELL)
    expect(server.lines).toHaveLength(1)
  })

  test('may come before anything else', async () => {
    const server = new Spawned(['--log-level', 'silent'])
    expect(await server.end()).toEqual(WELL)
    expect([...server.lines, server.rest, server.stderr]).toEqual(['', ''])
  })

  test('lets what is in flight finish', async () => {
    const server = workshop()
    server.send(...[1, 2, 3].map(id => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'wait' } })))
    await server.until(() => (count(server.stderr, 'waiting') === 3 ? true : undefined))
    server.process.stdin.end()
    server.process.kill('SIGUSR2')
    expect(await server.ended).toEqual(WELL)
    expect(server.said.flat().map(textOf)).toEqual(['waited', 'waited', 'waited'])
  })

  test('cuts off what never finishes, and still ends well', async () => {
    const server = workshop('20')
    server.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hang' } })
    await server.until(() => (server.stderr.includes('hanging') ? true : undefined))
    expect(await server.request(2, 'ping')).toMatchObject({ result: {} })
    expect(await server.end()).toEqual(WELL)
    expect(server.lines).toHaveLength(1)
  })

  test('is the end of the file when the input is one', async () => {
    const requests = join(folder, 'requests.txt')
    const answers = join(folder, 'answers.txt')
    const lines = Array.from({ length: 5000 }, (_, id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }))
    writeFileSync(requests, lines.join('\n'))
    const stdio = [openSync(requests, 'r'), openSync(answers, 'w'), 'inherit'] as const
    const server = spawn(process.execPath, [BINARY, '--log-level', 'error'], { stdio: [...stdio] })
    expect(await once(server, 'exit')).toEqual([0, null])
    expect(readFileSync(answers, 'utf8').trimEnd().split('\n')).toHaveLength(5000)
  })
})

describe('a signal', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends an idle process well', async signal => {
    const server = new Spawned([])
    await server.initialize()
    server.process.kill(signal)
    expect(await server.ended).toEqual(WELL)
  })

  test('lets what is in flight finish, and takes nothing new', async () => {
    const server = workshop()
    server.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } })
    await server.until(() => (server.stderr.includes('waiting') ? true : undefined))
    server.process.kill('SIGTERM')
    // Signals are heard in their own time: ask until the refusal comes.
    for (let id = 2; !server.lines.some(line => line.includes('shutting down')); id++) await server.request(id, 'ping')
    server.process.kill('SIGUSR2')
    expect(await server.ended).toEqual(WELL)
    expect(textOf(await server.answer(1))).toBe('waited')
  })

  test('waits for a client that reads late, and loses nothing', async () => {
    const server = await unread()
    server.process.stdout.resume()
    expect(await server.ended).toEqual(WELL)
    expect(server.said.flat().map(({ id }) => id)).toEqual(expect.arrayContaining([1, 2, 3]))
  })

  test('given twice ends the process at once', async () => {
    const server = await unread()
    server.process.kill('SIGTERM')
    expect(await once(server.process, 'exit')).toEqual([1, null])
    server.process.stdout.destroy()
  })

  /** A server that was told to stop while nobody read its answers. */
  async function unread(): Promise<Spawned> {
    const server = lenient('--log-level', 'debug')
    server.process.stdout.pause()
    for (const id of [1, 2, 3]) server.send(echo(id, 'x'.repeat(100_000)))
    // What it logs shows how far it is.
    server.send({ jsonrpc: '2.0', id: 'done', method: 'nothing' })
    await server.until(() => (server.stderr.includes('"request":"done"') ? true : undefined))
    server.process.kill('SIGTERM')
    while (!server.stderr.includes('shutting-down')) {
      server.send({ jsonrpc: '2.0', id: 'late', method: 'nothing' })
      await once(server.process.stderr, 'data')
    }
    return server
  }
})

const echo = (id: number, message: string): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'system_echo', arguments: { message } },
})

describe('a client', () => {
  test('that is killed takes the server with it', async () => {
    const client = spawn(process.execPath, [join(ROOT, 'test/support/client.js'), BINARY], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    // The server holds the other end of this pipe, so that its end is the server's.
    const said = text(client.stderr)
    await once(client.stdout, 'data')
    client.kill('SIGKILL')
    expect(await said).toContain('stopped')
  })

  test('that closes only its reading end ends the service', async () => {
    const server = lenient()
    await server.request(1, 'ping')
    server.process.stdout.destroy()
    server.send({ jsonrpc: '2.0', id: 2, method: 'ping' }, { jsonrpc: '2.0', id: 3, method: 'ping' })
    const [code] = await once(server.process, 'exit')
    expect(code).toBe(0)
  })

  test('that does not read for a while gets every answer, and memory does not grow', async () => {
    const server = lenient()
    await server.request('first', 'ping')
    server.process.stdout.pause()
    const calls = 40_000
    for (let id = 0; id < calls; id++) server.send(echo(id, 'x'.repeat(1000)))
    const { stdin } = server.process
    // It has stopped reading when what we hold for it no longer shrinks.
    let held = 0
    const shrunk = (): number => held - (held = stdin.writableLength)
    await expect.poll(shrunk, { interval: 100 }).toBe(0)
    expect(stdin.writableLength).toBeGreaterThan(20_000_000)
    expect(server.peak()).toBeLessThan(200)
    server.process.stdout.resume()
    await server.answer(calls - 1)
    expect(await server.end()).toEqual(WELL)
    const ids = server.said.flat().map(({ id }) => id)
    expect(ids).toHaveLength(calls + 1)
    expect(new Set(ids).size).toBe(calls + 1)
  })
})

describe('stdout', () => {
  test('carries no byte of what a tool prints', async () => {
    const server = workshop()
    expect(textOf(await server.call(1, 'shout'))).toBe('whispered')
    await server.end()
    expect(server.said).toHaveLength(1)
    expect(server.stderr).toContain('shouted\n')
    expect(server.stderr).toContain("{ also: 'shouted' }")
    expect(server.stderr).toContain('even')
    expect(server.stderr).toContain('forged')
  })

  test('carries no byte of the log, which is JSON lines with the request’s id', async () => {
    const server = new Spawned(['--log-level', 'debug', '--pack', 'basics'])
    await server.initialize()
    await server.call('my-request', 'no_such_tool')
    await server.end()
    expect(server.said).toHaveLength(2)
    const log = server.stderr
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>)
    expect(log.map(({ message }) => message)).toEqual(expect.arrayContaining(['serving on stdio', 'stopped']))
    expect(log).toContainEqual(expect.objectContaining({ level: 'debug', request: 'my-request', kind: 'unknown-tool' }))
  })

  test('shows neither words nor stack of what broke; the log has them, under the reference', async () => {
    const server = workshop()
    const answer = await server.call(7, 'leak')
    await server.end()
    const reference = /^Internal error \(reference (\w+)\)$/.exec(String(textOf(answer)))?.[1]
    expect(JSON.parse(server.stderr)).toMatchObject({ level: 'error', reference, request: 7 })
    expect(server.lines.join()).not.toContain('password')
  })
})

describe('the installed command', () => {
  test('works from any folder, as one process', async () => {
    const server = spawn(join(ROOT, 'node_modules/.bin/causeway'), ['--stdio'], { cwd: folder })
    const said = text(server.stdout)
    const log = text(server.stderr)
    await once(server.stderr, 'data')
    expect(readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')).toBe('')
    server.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    expect(JSON.parse(await said)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    expect(await log).toContain(`"pid":${server.pid}`)
    expect(server.exitCode ?? (await once(server, 'exit'))[0]).toBe(0)
  })
})
