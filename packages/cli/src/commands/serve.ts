import { serveStdio } from '@causeway/engine'
import type { Log, Server } from '@causeway/engine'
import type { Developer } from '../modules/developer.ts'
import type { Args } from '../config/args.ts'
import { assembly, logOf } from '../serve/assemble.ts'
import type { Assembly } from '../serve/assemble.ts'
import { rootWarnings, terminalHelp } from '../terminal/banner.ts'
import { configWarnings, readConfig } from '../config/config.ts'
import type { Config } from '../config/config.ts'
import { exit } from '../terminal/exit.ts'
import type { Served } from '../serve/listen-http.ts'
import { complain, logLeft } from '../terminal/print.ts'
import type { RunningCalls } from '../observe/running-calls.ts'
import { openStore } from '../serve/open-store.ts'
import { surviveRejections } from '../terminal/stray-rejections.ts'
import { countTools } from '../serve/find-tool.ts'
import { UsageError } from '../config/usage-error.ts'
import { VERSION } from '../version.ts'

/** Serve until the client leaves or a signal comes; then finish what runs, and end with 0. */
export async function serve(args: Args): Promise<number> {
  const config = readConfig(args)
  return config.workers > 1 ? several(args, config) : serveHere(config)
}

/** Serve in this process. */
export async function serveHere(config: Config, developer?: Developer): Promise<number> {
  const log = logOf(config)
  surviveRejections(log, config.toolsDir)
  const store = config.transport === 'http' ? await openStore(config, log) : undefined
  const assembled = await assembly(config, { ...(store && { rates: store, store }), ...(developer && { developer }) })
  const { server, running, gateway, modules, reloader } = assembled
  for (const warning of [...rootWarnings(config), ...configWarnings(config)]) log('warn', warning)
  const stop = untilSignal(running, log)
  const hangup = onHangup(log)
  if (config.configFile !== undefined) hangup.push(() => reloader.reload())
  else if (gateway) hangup.push(() => gateway.reload())
  const end = follow(assembled, config)
  const listening = (url: string): void => developer?.listening(url, modules)
  try {
    if (config.transport === 'http') await overHttp(assembled, config, { stop, store, hangup, listening })
    else await overStdio(server, config, stop)
  } finally {
    await end()
    await store?.close()
  }
  log('info', 'stopped')
  await logLeft()
  return 0
}

/** Start what is behind the server and follow files, until the function that is returned ends all of it. */
export function follow({ gateway, modules, audit, traced, reloader }: Assembly, config: Config): () => Promise<void> {
  const following = config.watch ? reloader.follow() : undefined
  gateway?.start()
  modules.follow()
  return async () => {
    following?.close()
    modules.close()
    await gateway?.close()
    await audit?.close()
    await traced?.close()
  }
}

async function several(args: Args, config: Config): Promise<number> {
  const { checkWorkers } = await import('../workers/worker-limits.ts')
  checkWorkers(config)
  return (await import('../workers/primary.ts')).servePrimary(args, config)
}

async function overStdio(server: Server, config: Config, signal: AbortSignal): Promise<void> {
  const { preset, packs, root, logLevel } = config
  const log = logOf(config)
  const tools = await countTools(server)
  log('info', 'serving on stdio', {
    version: VERSION,
    preset: preset.name,
    packs,
    tools,
    roots: root,
    pid: process.pid,
  })
  if (process.stdin.isTTY && (logLevel === 'info' || logLevel === 'debug')) complain(await terminalHelp(server, config))
  let broken: NodeJS.ErrnoException | undefined
  process.stdout.on('error', error => (broken ??= error))
  await serveStdio(server, {
    maxLine: config.maxRequest,
    ...(config.lifecycle && { lifecycle: config.lifecycle }),
    direct: config.preset.direct ?? false,
    signal,
  })
  // A client that is gone is the usual end; any other failure loses answers.
  if (broken && broken.code !== 'EPIPE') throw new UsageError(`Standard output cannot be written: ${broken.message}`, 1)
}

interface HttpEnds {
  readonly stop: AbortSignal
  readonly store: Served['store']
  readonly hangup: (() => unknown)[]
  readonly listening: (url: string) => void
}

async function overHttp(
  assembled: Assembly,
  config: Config,
  { stop, store, hangup, listening }: HttpEnds,
): Promise<void> {
  const { listen } = await import('../serve/listen-http.ts')
  const onFollowed: Served['onFollowed'] = followed => hangup.push(() => followed.reload())
  const service = await listen({ ...assembled, store, onFollowed }, config)
  listening(service.url)
  await new Promise<unknown>(resolve => {
    stop.addEventListener('abort', resolve, { once: true })
    if (stop.aborted) resolve(stop.reason)
  })
  // A stream that never ends would be waited for.
  assembled.feed?.close()
  await service.close()
}

/** SIGHUP has files read again, by each listener in the list; in a terminal it means that the terminal was closed. */
export function onHangup(log: Log): (() => unknown)[] {
  const reloads: (() => unknown)[] = []
  if (process.stdout.isTTY) return reloads
  process.on('SIGHUP', () => {
    log('info', 'reloading: the configuration, tokens, certificates and servers are read again')
    for (const reload of reloads) reload()
  })
  return reloads
}

/** Aborts on SIGTERM or SIGINT and says what is waited for; a second one ends the process at once. */
function untilSignal(running: RunningCalls, log: Log): AbortSignal {
  const stopping = new AbortController()
  // The person at the terminal reads this, whatever the log level is.
  const say = (words: string): void => (process.stderr.isTTY ? complain(`\ncauseway: ${words}`) : log('info', words))
  const signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', ...(process.stdout.isTTY ? (['SIGHUP'] as const) : [])]
  for (const signal of signals) {
    process.on(signal, () => {
      if (stopping.signal.aborted) {
        void exit(1)
        return
      }
      const waiting = running.describe()
      const again = signal === 'SIGINT' ? 'press Ctrl-C again to' : `a second ${signal} will`
      say(waiting === undefined ? 'stopping' : `stopping: waiting up to 30 s for ${waiting}; ${again} end at once`)
      stopping.abort()
    })
  }
  return stopping.signal
}
