import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { tool } from '@causeway/engine'
import { describe, expect, test, vi } from 'vitest'
import { Backoff } from '../../src/upstream/backoff.ts'
import { clientOf, gatewayTo, later, script, textOf } from '../support/world.ts'
import { needs } from '../../../../test/support/needs.ts'

const plain = (...args: string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [script('plain'), ...args],
})

test('how often a server was started again is told', async () => {
  const { server, gateway } = await gatewayTo({ up: plain() })
  const client = await clientOf(server)
  await vi.waitFor(async () => expect(textOf(await client.callTool('up__echo'))).toBe('echo {}'), 10_000)
  expect(gateway.status[0]).toMatchObject({ name: 'up', restarts: 0 })
  await gateway.servers.get('up')?.pool.restart()
  expect(textOf(await client.callTool('up__echo'))).toBe('echo {}')
  expect(gateway.status[0]).toMatchObject({ restarts: 1 })
})

describe('bad servers cost the others nothing', () => {
  test('the others list while one never starts, one hangs, one crashes, one floods, one writes garbage', async () => {
    const { server, gateway } = await gatewayTo({
      good: plain(),
      missing: { command: 'no-such-program' },
      hangs: plain('--hang'),
      crashes: plain('--crash', '5000'),
      garbage: plain('--garbage'),
      floods: { ...plain('--flood'), limits: { message: '10kb' } },
    })
    gateway.start()
    const client = await clientOf(server)
    // Processes have to start, which takes as long as it takes; from then on nobody waits for the bad ones.
    await vi.waitFor(async () => {
      const names = (await client.list('tools/list')).map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining(['good__echo', 'garbage__echo']))
    }, 10_000)
    await client.list('tools/list')
    expect(gateway.status.find(({ name }) => name === 'hangs')).toMatchObject({ state: 'starting' })
    expect(textOf(await client.callTool('good__echo', { text: 'hi' }))).toBe('echo {"text":"hi"}')
    expect(textOf(await client.callTool('garbage__echo'))).toBe('echo {}')
    expect(gateway.status.find(({ name }) => name === 'missing')).toMatchObject({
      problem: expect.stringContaining('was not found') as string,
    })
  })

  test('a new gateway lists the good while the bad are still starting', async () => {
    const { server, gateway } = await gatewayTo({ missing: { command: 'no-such-program' }, hangs: plain('--hang') })
    server.add(tool({ name: 'own', description: 'Own' }, () => 'own'))
    gateway.start()
    const client = await clientOf(server)
    expect((await client.list('tools/list')).map(({ name }) => name)).toEqual(['own'])
    expect(gateway.status.find(({ name }) => name === 'hangs')).toMatchObject({ state: 'starting' })
  })

  test('once known to be bad they answer at once, with why and when to try again', async () => {
    const { server, gateway } = await gatewayTo({
      good: plain(),
      missing: { command: 'no-such-program' },
      hangs: { ...plain('--hang'), startTimeout: 300 },
      crashes: plain('--crash', '0'),
    })
    gateway.start()
    const client = await clientOf(server)
    await vi.waitFor(() => {
      for (const name of ['missing', 'hangs', 'crashes'])
        expect(gateway.status.find(one => one.name === name)).toMatchObject({ state: 'failed' })
    }, 10_000)
    for (const name of ['missing', 'hangs', 'crashes']) {
      const refused = await client.callTool(`${name}__echo`)
      expect(refused.isError).toBe(true)
      expect(textOf(refused)).toMatch(new RegExp(`^The server '${name}' is not available: .*retryAfterMs: \\d+`, 's'))
    }
  })

  test('one whose names have no prefix is told of where nobody else has that name', async () => {
    const { server, gateway } = await gatewayTo({
      missing: { command: 'no-such-program', prefix: false },
      good: { ...plain(), prefix: false },
    })
    gateway.start()
    const client = await clientOf(server)
    await vi.waitFor(async () => {
      expect(gateway.status[0]).toMatchObject({ state: 'failed' })
      expect(textOf(await client.callTool('echo', { text: 'here' }))).toContain('here')
    }, 10_000)
    const words = /^The server 'missing' is not available, and may have the (tool|prompt) 'none': .*retryAfterMs: \d+/s
    expect(textOf(await client.callTool('none'))).toMatch(words)
    await expect(client.request('prompts/get', { name: 'none' })).rejects.toThrow(words)
    await gateway.apply([])
    await expect(client.callTool('none')).rejects.toThrow('Unknown tool: none')
  })

  test('one that hangs in its handshake is told of while it does', async () => {
    const { server, gateway } = await gatewayTo({ hangs: plain('--hang') })
    gateway.start()
    const client = await clientOf(server)
    await client.list('tools/list')
    expect(textOf(await client.callTool('hangs__echo'))).toMatch(/'hangs' is not available: it has been starting for/)
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

  test.each(['plain', 'sdk-v1', 'sdk-v2'])('%s is ended when nobody uses it, and started again', async name => {
    const up = { command: process.execPath, args: [script(name)], idle: 200 }
    const { server, gateway } = await gatewayTo({ up })
    const client = await clientOf(server)
    await vi.waitFor(async () => expect((await client.list('tools/list')).length).toBeGreaterThan(0), 10_000)
    const pool = gateway.servers.get('up')?.pool
    await vi.waitFor(() => expect(pool?.size).toBe(0), 10_000)
    expect(textOf(await client.callTool('up__echo', { text: 'hi' }))).toContain('hi')
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

const causeway = fileURLToPath(new URL('../../../cli/bin/causeway.js', import.meta.url))

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

describe('no process outlives the gateway', needs('Linux', process.platform === 'linux'), () => {
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

  test('a server that ends takes with it what left its group, while the gateway goes on', async () => {
    const copy = join(mkdtempSync(join(tmpdir(), 'causeway-leaf-')), 'plain.mjs')
    writeFileSync(copy, readFileSync(script('plain')))
    const { server, gateway } = await gatewayTo({
      up: { command: process.execPath, args: [copy, '--hostile'] },
      other: plain(),
    })
    const client = await clientOf(server)
    await vi.waitFor(async () => expect(await client.list('tools/list')).toHaveLength(2), 10_000)
    await vi.waitFor(() => expect(alive(copy)).toBe(3), 10_000)
    await gateway.servers.get('up')?.pool.restart()
    await vi.waitFor(() => expect(alive(copy)).toBe(0))
    expect(textOf(await client.callTool('other__echo'))).toBe('echo {}')
  })

  test('killed, it leaves none of thirty', async () => {
    const { gateway, word } = await hostile()
    gateway.kill('SIGKILL')
    await vi.waitFor(() => expect(alive(word)).toBe(0))
  })

  test('told to stop, neither', async () => {
    const { gateway, word } = await hostile()
    gateway.kill('SIGTERM')
    await once(gateway, 'exit')
    await vi.waitFor(() => expect(alive(word)).toBe(0))
  })
})
