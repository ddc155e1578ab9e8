import { isObject } from '@causeway/engine/internal'
import { readArgs } from '../config/args.ts'
import { exit } from '../terminal/exit.ts'
import { complain, guardOutputs, logLeft } from '../terminal/print.ts'
import { runDaemon } from './daemon.ts'
import type { DaemonPlace } from './place.ts'

/** Wait until the process that started this one says where to listen, then serve until no client is attached any more. */
function main(): void {
  guardOutputs()
  process.once('message', message => {
    if (!isObject(message) || message.type !== 'start') return
    const bound = (): void => {
      if (process.connected) process.send?.({ type: 'bound' }, () => {})
    }
    runDaemon(readArgs(process.argv.slice(2)), message.place as DaemonPlace, bound).then(ended, failed)
  })
  // Who started it may be gone before it said anything.
  process.once('disconnect', () => process.removeAllListeners('message'))
}

async function ended(): Promise<void> {
  await logLeft()
  await exit(0)
}

async function failed(error: unknown): Promise<void> {
  complain(`causeway: ${error instanceof Error ? error.message : String(error)}`)
  await logLeft()
  await exit(1)
}

main()
