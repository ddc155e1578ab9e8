import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '@causeway/engine'
import { Guardian } from '@causeway/engine/process'
import type { Args } from '../config/args.ts'
import { logOf } from '../serve/assemble.ts'
import { rootWarnings } from '../terminal/banner.ts'
import { configWarnings, readConfig } from '../config/config.ts'
import type { Config } from '../config/config.ts'
import { exit } from '../terminal/exit.ts'
import { followFiles } from '../serve/follow-files.ts'
import { changedSettings } from '../serve/reload/changed-settings.ts'
import { choosePort } from '../serve/choose-port.ts'
import { explained, tokenWarnings } from '../serve/listen-http.ts'
import { complain, logLeft, print } from '../terminal/print.ts'
import { UsageError } from '../config/usage-error.ts'
import { WorkerPool } from './worker-pool.ts'
import { checkWorkers } from './worker-limits.ts'

// Workers end by themselves when their channel to us closes; one that is stuck in a loop cannot.
const WORKERS_END_SECONDS = 8

/** Serve over HTTP with several processes behind one port, until a signal comes. */
export async function servePrimary(args: Args, config: Config): Promise<number> {
  const log = logOf(config)
  for (const warning of [...rootWarnings(config), ...configWarnings(config), ...tokenWarnings(config)])
    log('warn', warning)
  const folder = makeFolder()
  const guardian = new Guardian({ graceSeconds: WORKERS_END_SECONDS, folder })
  const script = fileURLToPath(new URL('worker.js', import.meta.url))
  const pool = new WorkerPool({ script, args: process.argv.slice(2), folder, guardian, log }, config.maxConnections)
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    return await serve(pool, { args, config, log, removeFolder })
  } finally {
    await pool.stop()
    await guardian.close()
    removeFolder()
    await logLeft()
  }
}

// Where a longer one would not fit into the address of a socket.
const LONGEST_FOLDER = 70

/** A folder for the workers' sockets, which only this user may enter. */
function makeFolder(): string {
  const base = tmpdir().length > LONGEST_FOLDER ? '/tmp' : tmpdir()
  try {
    return mkdtempSync(join(base, 'causeway-workers-'))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      `The workers need a folder for their sockets: ${why}. Name one that can be written with TMPDIR.`,
      5,
    )
  }
}

interface Surroundings {
  readonly args: Args
  readonly config: Config
  readonly log: Log
  readonly removeFolder: () => void
}

async function serve(pool: WorkerPool, { args, config, log, removeFolder }: Surroundings): Promise<number> {
  const { host } = config
  const stop = untilSignal(log, () => {
    pool.kill()
    removeFolder()
    void exit(1)
  })
  const port = await choosePort(config, log)
  const bound = await pool.acceptor.listen(host, port).catch((error: unknown) => {
    throw explained(error, config)
  })
  const started = await pool.start(
    config.workers,
    `${config.tlsCert === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
  )
  // A worker that cannot start has said why.
  if (typeof started !== 'string') return stop.signal.aborted ? 0 : (started.code ?? 1)
  await print(started).catch((error: unknown) => log('warn', error instanceof Error ? error.message : String(error)))
  log('info', 'serving', { workers: config.workers, pid: process.pid })
  const following = followReloads(pool, { args, config, log, removeFolder })
  const why = await Promise.race([stop.done, pool.gaveUp])
  following.close()
  if (why !== undefined) throw new UsageError(`The workers end as soon as they start: ${why}.`, 1)
  log('info', 'stopping')
  await pool.stop()
  log('info', 'stopped')
  return 0
}

/**
 * SIGHUP: read the configuration again. If only settings changed that can be exchanged while serving, the workers exchange them;
 * otherwise new workers start, and the old ones finish. In a terminal it means that the terminal is gone.
 */
function followReloads(pool: WorkerPool, { args, config, log }: Surroundings): { close(): void } {
  let current = config
  let wanted: 'changes' | 'workers' | undefined
  let reloading: Promise<void> | undefined
  const reload = async (what: 'changes' | 'workers'): Promise<void> => {
    const next = readConfig(args)
    checkWorkers(next)
    const { live, restart } = changedSettings(current, next)
    if (restart.length === 0 && (live.length > 0 || what === 'changes')) {
      pool.reloadInPlace()
      current = next
      return
    }
    const fixed = restart.filter(name => name === 'host' || name === 'port')
    if (fixed.length > 0) log('warn', 'these settings need a restart to change', { settings: fixed })
    log('info', 'reloading', { workers: next.workers })
    pool.acceptor.max = next.maxConnections
    const isDone = await pool.reload(next.workers)
    if (isDone) current = { ...next, host: config.host, port: config.port }
    log(isDone ? 'info' : 'error', isDone ? 'reloaded' : 'the new workers could not start; the old ones go on')
  }
  const run = async (): Promise<void> => {
    for (let what = wanted; what !== undefined; what = wanted) {
      wanted = undefined
      await reload(what).catch((error: unknown) => {
        log('error', `not reloaded: ${error instanceof Error ? error.message : String(error)}`)
      })
    }
    reloading = undefined
  }
  const ask = (what: 'changes' | 'workers'): void => {
    wanted = wanted === 'workers' ? wanted : what
    reloading ??= run()
  }
  if (!process.stdout.isTTY) process.on('SIGHUP', () => ask('workers'))
  const { configFile, watch } = config
  return watch && configFile !== undefined ? followFiles([configFile], () => ask('changes')) : { close: () => {} }
}

/** Resolves on the first signal to stop; a second one ends everything at once. */
function untilSignal(
  log: Log,
  atOnce: () => void,
): { readonly done: Promise<undefined>; readonly signal: AbortSignal } {
  const stopping = new AbortController()
  const done = new Promise<undefined>(resolve =>
    stopping.signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  )
  const signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', ...(process.stdout.isTTY ? (['SIGHUP'] as const) : [])]
  for (const signal of signals) {
    process.on(signal, () => {
      if (stopping.signal.aborted) return atOnce()
      if (process.stderr.isTTY) complain('\ncauseway: stopping')
      else log('debug', 'a signal came', { signal })
      stopping.abort()
    })
  }
  return { done, signal: stopping.signal }
}
