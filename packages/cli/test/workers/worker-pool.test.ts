import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { PATIENCE_MS } from '../../../../test/support/patience.ts'
import { WorkerPool } from '../../src/workers/worker-pool.ts'

/** A worker without a server: it says its name on every connection. */
const SCRIPT = `
  let name = ''
  const mode = process.argv[2]
  process.on('disconnect', () => process.exit())
  process.on('message', (message, socket) => {
    if (message.type === 'start') {
      name = message.name
      if (mode === 'refuses') process.exit(9)
      process.send({ type: 'ready', banner: 'I am ' + name })
    }
    if (message.type === 'stop') process.exit(0)
    if (message.type === 'snapshot') process.send({ type: 'snapshot', snapshot:
      { calls: [['t', 'ok', 1]], durations: [['t', [1], 2, 1]], refused: [['404', 1]], open: { sessions: 1, streams: 0, sockets: 0 }, running: 1, memory: 1, cpu: 1 } })
    if (message.type !== 'connection') return
    process.send({ type: 'taken', id: message.id })
    if (mode === 'stuck' && name === 'w1') for (;;);
    socket?.end(name)
    process.send({ type: 'closed', count: 1 })
  })
`

const folders: string[] = []
const pools: WorkerPool[] = []
afterEach(async () => {
  for (const pool of pools.splice(0)) {
    pool.kill()
    await pool.stop()
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

interface Started {
  readonly pool: WorkerPool
  readonly port: number
  readonly said: string[]
  readonly first: unknown
  readonly watched: Set<number>
}

async function start(mode: string, size: number, most = 100): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-pool-'))
  folders.push(folder)
  const script = join(folder, 'worker.cjs')
  writeFileSync(script, SCRIPT)
  const said: string[] = []
  const watched = new Set<number>()
  const guardian = {
    watch: (pid: number | undefined) => void watched.add(pid ?? 0),
    release: (pid: number | undefined) => void watched.delete(pid ?? 0),
  }
  const log = (_: string, message: string): void => void said.push(message)
  // A busy machine must not look stuck.
  const stuckMs = mode === 'stuck' ? 600 : PATIENCE_MS
  const pool = new WorkerPool({ script, args: [mode], folder, guardian, log, stuckMs }, most)
  pools.push(pool)
  const port = await pool.acceptor.listen('127.0.0.1', 0)
  const first = await pool.start(size, 'http://localhost')
  return { pool, port, said, first, watched }
}

/** Who answers on a new connection. */
const initialized = (port: number): Promise<string> =>
  new Promise(resolve => {
    let text = ''
    const socket: Socket = connect(port, '127.0.0.1')
    socket.on('data', chunk => (text += chunk.toString()))
    socket.on('error', () => {})
    socket.once('close', () => resolve(text))
  })

test('the first says what it would print; connections go round', async () => {
  const { first, port, watched } = await start('plain', 3)
  expect(first).toBe('I am w1')
  const names = new Set<string>()
  for (let i = 0; i < 50 && names.size < 3; i++) names.add(await initialized(port))
  expect([...names].sort((a, b) => a.localeCompare(b))).toEqual(['w1', 'w2', 'w3'])
  expect(watched.size).toBe(3)
})

test('a first worker that cannot start says how it ended, and nobody else is started', async () => {
  const { first, watched, said } = await start('refuses', 3)
  expect(first).toEqual({ code: 9, signal: null })
  expect(watched.size).toBe(0)
  expect(said).toEqual([])
})

test('a worker that is stuck is ended and replaced', async () => {
  const { port, said } = await start('stuck', 1)
  expect(await initialized(port)).toBe('')
  expect(said).toContain('a worker does not answer and is ended')
  expect(await initialized(port)).toMatch(/^w[2-9]$/)
  expect(said).toContain('a worker ended by itself; another takes its place')
})

test('reload: others take over, and the old ones are told', async () => {
  const { pool, port } = await start('plain', 2)
  expect(await pool.reload(1)).toBe(true)
  for (let i = 0; i < 5; i++) expect(await initialized(port)).toBe('w3')
})

test('after the stop nobody is left, and no connection is taken', async () => {
  const { pool, port, watched } = await start('plain', 2)
  await pool.stop()
  expect(watched.size).toBe(0)
  expect(await initialized(port)).toBe('')
})
