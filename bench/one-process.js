import { cpuNs } from './ab-cases.js'
import { drive, openClients, portsOf } from './http-load.js'
import { launch, stop, within } from './load.js'
import { median } from './report.js'

const startMs = 10_000
const warmSeconds = 2
const turnSeconds = 0.2
const mostPerSecond = 60_000

/**
 * Server CPU of a call in microseconds, for each of some doors of bench/door.js that one process serves: two processes that are
 * started alike differ by several percent. The doors take short turns, so that whatever else the machine does hits all alike.
 * A door has a name, the `door` that it is, and may have `headers(port)`; each round is a process of its own.
 */
export async function measureInOneProcess(doors, { era, connections, rounds, turns, flags = [] }, onRound) {
  const samples = Object.fromEntries(doors.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    onRound(round)
    const middles = await measureRound(doors, { era, connections, turns, flags })
    doors.forEach(({ name }, at) => samples[name].push(middles[at]))
  }
  return samples
}

async function measureRound(doors, { era, connections, turns, flags }) {
  const server = launch({ name: 'doors', args: ['bench/door.js', ...doors.map(({ door }) => door), ...flags] })
  const calls = Math.ceil((mostPerSecond * (warmSeconds + turns * turnSeconds)) / connections)
  try {
    const ports = await within(server, startMs, portsOf(server, doors.length))
    const opened = []
    for (const [at, { headers }] of doors.entries()) {
      const own = await headers?.(ports[at])
      opened.push({ clients: await openClients(server, ports[at], { era, connections, calls, headers: own }), cpu: [] })
    }
    for (const { clients } of opened) await turn(server, clients, warmSeconds)
    for (let at = 0; at < turns; at++)
      for (const one of at % 2 ? opened.toReversed() : opened)
        one.cpu.push(await turn(server, one.clients, turnSeconds))
    return opened.map(({ cpu }) => median(cpu))
  } finally {
    await stop(server)
  }
}

async function turn(server, clients, seconds) {
  const before = cpuNs(server.child.pid)
  const { count } = await drive(server, clients, seconds)
  return (cpuNs(server.child.pid) - before) / 1000 / count
}

/** What one door costs more than another, as a share: the middle of the rounds, since each round is one process. */
export function extraShare(samples, name, yardstick) {
  return median(samples[name].map((cpu, round) => cpu / samples[yardstick][round])) - 1
}

/** Print a promise and whether it is kept; one that is missed fails the run. */
export function judge(what, share, most) {
  const isKept = share <= most
  console.log(`  ${what} ${percent(share)} (at most ${percent(most)}: ${isKept ? 'kept' : 'MISSED'})`)
  if (!isKept) process.exitCode = 1
}

export function percent(share) {
  return `${(share * 100).toFixed(1)} %`
}
