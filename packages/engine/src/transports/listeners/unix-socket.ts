import { once } from 'node:events'
import { lstat, unlink } from 'node:fs/promises'
import type { Server as Listener } from 'node:net'
import { connect } from 'node:net'

// What a socket that only its owner may use has no bits for.
const OWNER_ONLY = 0o177

// The system cuts longer paths off, and listens elsewhere. Not all take the last four bytes.
const LONGEST = process.platform === 'linux' ? 107 : 103

/** Listen on a Unix socket that only this user may connect to. One that a process left behind is replaced. */
export async function listenOnSocket(listener: Listener, path: string): Promise<void> {
  const bytes = Buffer.byteLength(path)
  if (bytes > LONGEST) throw inUse(`Its path has ${bytes} bytes; a socket may have ${LONGEST}`)
  await removeStale(path)
  const listening = once(listener, 'listening')
  // It is bound within the call, so no other file gets this mask.
  const mask = process.umask(OWNER_ONLY)
  try {
    listener.listen(path)
  } finally {
    process.umask(mask)
  }
  await listening
}

async function removeStale(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined)
  if (!stats) return
  if (!stats.isSocket()) throw inUse(`${path} exists and is not a socket`)
  if (await answers(path)) throw inUse(`Another process listens on ${path}`)
  await unlink(path)
}

/** An error like those of the system for an address that cannot be had. */
const inUse = (words: string): Error => Object.assign(new Error(words), { code: 'EADDRINUSE' })

function answers(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(path)
    const settle = (does: boolean): void => {
      socket.destroy()
      resolve(does)
    }
    socket.once('connect', () => settle(true))
    // Only a refusal says that no process listens; a full queue belongs to one that does.
    socket.once('error', ({ code }: NodeJS.ErrnoException) => settle(code !== 'ECONNREFUSED' && code !== 'ENOENT'))
  })
}
