import { afterEach, expect, test, vi } from 'vitest'
import { DaemonWorld, childrenOf, isRunning, pidIn } from './world.ts'

const COUNT = 10
const world = new DaemonWorld()
afterEach(() => world.end())

test('ten clients and ten servers are one daemon, ten servers and at most one guardian beside the attach processes', async () => {
  const flags = ['--pack', 'none', '--servers', world.servers(COUNT), '--search', 'off', '--rate-limit', 'off']
  const clients = Array.from({ length: COUNT }, () => world.attach(flags))
  await Promise.all(clients.map(client => client.initialize()))
  const pids = await Promise.all(
    clients.map(async client => {
      const asked = Array.from({ length: COUNT }, (_, i) => client.call(i, `s${i}__pid`))
      return (await Promise.all(asked)).map(pidIn)
    }),
  )
  // All clients reach the same ten processes.
  expect(new Set(pids.map(list => list.join())).size).toBe(1)
  expect(new Set(pids[0]).size).toBe(COUNT)
  const daemons = await world.status()
  expect(daemons).toMatchObject([{ clients: COUNT }])
  const daemon = daemons[0]?.pid ?? 0
  const below = childrenOf(daemon)
  const guardians = below.filter(({ line }) => line.includes('causeway-guardian'))
  const servers = below.filter(({ line }) => line.includes('plain.js'))
  expect(new Set(servers.map(({ pid }) => pid))).toEqual(new Set(pids[0]))
  expect(servers).toHaveLength(COUNT)
  expect(guardians.length).toBeLessThanOrEqual(1)
  expect(below).toHaveLength(servers.length + guardians.length)
  // The client that started the daemon is its parent; no other process is below a client.
  const started = clients.flatMap(client => childrenOf(client.process.pid ?? 0))
  expect(started.map(({ pid }) => pid)).toEqual([daemon])
  process.kill(daemon, 'SIGKILL')
  await Promise.all(clients.map(({ ended }) => ended))
  await vi.waitFor(() => expect(below.filter(({ pid }) => isRunning(pid))).toEqual([]))
})
