import type { Log } from '@causeway/engine'
import type { RedisStore } from '@causeway/engine/redis'
import type { Config } from '../config/config.ts'
import { UsageError } from '../config/usage-error.ts'

/** Open the shared store, if one is named; one that refuses us is a mistake in the configuration, one that is away is waited for. */
export async function openStore(
  { store: url, storePrefix: prefix }: Pick<Config, 'store' | 'storePrefix'>,
  log: Log,
): Promise<RedisStore | undefined> {
  if (url === undefined) return undefined
  const { redisStore } = await import('@causeway/engine/redis')
  try {
    const store = await redisStore(url, { prefix, log })
    if (!store.reachable) log('warn', 'the store cannot be reached yet', { store: store.shown })
    return store
  } catch (error) {
    throw new UsageError(`--store: ${error instanceof Error ? error.message : String(error)}`, 4)
  }
}
