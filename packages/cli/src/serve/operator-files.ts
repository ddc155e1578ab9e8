import type { Config } from '../config/config.ts'
import { gatewayFolder, lockFileOf } from '../config/files/servers-file.ts'
import { keyFileOf } from '../login/open-credentials.ts'

/**
 * Files and folders that say what this server runs, whom it lets in and what it did. A root may hold them: a model that could
 * change the file of `--servers` could start any command.
 */
export function operatorFilesOf(config: Config): readonly string[] {
  const { configFile, servers, toolsDir, tokenFile, audit, data, tlsCert, tlsKey, tlsClientCa } = config
  const lock = servers.length > 0 ? lockFileOf(servers) : undefined
  const written = audit === 'stderr' ? undefined : audit
  const named = [configFile, ...servers, lock, ...toolsDir, tokenFile, tlsCert, tlsKey, tlsClientCa, written]
  return [...named, keyFileOf(config), gatewayFolder(data)].filter(file => file !== undefined)
}
