import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildCalls, checkAnswers } from './calls.js'
import { onOneCore } from './core.js'
import { drive, handshake, launch, stop } from './load.js'

const idleMs = 1000

/** The numbers of calls in flight that are measured. */
export const depths = [128, 1]

/** Milliseconds from spawn to exit of bare Node, and from spawn to the answer to `initialize` of each target. */
export async function measureStartup(targets, bare, runs) {
  const samples = newSamples([bare, ...targets])
  // The first run only warms the file cache.
  for (let run = 0; run <= runs; run++) {
    for (const target of rotate([bare, ...targets], run)) {
      const ms = await timeStart(target, target === bare)
      if (run > 0) samples[target.name].push(ms)
    }
  }
  return samples
}

async function timeStart(target, toExit) {
  const start = performance.now()
  const server = launch(target)
  try {
    await (toExit ? server.ended : handshake(server))
    return performance.now() - start
  } finally {
    await stop(server)
  }
}

/** Resident memory of each target in MB, one second after the handshake. */
export async function measureMemory(targets, runs) {
  const samples = newSamples(targets)
  for (let run = 0; run < runs; run++) {
    const servers = targets.map(launch)
    try {
      await Promise.all(servers.map(handshake))
      await sleep(idleMs)
      for (const server of servers) samples[server.name].push(residentMb(server.child.pid))
    } finally {
      await Promise.all(servers.map(stop))
    }
  }
  return samples
}

/** The memory a process has in use (Linux). */
export function residentMb(pid) {
  const [, kb] = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return kb / 1024
}

/** Calls per second of each target at each depth, with a fresh and warmed-up server for every target in every round. */
export async function measureLoad(targets, calls, rounds, onRound) {
  const flights = layOut(calls)
  const samples = Object.fromEntries(depths.map(depth => [depth, newSamples(targets)]))
  for (let round = 0; round < rounds; round++) {
    onRound(round)
    for (const target of rotate(targets, round)) {
      const runs = await loadOne(target, flights)
      for (const depth of depths) samples[depth][target.name].push(runs[depth])
    }
  }
  return samples
}

// Ids must not repeat within a session, so the flights of a round follow each other. One call in flight takes longer
// per call: a quarter of the calls is enough.
function layOut(calls) {
  let next = 1
  const take = count => buildCalls((next += count) - count, count)
  const [many, single] = depths
  return {
    [many]: { warmup: take(10_000), measured: take(calls) },
    [single]: { warmup: take(2000), measured: take(Math.ceil(calls / 4)) },
  }
}

async function loadOne(target, flights) {
  const [many, single] = depths
  const server = launch(target)
  const runAt = async depth => {
    await run(server, flights[depth].warmup, depth)
    return run(server, flights[depth].measured, depth)
  }
  try {
    await handshake(server)
    return { [many]: await runAt(many), [single]: await onOneCore(server.child.pid, () => runAt(single)) }
  } finally {
    await stop(server)
  }
}

async function run(server, flight, depth) {
  const { ms, busy, answers } = await drive(server, flight, depth)
  try {
    checkAnswers(flight, answers)
  } catch (cause) {
    throw new Error(`${server.name} at ${depth} in flight: ${cause.message}`, { cause })
  }
  return { perSecond: (flight.count / ms) * 1000, clientBusy: busy }
}

/** An empty list of samples for each target. */
export function newSamples(targets) {
  return Object.fromEntries(targets.map(({ name }) => [name, []]))
}

/** The list, begun at another item, so that no target always comes first. */
export function rotate(list, by) {
  const at = by % list.length
  return [...list.slice(at), ...list.slice(0, at)]
}
