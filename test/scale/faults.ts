import { setTimeout as pause } from 'node:timers/promises'
import { Stateful, ask } from '../../packages/engine/test/support/http-client.ts'
import { exchange } from '../../packages/engine/test/support/http-exchange.ts'
import type { Random } from '../fuzz/random.ts'
import type { Cluster } from './cluster.ts'

/** What was promised, and was not kept. */
export class Violations {
  readonly found: string[] = []
  add(what: string): void {
    if (this.found.length < 50) this.found.push(what)
  }
}

/** When things are broken, so that clients know what they have to put up with. */
export class Weather {
  #since: number | undefined
  #clearAt = 0
  #calmSince = performance.now()
  #calmMs = 0
  current = 'calm'

  begin(what: string): void {
    this.current = what
    this.#calmMs = this.calmMs
    this.#since = performance.now()
  }

  end(): void {
    this.current = 'calm'
    this.#since = undefined
    this.#clearAt = performance.now()
    this.#calmSince = this.#clearAt
  }

  /** For how long nothing was broken, all in all. */
  get calmMs(): number {
    return this.#calmMs + (this.#since === undefined ? performance.now() - this.#calmSince : 0)
  }

  /** Patience from now on: it ends when anything should have come to an end, whatever was broken meanwhile. */
  patience(): () => boolean {
    const [began, calm] = [performance.now(), this.calmMs]
    return () => performance.now() - began < PATIENCE_MS || this.calmMs - calm < PATIENCE_CALM_MS
  }

  /** Was something broken, or just mended, at any moment since then? */
  isRoughSince(moment: number): boolean {
    return this.#since !== undefined || this.#clearAt >= moment
  }
}

/** How long everything may take to be well again. */
export const RECOVERED_MS = 3000

// Longer than any fault and its mending, and long enough also where one fault comes right after the other.
const PATIENCE_MS = 25_000
const PATIENCE_CALM_MS = 10_000

type Fault = (cluster: Cluster, random: Random) => Promise<string>

const between = (random: Random, least: number, most: number): number => least + random.next() * (most - least)

const FAULTS: Readonly<Record<string, Fault>> = {
  async 'kill a process'(cluster, random) {
    const victim = random.below(cluster.members.length)
    await cluster.kill(victim)
    await pause(between(random, 200, 2000))
    await cluster.restart(victim)
    return `${victim}`
  },
  async 'stop a process'(cluster, random) {
    const victim = random.below(cluster.members.length)
    const { child, processId } = cluster.member(victim)
    const gone = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGTERM')
    await gone
    cluster.history.add('ended', processId)
    await cluster.restart(victim)
    return `${victim}`
  },
  async 'restart Redis empty'(cluster, random) {
    cluster.history.add('emptied')
    await cluster.redis.kill()
    await pause(between(random, 100, 3000))
    await cluster.redis.start()
    return ''
  },
  async 'freeze Redis'(cluster, random) {
    cluster.redis.freeze()
    cluster.history.add('frozen')
    await pause(random.chance(0.2) ? 10_000 : between(random, 300, 3000))
    cluster.redis.thaw()
    cluster.history.add('thawed')
    return ''
  },
  async 'cut a process off Redis'(cluster, random) {
    const victim = random.below(cluster.members.length)
    const { wire, processId } = cluster.member(victim)
    wire.cut()
    cluster.history.add('cut off', processId)
    await pause(between(random, 500, 5000))
    wire.mend()
    cluster.history.add('mended', processId)
    return `${victim}`
  },
}

/** What the one who breaks things needs. */
export interface FaultRun {
  readonly cluster: Cluster
  readonly random: Random
  readonly weather: Weather
  readonly violations: Violations
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

/** Break one thing after the other, and see that each time all is well within three seconds. */
export async function breakThings({ cluster, random, weather, violations, signal, log }: FaultRun): Promise<number> {
  let count = 0
  while (!signal.aborted) {
    await pause(between(random, 300, 1500))
    if (signal.aborted) break
    const name = random.pick(Object.keys(FAULTS))
    const probe = await Stateful.open(cluster.url)
    for (const { url } of cluster.members) await new Stateful(url, probe.session, {}).request('ping')
    weather.begin(name)
    const which = await FAULTS[name]?.(cluster, random)
    const took = await recovery(cluster, probe)
    weather.end()
    count += 1
    log(`${name} ${which}: well again after ${Math.round(took)} ms`)
    if (took > RECOVERED_MS) violations.add(`${name}: not well again after ${Math.round(took)} ms`)
  }
  return count
}

/** How long it takes until every process reaches Redis and serves a session that was known before. */
async function recovery(cluster: Cluster, probe: Stateful): Promise<number> {
  const began = performance.now()
  while (performance.now() - began < 3 * RECOVERED_MS) {
    const well = await Promise.all(cluster.members.map(({ url }) => isWell(url, probe)))
    if (well.every(Boolean)) return performance.now() - began
    await pause(20)
  }
  return performance.now() - began
}

async function isWell(url: string, probe: Stateful): Promise<boolean> {
  try {
    const { text } = await exchange(url, { method: 'GET', path: '/health/ready' })
    const { status } = await new Stateful(url, probe.session, {}).post(ask(1, 'ping'))
    return text.includes('"ok"') && status === 200
  } catch {
    return false
  }
}
