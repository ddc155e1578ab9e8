import type { Log } from '@causeway/engine'
import type { Config } from '../config/config.ts'
import type { ServedSource } from './served-source.ts'

/** The API and the scripts that the operator named; their code is loaded only then. */
export async function sourcesOf(config: Config, log: Log): Promise<ServedSource> {
  const { openapi, scripts } = config
  const found = [
    ...(openapi === undefined ? [] : [await (await import('./openapi.ts')).servedApi(openapi, config, log)]),
    ...(scripts.length === 0 ? [] : [await (await import('./scripts.ts')).servedScripts(config, log)]),
  ]
  return {
    tools: found.flatMap(({ tools }) => tools),
    mount: server => {
      for (const source of found) source.mount(server)
    },
  }
}
