import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { Backoff } from '../src/supervise.ts'
import { clientOf, gatewayTo, later, script, textOf } from './support/world.ts'

const plain = (...args: string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [script('plain'), ...args],
})

describe('bad servers cost the others nothing', () => {
  test('the others list and answer while one never starts, one hangs, one crashes, one floods, one writes garbage', async () => {
    const { server, gateway } = await gatewayTo({
      good: plain(),
      missing: { command: 'no-such-program' },
      hangs: plain('--hang'),
      crashes: plain('--crash', '300'),
      garbage: plain('--garbage'),
      floods: { ...plain('--flood'), limits: { message: '10kb' } },
    })
    gateway.start()
    const client = await clientOf(server)
    const started = performance.now()
    await vi.waitFor(async () => {
      const names = (await client.list('tools/list')).map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining(['good__echo', 'garbage__echo']))
    }, 10_000)
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(textOf(await client.callTool('good__echo', { text: 'hi' }))).toBe('echo {"text":"hi"}')
    expect(textOf(await client.callTool('garbage__echo'))).toBe('echo {}')
    const asked = performance.now()
    await expect(client.callTool('missing__echo')).rejects.toThrow('Unknown tool')
    expect(performance.now() - asked).toBeLessThan(1000)
    expect(gateway.status.find(({ name }) => name === 'missing')).toMatchObject({
      problem: expect.stringContaining('ENOENT') as string,
    })
  })

  test('results and definitions keep members nobody here knows', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'causeway-')), 'tools.json')
    writeFileSync(file, JSON.stringify([{ name: 'odd', inputSchema: { type: 'object' }, 'x-novel': { a: 1 } }]))
    const { server } = await gatewayTo({ up: plain('--tools', file) })
    const client = await clientOf(server)
    await vi.waitFor(
      async () => expect(await client.list('tools/list')).toMatchObject([{ name: 'up__odd', 'x-novel': { a: 1 } }]),
      10_000,
    )
    expect(await client.callTool('up__odd')).toMatchObject({ unknown: { kept: true } })
  })

  test('a server that ended is started again, and one that nobody uses is ended', async () => {
    const { server, gateway } = await gatewayTo({ up: { ...plain(), idle: 200 } })
    const client = await clientOf(server)
    await vi.waitFor(async () => expect(await client.list('tools/list')).toHaveLength(1), 10_000)
    const pool = gateway.servers.get('up')?.upstream.pool
    await vi.waitFor(() => expect(pool?.size).toBe(0), 10_000)
    expect(textOf(await client.callTool('up__echo'))).toBe('echo {}')
    expect(pool?.size).toBe(1)
  })
})

test('back-off doubles up to a minute, and ends when it worked for a while', () => {
  let now = 0
  const backoff = new Backoff(
    'up',
    () => now,
    () => 1,
  )
  const waits = Array.from({ length: 10 }, () => {
    backoff.failed(new Error('no'))
    return backoff.retryAfterMs
  })
  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
  expect(() => backoff.check()).toThrow(/not available: no/)
  now += 60_000
  expect(() => backoff.check()).not.toThrow()
  backoff.started()
  now += 31_000
  backoff.failed(new Error('no'))
  expect(backoff.retryAfterMs).toBe(250)
})

const causeway = fileURLToPath(new URL('../../cli/bin/causeway.js', import.meta.url))

/** Processes that look like one of ours, by a word in their command line. */
function alive(word: string): number {
  return readdirSync('/proc').filter(name => {
    if (!/^\d+$/.test(name)) return false
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(word)
    } catch {
      return false
    }
  }).length
}

describe.runIf(process.platform === 'linux')('no process outlives the gateway', () => {
  async function hostile(): Promise<{ gateway: ChildProcess; word: string }> {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-hostile-'))
    const tools = join(folder, 'tools.json')
    writeFileSync(tools, JSON.stringify([{ name: 'echo', inputSchema: { type: 'object' } }]))
    const copy = join(folder, 'plain.mjs')
    writeFileSync(copy, readFileSync(script('plain')))
    const args = [copy, '--hostile', '--tools', tools]
    const entry = { command: process.execPath, args, start: 'eager' }
    const mcpServers = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`h${i}`, entry]))
    writeFileSync(join(folder, 'servers.json'), JSON.stringify({ mcpServers }))
    const flags = [
      'serve',
      '--pack',
      'none',
      '--http',
      '--port',
      '0',
      '--servers',
      join(folder, 'servers.json'),
      '--data',
      folder,
    ]
    const gateway = spawn(process.execPath, [causeway, ...flags], { stdio: ['ignore', 'pipe', 'ignore'] })
    later(async () => gateway.kill('SIGKILL'))
    await once(createInterface({ input: gateway.stdout }), 'line')
    await vi.waitFor(() => expect(alive(copy)).toBe(30), 20_000)
    return { gateway, word: copy }
  }

  test('killed, it leaves none of thirty', async () => {
    const { gateway, word } = await hostile()
    gateway.kill('SIGKILL')
    await vi.waitFor(() => expect(alive(word)).toBe(0), { timeout: 10_000, interval: 50 })
  })

  test('told to stop, neither', async () => {
    const { gateway, word } = await hostile()
    gateway.kill('SIGTERM')
    await once(gateway, 'exit')
    expect(alive(word)).toBe(0)
  })
})
