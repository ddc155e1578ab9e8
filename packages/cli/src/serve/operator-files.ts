import { rotatedFiles } from '../observe/audit/files.ts'
import { auditFileOfSlot } from '../observe/audit/audit-log.ts'
import type { Config } from '../config/config.ts'
import { gatewayFolder, lockFileOf } from '../config/files/servers-file.ts'
import { keyFileOf } from '../login/open-credentials.ts'

/** The audit, what was and will be rotated of it, those of workers, and where its heads are kept. */
function auditFiles({ audit, anchor, workers }: Config): readonly string[] {
  if (audit === undefined || audit === 'stderr') return []
  const slots = workers === 1 ? [] : Array.from({ length: 2 * workers }, (_, i) => auditFileOfSlot(audit, i + 1))
  const all = [audit, ...slots].flatMap(file => [file, rotatedFiles(file)])
  return anchor === undefined || /^https?:/i.test(anchor) ? all : [...all, anchor]
}

/**
 * Files and folders that say what this server runs, whom it lets in and what it did. A root may hold them: a model that could
 * change the file of `--servers` could start any command.
 */
export function operatorFilesOf(config: Config): readonly string[] {
  const { configFile, servers, toolsDir, tokenFile, data, tlsCert, tlsKey, tlsClientCa, scripts, openapi } = config
  const lock = servers.length > 0 ? lockFileOf(servers) : undefined
  const named = [
    configFile,
    ...servers,
    lock,
    ...toolsDir,
    ...scripts,
    ...(openapi === undefined || /^https?:/i.test(openapi) ? [] : [openapi]),
    tokenFile,
    tlsCert,
    tlsKey,
    tlsClientCa,
    ...auditFiles(config),
  ]
  return [...named, keyFileOf(config), gatewayFolder(data)].filter(file => file !== undefined)
}
