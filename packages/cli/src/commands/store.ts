import type { RedisStore } from '@causeway/engine/redis'
import { actionNamed, isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { logOf } from '../serve/assemble.ts'
import { readConfig } from '../config/config.ts'
import { print, printJson, table, remark } from '../terminal/print.ts'
import { openStore } from '../serve/open-store.ts'
import { UsageError } from '../config/usage-error.ts'

const ACTIONS: Readonly<Record<string, (store: RedisStore, isJson: boolean) => Promise<void>>> = { stats, clear }

/** Look after what processes keep in a shared store. */
export async function store(args: Args): Promise<number> {
  const [action = 'stats'] = args.positionals
  const run = actionNamed(ACTIONS, action)
  const config = readConfig(args)
  const opened = await openStore(config, logOf({ ...config, logLevel: 'error' }))
  if (!opened) throw new UsageError('Name the store: --store redis://localhost:6379/0.')
  try {
    if (!opened.reachable) throw new UsageError(`The store at ${opened.shown} cannot be reached.`, 1)
    await run(opened, isGiven(args, 'json'))
  } finally {
    await opened.close()
  }
  return 0
}

async function stats(opened: RedisStore, isJson: boolean): Promise<void> {
  const { process: running = 1, ...counts } = await opened.stats()
  // This command is a process, too.
  const all = { process: running - 1, ...counts }
  await (isJson ? printJson(all) : print(table(Object.entries(all).map(([kind, n]) => [kind, String(n)]))))
}

async function clear(opened: RedisStore, isJson: boolean): Promise<void> {
  const { process: running = 1 } = await opened.stats()
  const deleted = Math.max(0, (await opened.clear()) - 1)
  if (isJson) return printJson({ deleted })
  await print(`Deleted ${deleted} keys.`)
  if (running > 1) {
    remark(`causeway: ${running - 1} processes run and write back the sessions they know.`)
  }
}
