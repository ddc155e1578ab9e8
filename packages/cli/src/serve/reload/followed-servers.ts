import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '@causeway/engine'
import { MalformedLock, parseLock } from '@causeway/gateway'
import type { Gateway, Lock, UpstreamConfig } from '@causeway/gateway'
import type { Config } from '../../config/config.ts'
import { lockFileOf, readServersFiles } from '../../config/files/servers-file.ts'
import type { ServersRead } from '../../config/files/servers-file.ts'
import { UsageError } from '../../config/usage-error.ts'
import { followFiles, followFolder } from '../follow-files.ts'
import type { VirtualServers } from '../virtual-servers.ts'

/** Who serves what the files of servers say. */
export interface ServersNeeds {
  readonly gateway: Gateway
  readonly views: VirtualServers
  readonly log: Log
  /** Where notes for running gateways are left. */
  readonly folder: string
  /** What this process may have of what an entry allows. */
  readonly share: (config: UpstreamConfig) => UpstreamConfig
}

/** The files of servers and their lock, applied again when they change. */
export class FollowedServers {
  readonly #needs: ServersNeeds
  readonly #watchers: Pick<FSWatcher, 'close'>[] = []
  #files: readonly string[]
  #isFollowed = false

  constructor(files: readonly string[], needs: ServersNeeds) {
    this.#files = files
    this.#needs = needs
  }

  /** Serve the servers in the files. */
  apply(): Promise<void> {
    return this.#apply(readAll(this.#files))
  }

  /** Read the files again. One that cannot be read changes nothing: what was served goes on. */
  async reload(): Promise<void> {
    const { log, gateway } = this.#needs
    try {
      await this.apply()
      gateway.start()
      log('info', 'servers were read again', { servers: [...gateway.servers.keys()] })
    } catch (error) {
      log('error', error instanceof Error ? error.message : String(error))
    }
  }

  /** The exchange for another configuration, which may name other files. */
  prepare({ servers, virtual }: Config): () => Promise<void> {
    const read = readAll(servers)
    const lock = lockIn(servers)
    const exchangeViews = this.#needs.views.prepare(virtual)
    return async () => {
      const isSame = servers.join('\n') === this.#files.join('\n')
      this.#files = servers
      exchangeViews()
      await this.#needs.gateway.ownChanged()
      if (!isSame || lock) this.#needs.gateway.approve(lock)
      await this.#apply(read)
      this.#needs.gateway.start()
      if (this.#isFollowed) this.follow()
    }
  }

  /** Apply the files, their lock and the notes of `causeway servers` from now on. */
  follow(): void {
    this.close()
    this.#isFollowed = true
    if (this.#files.length === 0) return
    this.#watchers.push(
      followFiles(this.#files, () => this.reload()),
      followFiles([lockFileOf(this.#files)], () => this.#approveAgain()),
      ...this.#followNotes(),
    )
  }

  close(): void {
    for (const watcher of this.#watchers.splice(0)) watcher.close()
  }

  async #apply({ upstreams, virtual, problems }: ServersRead): Promise<void> {
    const { gateway, views, log, share } = this.#needs
    for (const problem of problems) log('error', problem)
    views.replace(virtual)
    await gateway.apply(upstreams.map(share))
  }

  /** `causeway lock` reaches gateways that run. A lock that is gone or cannot be read changes nothing. */
  #approveAgain(): void {
    const { gateway, log } = this.#needs
    const files = this.#files
    try {
      const lock = lockIn(files)
      if (!lock) return log('warn', 'mcp.lock is gone: what was approved before stays in force', { files })
      gateway.approve(lock)
      log('info', 'mcp.lock was read again', { servers: Object.keys(lock) })
    } catch (error) {
      log('error', error instanceof Error ? error.message : String(error))
    }
  }

  /** `causeway servers restart NAME` leaves a note in a folder. */
  #followNotes(): FSWatcher[] {
    const { folder, gateway } = this.#needs
    const notes = join(folder, 'control')
    try {
      mkdirSync(notes, { recursive: true, mode: 0o700 })
    } catch {
      return []
    }
    return followFolder(notes, name => {
      const [, server] = /^(.+)\.restart$/.exec(name) ?? []
      if (server !== undefined) void gateway.servers.get(decodeURIComponent(server))?.pool.restart()
    })
  }
}

function readAll(files: readonly string[]): ServersRead {
  const read = readServersFiles(files)
  if (read.clashes.length > 0) throw new UsageError(read.clashes.join('\n'), 4)
  return read
}

/** What was approved, if anything was. */
export function lockIn(files: readonly string[]): Lock | undefined {
  const file = lockFileOf(files)
  if (files.length === 0 || !existsSync(file)) return undefined
  try {
    return parseLock(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof MalformedLock) throw new UsageError(`${file} cannot be used: ${error.message}.`, 4)
    throw error
  }
}
