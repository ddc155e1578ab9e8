import { watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'

const SETTLE_MS = 100

/** Call back whenever one of some files changed. Their folders are watched, since editors put another file in the place of one. */
export function followFiles(files: readonly string[], changed: () => unknown): FSWatcher[] {
  let soon: NodeJS.Timeout | undefined
  return [...new Set(files.map(file => dirname(file)))].flatMap(folder => {
    const names = new Set(files.filter(file => dirname(file) === folder).map(file => basename(file)))
    return followFolder(folder, name => {
      // Kubernetes mounts a file as a link into a folder, and exchanges the folder.
      if (!names.has(name) && name !== '..data') return
      clearTimeout(soon)
      soon = setTimeout(() => void changed(), SETTLE_MS).unref()
    })
  })
}

/** Call back with the name of whatever changed in a folder. One that cannot be watched is not: SIGHUP has files read again. */
export function followFolder(folder: string, changed: (name: string) => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name !== null) changed(name)
    })
    return [watcher.on('error', () => {})]
  } catch {
    return []
  }
}
