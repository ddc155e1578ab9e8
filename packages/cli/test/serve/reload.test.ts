import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
