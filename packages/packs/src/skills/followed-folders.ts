import { watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename } from 'node:path'

const SETTLE_MS = 100
const MOST_FOLDERS = 2000

/** Calls back a little after something changed in one of some folders. A folder that cannot be watched is not. */
export class FollowedFolders {
  readonly #changed: () => unknown
  readonly #watchers = new Map<string, FSWatcher>()
  #soon: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(changed: () => unknown) {
    this.#changed = changed
  }

  /** Watch these folders, and no others. */
  follow(folders: readonly string[]): void {
    if (this.#isClosed) return
    const wanted = new Set(folders.slice(0, MOST_FOLDERS))
    for (const folder of this.#watchers.keys()) if (!wanted.has(folder)) this.#drop(folder)
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#watch(folder)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#soon)
    for (const folder of this.#watchers.keys()) this.#drop(folder)
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        // Its own name: it went away, and another folder may be in its place.
        if (event === 'rename' && name === basename(folder)) this.#drop(folder)
        this.#settle()
      })
      watcher.on('error', () => this.#drop(folder))
      this.#watchers.set(folder, watcher)
    } catch {
      // There are too many watches, or the folder is gone: refresh() looks again.
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }

  #settle(): void {
    if (this.#isClosed) return
    clearTimeout(this.#soon)
    this.#soon = setTimeout(() => void this.#changed(), SETTLE_MS).unref()
  }
}
