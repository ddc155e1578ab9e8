import { readFileSync } from 'node:fs'
import { onOneCore } from './core.js'
import { drive, eras, openClients, portOf } from './http-load.js'
import { launch, stop, within } from './load.js'
import { newSamples, rotate } from './measure.js'

const startMs = 10_000
// More than any server here answers, so that calls do not run out before the time is up.
const mostPerSecond = 60_000
const warmCalls = 4000
const ticksPerSecond = 100

/** The numbers of keep-alive connections that are measured, each with one call in flight. */
export const connectionCounts = [32, 1]

/** Calls per second of each target by era and connections, with a fresh server for every target and era in a round. */
export async function measureHttp(targets, { seconds, rounds }, onRound) {
  const speak = era => targets.filter(({ eras: spoken = eras }) => spoken.includes(era))
  const cases = eras.flatMap(era =>
    connectionCounts.map(connections => ({ era, connections, samples: newSamples(speak(era)) })),
  )
  for (let round = 0; round < rounds; round++) {
    onRound(round)
    for (const era of eras) {
      for (const target of rotate(speak(era), round)) {
        const ofEra = cases.filter(one => one.era === era)
        await loadOne(target, ofEra, seconds)
      }
    }
  }
  return cases
}

async function loadOne(target, cases, seconds) {
  const server = launch(target)
  try {
    const port = await within(server, startMs, portOf(server))
    for (const { era, connections, samples } of cases) {
      const load = () => loadAt(server, port, { era, connections, seconds })
      samples[target.name].push(connections === 1 ? await onOneCore(server.child.pid, load) : await load())
    }
  } catch (cause) {
    throw new Error(`${target.name}: ${cause.message}`, { cause })
  } finally {
    await stop(server)
  }
}

// Warmed up by calls as well as by time: on a busy machine a second may be too little to be compiled in.
async function loadAt(server, port, { era, connections, seconds }) {
  const calls = Math.ceil((2 * seconds * mostPerSecond) / connections)
  const clients = await openClients(server, port, { era, connections, calls })
  for (let warm = 0; warm < warmCalls;) warm += (await drive(server, clients, seconds)).count
  const before = cpuMs(server.child.pid)
  const { count, ms, busy, waits } = await drive(server, clients, seconds)
  const cpu = ((cpuMs(server.child.pid) - before) / count) * 1000
  for (const { socket } of clients) socket.destroy()
  return { perSecond: (count / ms) * 1000, cpu, p99: percentile(waits, 99), clientBusy: busy }
}

/** The value below which so many percent lie. */
export function percentile(values, percent) {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length * percent) / 100)]
}

/** What a process has used of the CPU so far, in milliseconds. */
export function cpuMs(pid) {
  if (process.platform !== 'linux') return Number.NaN
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1000
}
