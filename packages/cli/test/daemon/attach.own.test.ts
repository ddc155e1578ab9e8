import { chmodSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { connectTo, greet } from '../../src/daemon/greeting.ts'
import { daemonFolder } from '../../src/daemon/place.ts'
import { DaemonWorld, isRunning, pidIn, textOf } from './world.ts'

let world: DaemonWorld
beforeEach(() => {
  world = new DaemonWorld()
})
afterEach(() => world.end())

const BASICS = ['--pack', 'basics', '--root', '/tmp']

describe('causeway attach', () => {
  test('is one daemon for clients that start at once, and tells them apart', async () => {
    const clients = [1, 2, 3, 4].map(() => world.attach(BASICS))
    await Promise.all(clients.map(client => client.initialize()))
    const daemons = await world.status()
    expect(daemons).toMatchObject([{ clients: 4, flags: ['--pack=basics', '--root=/tmp'] }])
    const sums = await Promise.all(
      clients.map((client, i) => client.call(7, 'add_numbers', { number1: i, number2: 100 })),
    )
    expect(sums.map(textOf).map(text => /\d+/.exec(text)?.[0])).toEqual(['100', '101', '102', '103'])
    // The same id is asked by all of them; each has one answer, and its own.
    for (const client of clients) expect(client.said.filter(said => 'id' in said && said.id === 7)).toHaveLength(1)
    expect(statSync(join(world.daemons, `${daemons[0]?.id}.sock`)).mode & 0o777).toBe(0o600)
    const other = world.attach([...BASICS, '--read-only'])
    await other.initialize()
    expect(await world.status()).toHaveLength(2)
    expect(await clients[0]?.end()).toEqual({ code: 0, signal: null })
    expect(clients[0]?.rest).toBe('')
  })

  test('a client that is killed leaves; the daemon goes on, and ends when it was idle', async () => {
    const [one, two] = [world.attach([...BASICS, '--idle', '300ms']), world.attach([...BASICS, '--idle', '300ms'])]
    await Promise.all([one.initialize(), two.initialize()])
    const [daemon] = await world.status()
    one.process.kill('SIGKILL')
    await one.ended
    expect(textOf(await two.call(1, 'add_numbers', { number1: 1, number2: 2 }))).toContain('3')
    await two.end()
    await vi.waitFor(() => expect(isRunning(daemon?.pid ?? 0)).toBe(false))
    expect(world.files.filter(name => name.endsWith('.sock'))).toEqual([])
  })

  test('a daemon that is killed ends its clients with 1, and the next one starts another in its place', async () => {
    const flags = ['--pack', 'none', '--servers', world.servers(1)]
    const client = world.attach(flags)
    await client.initialize()
    const server = pidIn(await client.call(1, 's0__pid'))
    expect(isRunning(server)).toBe(true)
    const [daemon] = await world.status()
    process.kill(daemon?.pid ?? 0, 'SIGKILL')
    expect(await client.ended).toMatchObject({ code: 1 })
    expect(client.stderr).toContain('the daemon ended')
    await vi.waitFor(() => expect(isRunning(server)).toBe(false))
    expect(world.files.filter(name => name.endsWith('.sock'))).toHaveLength(1)
    const again = world.attach(flags)
    await again.initialize()
    expect((await world.status())[0]?.pid).not.toBe(daemon?.pid)
  })

  test('says why the daemon cannot serve', async () => {
    const client = world.attach(['--pack', 'basics', '--tools', 'no_such_tool'])
    expect(await client.ended).toMatchObject({ code: 2 })
    expect(client.stderr).toContain("Unknown tool 'no_such_tool'")
    expect(await world.status()).toEqual([])
  })

  test('clients in other folders share what does not depend on them', async () => {
    const [here, there] = [mkdtempSync(join(tmpdir(), 'cw-a-')), mkdtempSync(join(tmpdir(), 'cw-b-'))]
    const started = [here, there].flatMap(cwd => [world.attach(BASICS, cwd), world.attach(['--pack', 'basics'], cwd)])
    await Promise.all(started.map(client => client.initialize()))
    const clients = (await world.status()).map(daemon => daemon.clients)
    expect(clients.toSorted((a, b) => a - b)).toEqual([1, 1, 2])
  })
})

test('a client of another version gets a daemon of its own; those that are attached stay', async () => {
  const client = world.attach(BASICS)
  await client.initialize()
  const [daemon] = await world.status()
  const socket = join(world.daemons, `${daemon?.id}.sock`)
  const other = await connectTo(socket)
  expect(other && (await greet(other, { want: 'attach', version: '9.9.9' }))).toEqual({
    is: 'retiring',
    version: VERSION,
  })
  other?.destroy()
  const next = world.attach(BASICS)
  await next.initialize()
  expect((await world.status())[0]?.pid).not.toBe(daemon?.pid)
  expect(textOf(await client.call(1, 'add_numbers', { number1: 1, number2: 2 }))).toContain('3')
  await client.end()
  await vi.waitFor(() => expect(isRunning(daemon?.pid ?? 0)).toBe(false))
  expect(textOf(await next.call(1, 'add_numbers', { number1: 2, number2: 2 }))).toContain('4')
})

test('what is no client is let go, and holds up nobody', async () => {
  const client = world.attach(BASICS)
  await client.initialize()
  const [daemon] = await world.status()
  const socket = join(world.daemons, `${daemon?.id}.sock`)
  for (const text of ['GET / HTTP/1.1\r\n\r\n', '{"want":"attach"}\n', '{}\n', 'x'.repeat(100_000)]) {
    const stranger = connect(socket)
    stranger
      .on('error', () => {})
      .resume()
      .write(text)
    await once(stranger, 'close')
  }
  const silent = connect(socket).on('error', () => {})
  expect(textOf(await client.call(1, 'add_numbers', { number1: 1, number2: 2 }))).toContain('3')
  silent.destroy()
})

test('stop lets calls finish, logs show what was said', async () => {
  const client = world.attach(BASICS)
  await client.initialize()
  expect((await world.run('daemon', 'logs')).stdout).toContain('a client is attached')
  expect(await world.run('daemon', 'stop')).toMatchObject({ code: 0, stderr: '1 daemon stopped.\n' })
  expect(await client.ended).toMatchObject({ code: 1 })
  expect((await world.run('daemon', 'status')).stderr).toBe('No daemon runs.\n')
  expect(await world.run('daemon', 'stpo')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("'stop'") as string,
  })
  expect((await world.run('daemon', 'stop', 'f'.repeat(16))).code).toBe(2)
})

test('a socket that nobody listens on is cleared', async () => {
  const first = world.attach(BASICS)
  await first.initialize()
  const [daemon] = await world.status()
  await world.run('daemon', 'stop')
  writeFileSync(join(world.daemons, `${daemon?.id}.sock`), '')
  const again = world.attach(BASICS)
  await again.initialize()
  expect(await world.status()).toHaveLength(1)
})

test('the folder of daemons is for this user alone', () => {
  const state = join(world.folder, 'open')
  mkdirSync(join(state, 'causeway', 'daemons'), { recursive: true })
  chmodSync(join(state, 'causeway', 'daemons'), 0o777)
  expect(statSync(daemonFolder({ XDG_STATE_HOME: state })).mode & 0o777).toBe(0o700)
  const file = join(world.folder, 'file')
  mkdirSync(join(file, 'causeway'), { recursive: true })
  writeFileSync(join(file, 'causeway', 'daemons'), '')
  expect(() => daemonFolder({ XDG_STATE_HOME: file })).toThrow('daemons')
  expect(daemonFolder({ XDG_STATE_HOME: join(world.folder, 'x'.repeat(120)) })).toMatch(/causeway-\d+$/)
})
