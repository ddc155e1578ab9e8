import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Spawned } from '../support/spawned.ts'
import { needs } from '../support/needs.ts'

// Few enough to run out of, and enough for Node to start.
const FEW = 'ulimit -n 48'

function serve(...args: string[]): { server: Spawned; root: string } {
  const root = mkdtempSync(join(tmpdir(), 'causeway-descriptors-'))
  writeFileSync(join(root, 'a.txt'), 'hello\n')
  const server = new Spawned(['serve', ...args, '--root', root], { limits: FEW })
  onTestFinished(() => {
    server.process.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true })
  })
  return { server, root }
}

test('calls for which there are no descriptors fail in words, and the next ones work', async () => {
  const { server } = serve('--stdio', '--preset', 'workstation', '--allow-command', 'cat')
  await server.initialize()
  const ids = Array.from({ length: 60 }, (_, i) => i)
  const answers = await Promise.all(
    ids.map(id =>
      id % 2 === 0
        ? server.call(id, 'run_command', { command: 'cat a.txt' })
        : server.call(id, 'read_file', { path: 'a.txt' }),
    ),
  )
  for (const { result, error } of answers) {
    expect(JSON.stringify(result ?? error)).toMatch(/hello|EMFILE|Too many files are open|Too many|busy/i)
    expect(JSON.stringify(result ?? error)).not.toContain('reference')
  }
  expect(JSON.stringify((await server.call('file', 'read_file', { path: 'a.txt' })).result)).toContain('hello')
  expect(JSON.stringify((await server.call('run', 'run_command', { command: 'cat a.txt' })).result)).toContain('hello')
  expect(await server.end()).toEqual({ code: 0, signal: null })
})

describe('connections', needs('Linux', process.platform === 'linux'), () => {
  test('that take every descriptor keep nobody out once they are gone', async () => {
    const { server } = serve('--http', '--port', '0', '--pack', 'basics')
    const url = await server.until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(server.lines.join('\n'))?.[0])
    const { port } = new URL(url)
    const open = Array.from({ length: 100 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}))
    await Promise.all(open.map(socket => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
    // Every one that can be had is taken.
    await expect.poll(() => readdirSync(`/proc/${server.process.pid}/fd`).length).toBeGreaterThanOrEqual(47)
    for (const socket of open) socket.destroy()
    await expect.poll(async () => (await fetch(`${url}/health/live`)).status).toBe(200)
    server.process.kill('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
  })
})
