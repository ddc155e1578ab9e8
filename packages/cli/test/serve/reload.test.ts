import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RemoteServer, httpTransport } from '@causeway/engine/client'
import { newToken } from '@causeway/engine/http'
import { describe, expect, test, vi } from 'vitest'
import { Spawned } from '../../../../test/support/spawned.ts'
import { choosePort } from '../../src/serve/choose-port.ts'

describe('a single process', () => {
  test('follows its token file, reads it again on SIGHUP, and goes on', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'causeway-tokens-')), 'tokens')
    const [ada, bob] = [newToken('ada'), newToken('bob')]
    writeFileSync(file, `${ada.line}\n${bob.line}\n`)
    const served = new Spawned(['serve', '--http', '--port', '0', '--pack', 'basics', '--token-file', file])
    try {
      const url = await served.until(() => /http:\/\/[\d.]+:\d+(?=\/mcp)/.exec(served.lines.join('\n'))?.[0])
      const status = async (token: string): Promise<number> =>
        (await fetch(`${url}/health`, { headers: { authorization: `Bearer ${token}` } })).status
      expect([await status(ada.token), await status(bob.token)]).toEqual([404, 404])
      served.process.kill('SIGHUP')
      await vi.waitFor(() => expect(served.stderr).toContain('tokens were read again'), 10_000)
      writeFileSync(file, `${bob.line}\n`)
      await vi.waitFor(async () => expect(await status(ada.token)).toBe(401), 10_000)
      expect(await status(bob.token)).toBe(404)
      writeFileSync(file, 'nonsense\n')
      await vi.waitFor(() => expect(served.stderr).toContain('the tokens stay as they were'), 10_000)
      expect(await status(bob.token)).toBe(404)
    } finally {
      served.process.kill('SIGTERM')
      await served.ended
    }
  })
})

test('a single process reloads its configuration under load: no call is lost, no client is dropped', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'causeway-config-')), 'causeway.yaml')
  writeFileSync(file, 'http: true\nport: 0\npack: basics\nsearch: off\n')
  const served = new Spawned(['serve', '--config', file, '--watch'])
  const changes: unknown[] = []
  try {
    const url = await served.until(() => /http:\/\/[\d.]+:\d+(?=\/mcp)/.exec(served.lines.join('\n'))?.[0])
    const client = await RemoteServer.connect(
      { open: () => httpTransport({ url: `${url}/mcp` }) },
      { client: { name: 'near', version: '1' }, onChange: change => changes.push(change) },
    )
    const over = new AbortController()
    let calls = 0
    const load = async (): Promise<void> => {
      while (!over.signal.aborted)
        expect(JSON.stringify(await client.callTool('add_numbers', { number1: ++calls, number2: 0 }))).toContain(
          'result',
        )
    }
    const loads = Promise.all([load(), load(), load(), load()])
    const names = async (): Promise<string> => JSON.stringify(await client.list('tools/list'))
    for (const [text, wanted] of [
      ['exclude-tools: [multiply_*]', false],
      ['pack: [basics, threats]', true],
      ['exclude-tools: [multiply_*]', false],
    ] as const) {
      const rest = text.startsWith('pack') ? '' : 'pack: basics\n'
      writeFileSync(file, `http: true\nport: 0\nsearch: off\n${rest}${text}\n`)
      await vi.waitFor(async () => expect((await names()).includes('multiply_numbers')).toBe(wanted), 10_000)
    }
    writeFileSync(file, 'http: [')
    served.process.kill('SIGHUP')
    await vi.waitFor(() => expect(served.stderr).toContain('everything stays as it was'), 10_000)
    over.abort()
    await loads
    expect(calls).toBeGreaterThan(20)
    expect(changes).toContainEqual({ list: 'tools' })
    await client.close()
  } finally {
    served.process.kill('SIGTERM')
    expect(await served.ended).toMatchObject({ code: 0 })
  }
})

describe('a port that is taken', () => {
  const taken = async (): Promise<{ port: number; close: () => void }> => {
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return { port: (server.address() as AddressInfo).port, close: () => server.close() }
  }

  test('makes way for the next one if nobody asked for it, and that is said', async () => {
    const { port, close } = await taken()
    const lines: string[] = []
    const log = (_: string, message: string): void => void lines.push(message)
    const chosen = await choosePort({ host: '127.0.0.1', port, given: new Set() }, log)
    expect(chosen).toBeGreaterThan(port)
    expect(lines).toEqual([`Port ${port} is in use, so this server uses ${chosen}. Choose one with --port N.`])
    expect(await choosePort({ host: '127.0.0.1', port, given: new Set(['port'] as const) }, log)).toBe(port)
    close()
  })
})
