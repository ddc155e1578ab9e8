import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { listeningAt } from '../interop/listening.ts'
import { RedisServer } from '../support/redis-server.ts'
import { ROOT, Spawned } from '../support/spawned.ts'
import { Balancer } from './balancer.ts'

/** A gateway process. */
export interface GatewayProcess {
  readonly url: string
  readonly served: Spawned
}

/** Several gateways that share a Redis, behind one port, in front of one server that keeps sessions. */
export class Gateways {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'causeway-test-gateways-'))
  readonly redis: RedisServer
  readonly balancer: Balancer
  readonly members: GatewayProcess[] = []
  readonly #upstream: ChildProcess
  readonly #upstreamUrl: string

  private constructor(redis: RedisServer, balancer: Balancer, upstream: { child: ChildProcess; url: string }) {
    this.redis = redis
    this.balancer = balancer
    this.#upstream = upstream.child
    this.#upstreamUrl = upstream.url
    const line = (name: string): string => `${name} sha256:${createHash('sha256').update(name).digest('hex')}\n`
    writeFileSync(join(this.folder, 'tokens'), line('ada') + line('bob'))
    writeFileSync(join(this.folder, 'servers.json'), JSON.stringify({ mcpServers: { up: { url: upstream.url } } }))
  }

  static async start(size: number): Promise<Gateways> {
    const gateways = new Gateways(await RedisServer.start(), await new Balancer([]).listen(), await startUpstream())
    await Promise.all(Array.from({ length: size }, (_, at) => gateways.restart(at)))
    return gateways
  }

  /** Start the process at that place, in place of the one that was there. */
  async restart(at: number): Promise<void> {
    const own = ['serve', '--http', '--port', '0', '--pack', 'none', '--data', join(this.folder, `data${at}`)]
    const shared = ['--servers', join(this.folder, 'servers.json'), '--store', this.redis.url, '--rate-limit', 'off']
    const served = new Spawned([...own, ...shared, '--token-file', join(this.folder, 'tokens')])
    this.members[at] = { url: await listeningAt(served), served }
    this.balancer.ports = this.members.map(({ url }) => Number(new URL(url).port))
  }

  /** The address of one of the processes. */
  at(index: number): string {
    return this.members[index % this.members.length]?.url ?? ''
  }

  /** End a process, without warning or with. */
  async end(index: number, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const { served } = this.members[index] ?? {}
    served?.process.kill(signal)
    await served?.ended
  }

  /** How many sessions the server has. */
  async sessions(): Promise<number> {
    return Number(await (await fetch(new URL('/sessions', this.#upstreamUrl))).text())
  }

  /** Let the server forget all of its sessions. */
  async forget(): Promise<void> {
    await fetch(new URL('/forget-all', this.#upstreamUrl))
  }

  async stop(): Promise<void> {
    for (const index of this.members.keys()) await this.end(index)
    this.#upstream.kill('SIGKILL')
    await this.balancer.close()
    this.redis.thaw()
    await this.redis.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A server on the official SDK that keeps sessions. */
async function startUpstream(): Promise<{ child: ChildProcess; url: string }> {
  const script = `${ROOT}test/support/upstreams/sdk-v1.js`
  const child = spawn(process.execPath, [script, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, url }
}
