import { Random } from '../fuzz/random.ts'
import { httpModes } from '../interop/http-clients.ts'
import { Cluster } from './cluster.ts'
import { CheckingClient, newTally, officialClient } from './fault-clients.ts'
import type { Tally } from './fault-clients.ts'
import { Violations, Weather, breakThings } from './faults.ts'

/** What a run of faults came to. */
export interface FaultReport {
  readonly faults: number
  readonly tally: Tally
  readonly violations: readonly string[]
}

const CLIENTS = 6
const OFFICIAL = /^sdk 1 over Streamable|^client 2 over Streamable HTTP, (legacy|pinned)/

/** Let clients work for a while with three processes and a Redis that are killed, frozen, cut off and restarted at random. */
export async function runFaults(seconds: number, seed: number, log: (line: string) => void): Promise<FaultReport> {
  const random = new Random(seed)
  const cluster = await Cluster.start()
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(), seconds * 1000)
  const weather = new Weather()
  const violations = new Violations()
  const tally = newTally()
  const climate = { url: cluster.url, history: cluster.history, weather, violations, signal: ending.signal }
  try {
    const clients = Array.from({ length: CLIENTS }, () => new CheckingClient(climate, random.fork(), tally).run())
    const official = httpModes.filter(({ name }) => OFFICIAL.test(name)).map(m => officialClient(m, climate, tally))
    const given = { cluster, random: random.fork(), weather, violations, signal: ending.signal, log }
    const faults = await breakThings(given)
    await Promise.all([...clients, ...official])
    return { faults, tally, violations: violations.found }
  } finally {
    clearTimeout(timer)
    await cluster.stop()
  }
}
