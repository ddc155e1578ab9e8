import { serveStdio } from '@causeway/engine'
import type { Log, Server } from '@causeway/engine'
import type { Args } from '../args.ts'
import { assemble, logOf } from '../assemble.ts'
import { readConfig } from '../config.ts'
import type { Config } from '../config.ts'
import { logLeft } from '../print.ts'
import { VERSION } from '../version.ts'

/** Serve until the client leaves or a signal comes; then finish what runs, and end with 0. */
export async function serve(args: Args): Promise<number> {
  const config = readConfig(args)
  const server = await assemble(config)
  const log = logOf(config)
  const { preset, packs, transport } = config
  // A tool that forgot to wait for something must not end everybody else's calls.
  process.on('unhandledRejection', error => log('error', 'a promise failed that nobody waited for', { error }))
  if (transport === 'http') await overHttp(server, config)
  else {
    log('info', 'serving on stdio', { version: VERSION, preset: preset.name, packs, pid: process.pid })
    await overStdio(server, config, log)
  }
  log('info', 'stopped')
  await logLeft()
  return 0
}

function overStdio(server: Server, config: Config, log: Log): Promise<void> {
  if (process.stdin.isTTY) log('info', 'waiting for an MCP client on stdin; end with Ctrl-D')
  return serveStdio(server, {
    maxLine: config.maxRequest,
    ...(config.lifecycle && { lifecycle: config.lifecycle }),
    direct: config.preset.direct ?? false,
    signal: untilSignal(),
  })
}

async function overHttp(server: Server, config: Config): Promise<void> {
  // Whoever reads that we listen may tell us to stop at once.
  const stop = untilSignal()
  const { listen } = await import('../listen.ts')
  const service = await listen(server, config)
  await new Promise<unknown>(resolve => {
    stop.addEventListener('abort', resolve, { once: true })
    if (stop.aborted) resolve(stop.reason)
  })
  await service.close()
}

/** Aborts on SIGTERM or SIGINT; a second one ends the process at once. */
function untilSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(1)
      stopping.abort()
    })
  }
  return stopping.signal
}
