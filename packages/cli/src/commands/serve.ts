import { jsonLog, serveStdio } from '@causeway/engine'
import type { Args } from '../args.ts'
import { assemble } from '../assemble.ts'
import { readConfig } from '../config.ts'
import { VERSION } from '../version.ts'

/** Serve on stdin and stdout until the client leaves or a signal comes; then finish what runs, and end with 0. */
export async function serve(args: Args): Promise<number> {
  const config = readConfig(args)
  const server = await assemble(config)
  const log = jsonLog(config.logLevel)
  const { name } = config.preset
  log('info', 'serving on stdio', { version: VERSION, preset: name, packs: config.packs, pid: process.pid })
  if (process.stdin.isTTY) log('info', 'waiting for an MCP client on stdin; end with Ctrl-D')
  await serveStdio(server, {
    maxLine: config.maxRequest,
    lifecycle: config.lifecycle,
    direct: config.preset.direct ?? false,
    signal: untilSignal(),
  })
  log('info', 'stopped')
  return 0
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
