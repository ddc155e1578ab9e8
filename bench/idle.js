import { setTimeout as sleep } from 'node:timers/promises'
import { onOneCore } from './core.js'
import { drive, openClients, openSession, openSocket, openStream, ping, portOf } from './http-load.js'
import { percentile } from './http-measure.js'
import { launch, stop, within } from './load.js'
import { residentMb } from './measure.js'

const startMs = 10_000
const holdMs = 60_000
const mostPerSecond = 30_000
// The server comments on silent streams every 15 s.
const keepAliveMs = 20_000
const doors = 50

/** Call times and memory of a server on its own and while it holds idle sessions and open event streams. */
export async function measureIdle(target, { sessions, streams, seconds }) {
  const server = launch(target)
  try {
    const port = await within(server, startMs, portOf(server))
    const calls = 3 * seconds * mostPerSecond
    const clients = await openClients(server, port, { era: 'stateful', connections: 1, calls })
    await look(server, clients, seconds)
    const alone = await look(server, clients, seconds)
    const held = await within(server, holdMs, hold(port, sessions, streams))
    const crowded = await look(server, clients, seconds)
    const silent = await within(server, holdMs, silentStreams(held.streams))
    const lost = await within(server, holdMs, unanswered(held, port))
    return { alone, crowded, silent, lost }
  } finally {
    await stop(server)
  }
}

async function look(server, clients, seconds) {
  const { waits } = await onOneCore(server.child.pid, () => drive(server, clients, seconds))
  return { waits, p99: percentile(waits, 99), rss: residentMb(server.child.pid) }
}

async function hold(port, sessions, streams) {
  const sockets = await Promise.all(Array.from({ length: doors }, () => openSocket(port)))
  const opened = []
  await share(sockets, sessions, async socket => opened.push(await openSession(socket, port)))
  const listening = opened.slice(0, streams).map(headers => openStream(port, headers))
  return { sockets, sessions: opened, streams: await Promise.all(listening) }
}

// Every stream must have been commented on, and none closed.
async function silentStreams(streams) {
  const isSilent = ({ socket, received }) => socket.destroyed || !/^:/m.test(received)
  const deadline = performance.now() + keepAliveMs
  while (streams.some(isSilent) && performance.now() < deadline) await sleep(500)
  return streams.filter(isSilent).length
}

async function unanswered({ sockets, sessions }, port) {
  const waiting = [...sessions]
  let lost = 0
  await share(sockets, sessions.length, async socket => {
    if (!(await ping(socket, port, waiting.pop()))) lost++
  })
  return lost
}

async function share(sockets, times, work) {
  let left = times
  const take = async socket => {
    while (left-- > 0) await work(socket)
  }
  await Promise.all(sockets.map(take))
}
