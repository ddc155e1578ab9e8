import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'

const SETTLE_MS = 100

/** Call back whenever a file changed, as long as the process runs. Its folder is watched, since editors put another file in the place of one. */
export function followFile(file: string, changed: () => void): void {
  let soon: NodeJS.Timeout | undefined
  try {
    watch(dirname(file), { persistent: false }, (_, name) => {
      // Kubernetes mounts a file as a link into a folder, and exchanges the folder.
      if (name !== basename(file) && name !== '..data') return
      clearTimeout(soon)
      soon = setTimeout(changed, SETTLE_MS).unref()
    }).on('error', () => {})
  } catch {
    // A folder that cannot be watched: SIGHUP has it read again.
  }
}
