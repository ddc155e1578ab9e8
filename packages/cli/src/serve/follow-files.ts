import { realpathSync, watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'

const SETTLE_MS = 100

/**
 * Call back whenever one of some files changed. Their folders are watched, since editors put another file in the place of
 * one; of a link, also the folder of the file that it leads to.
 */
export function followFiles(files: readonly string[], changed: () => unknown): Pick<FSWatcher, 'close'> {
  const watchers: FSWatcher[] = []
  const followed = new Set<string>()
  let soon: NodeJS.Timeout | undefined
  const settle = (): void => {
    clearTimeout(soon)
    soon = setTimeout(() => {
      // A link may lead elsewhere now.
      follow()
      void changed()
    }, SETTLE_MS).unref()
  }
  const follow = (): void => {
    const paths = placesOf(files)
    for (const folder of new Set(paths.map(path => dirname(path)))) {
      if (followed.has(folder) || followed.size === MOST_FOLDERS) continue
      followed.add(folder)
      // Kubernetes mounts a file as a link into a folder, and exchanges the folder.
      const isOurs = (name: string): boolean =>
        name === '..data' || placesOf(files).some(path => dirname(path) === folder && basename(path) === name)
      watchers.push(...followFolder(folder, name => void (isOurs(name) && settle())))
    }
  }
  follow()
  return {
    close() {
      clearTimeout(soon)
      for (const watcher of watchers) watcher.close()
    },
  }
}

// Should a link lead elsewhere again and again.
const MOST_FOLDERS = 100

/** The files, and what they lead to where they are links. */
const placesOf = (files: readonly string[]): readonly string[] => files.flatMap(file => [file, realPath(file)])

function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
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
