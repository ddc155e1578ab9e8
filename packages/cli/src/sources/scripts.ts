import type { Log, Mount, Pack, Server } from '@causeway/engine'
import { scripts } from '@causeway/packs/scripts'
import type { Scripts } from '@causeway/packs/scripts'
import type { Config } from '../config/config.ts'
import { UsageError } from '../config/usage-error.ts'
import { followFolder } from '../serve/follow-files.ts'
import { mayStay } from '../serve/wanted-features.ts'
import type { ServedSource } from './served-source.ts'

const SETTLE_MS = 100

/** The scripts of `--scripts` as tools, read again when something in their folders changes. */
export async function servedScripts(config: Config, log: Log): Promise<ServedSource> {
  const read = async (): Promise<Scripts> => {
    const found = await scripts({ folders: config.scripts, roots: config.root, environment: config.passEnv })
    for (const { where, why } of found.problems) log('warn', `skipped ${where}`, { problem: why })
    return found
  }
  const first = await read().catch((error: unknown) => {
    throw new UsageError(`--scripts cannot be served: ${wordsOf(error)}`)
  })
  const packOf = ({ tools }: Scripts): Pack => ({
    name: 'scripts',
    features: tools.filter(tool => mayStay(tool, config)),
  })
  const follow = (mount: Mount): void => {
    let soon: NodeJS.Timeout | undefined
    const again = async (): Promise<void> => {
      try {
        mount.replace(packOf(await read()))
        log('info', 'scripts were read again')
      } catch (error) {
        log('warn', 'scripts stay as they were', { problem: wordsOf(error) })
      }
    }
    const changed = (): void => {
      clearTimeout(soon)
      soon = setTimeout(() => void again(), SETTLE_MS).unref()
    }
    for (const folder of config.scripts) followFolder(folder, changed)
  }
  return { tools: first.tools.map(({ name }) => name), mount: server => follow(mounted(server, packOf(first))) }
}

function mounted(server: Server, pack: Pack): Mount {
  try {
    return server.mount(pack)
  } catch (error) {
    throw new UsageError(`--scripts cannot be served: ${wordsOf(error)}`)
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
