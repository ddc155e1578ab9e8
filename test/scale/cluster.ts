import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { ROOT } from '../support/spawned.ts'
import { RedisServer } from '../support/redis-server.ts'
import { Balancer } from './balancer.ts'
import { FaultHistory } from './fault-history.ts'

/** How the processes of a cluster are started. */
export interface ClusterOptions {
  readonly size?: number
  readonly rate?: { readonly burst: number; readonly perSecond: number }
  /** Without a Redis every process is for itself. */
  readonly redis?: boolean
}

/** One process, and its way to Redis. */
export interface Member {
  /** Its name among those that share the store: its place, and how many were there before. */
  readonly processId: string
  readonly port: number
  readonly url: string
  readonly child: ChildProcess
  /** Its connection to Redis can be cut. */
  readonly wire: Balancer
}

/** Several processes that share a Redis, behind one port. */
export class Cluster {
  readonly redis: RedisServer
  readonly balancer: Balancer
  readonly members: Member[] = []
  readonly history: FaultHistory = new FaultHistory()
  readonly #options: ClusterOptions
  #started = 0

  constructor(redis: RedisServer, balancer: Balancer, options: ClusterOptions) {
    this.redis = redis
    this.balancer = balancer
    this.#options = options
  }

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const cluster = new Cluster(await RedisServer.start(), await new Balancer([]).listen(), options)
    for (let i = 0; i < (options.size ?? 3); i++) await cluster.restart(i)
    return cluster
  }

  get url(): string {
    return this.balancer.url
  }

  member(index: number): Member {
    const found = this.members[index]
    if (!found) throw new Error(`There is no process ${index}`)
    return found
  }

  /** Start the process at that place, in place of the one that was there. */
  async restart(index: number): Promise<void> {
    const before = this.members[index]
    const wire = before?.wire ?? (await new Balancer([this.redis.port]).listen())
    const { size: _, redis = true, ...others } = this.#options
    const processId = `p${index}n${++this.#started}`
    const given = { ...others, processId }
    const url = redis ? `redis://127.0.0.1:${wire.port}/0` : ''
    const child = spawn(process.execPath, [`${ROOT}test/scale/server.js`, url, JSON.stringify(given)], {
      cwd: ROOT,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
    const port = Number(line)
    this.history.add('started', processId)
    this.members[index] = { processId, port, url: `http://127.0.0.1:${port}`, child, wire }
    this.balancer.ports = this.members.map(m => m.port)
  }

  /** End a process without warning. */
  async kill(index: number): Promise<void> {
    const { child, processId } = this.member(index)
    if (child.exitCode !== null || child.signalCode !== null) return
    this.history.add('ended', processId)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  async stop(): Promise<void> {
    for (const index of this.members.keys()) await this.kill(index)
    for (const { wire } of this.members) await wire.close()
    await this.balancer.close()
    this.redis.thaw()
    await this.redis.stop()
  }
}
