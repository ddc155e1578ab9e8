import { opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { quote } from '../quote.ts'

// What git opens in a working tree by itself, without looking at what it is.
const OPENED_BY_GIT = new Set(['.gitignore', '.gitattributes', '.gitmodules', '.mailmap'])
// Git is seldom slower; looking through the tree earlier would cost every call time.
const SLOW_MS = 1500
const MOST_ENTRIES = 500_000

/**
 * Let git work in a working tree. If that takes longer than usual, look for a pipe or device in the place of a file that
 * git opens by itself, which would block it, and stop it with an error that names the file.
 */
export async function unlessBlocked<T>(
  top: string | undefined,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const blocked = new AbortController()
  const stop = signal ? AbortSignal.any([signal, blocked.signal]) : blocked.signal
  const over = new AbortController()
  const look = async (): Promise<void> => {
    const path = await blockingFile(top ?? '', over.signal)
    if (path !== undefined) blocked.abort(refusal(path))
  }
  const clock = top === undefined ? undefined : setTimeout(() => void look().catch(() => {}), SLOW_MS)
  try {
    return await work(stop)
  } finally {
    clearTimeout(clock)
    over.abort()
  }
}

const refusal = (path: string): Error =>
  new Error(`${quote(path)} is not a regular file, and git would never finish reading it: delete or replace it first.`)

/** The first of the files that git opens by itself which is a pipe, a socket, a device, or a link to one. */
async function blockingFile(top: string, over: AbortSignal): Promise<string | undefined> {
  const waiting = [top]
  let count = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const entries = await opendir(at, { bufferSize: 256 }).catch(() => [])
    for await (const entry of entries) {
      if (over.aborted || ++count > MOST_ENTRIES) return undefined
      const path = join(at, entry.name)
      if (entry.isDirectory() && entry.name !== '.git') waiting.push(path)
      if (OPENED_BY_GIT.has(entry.name) && !entry.isFile() && (await isBlocking(path))) return path
    }
  }
  return undefined
}

const isBlocking = (path: string): Promise<boolean> =>
  stat(path).then(
    stats => !stats.isFile() && !stats.isDirectory(),
    () => false,
  )
