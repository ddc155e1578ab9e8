import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from '../config/usage-error.ts'
import { withLockFile } from '../login/lock-file.ts'
import { connectTo } from './greeting.ts'
import type { DaemonIdentity } from './identity.ts'
import { removeOldLogs } from './place.ts'
import type { DaemonPlace } from './place.ts'

// A busy machine takes seconds to start a process. The lock is held longer.
const START_MS = 30_000
const SCRIPT = fileURLToPath(new URL('daemon.js', import.meta.url))
const LAST_WORDS = 2000

/** Start the daemon, unless another process does; it listens when this resolves, and serves soon after. */
export function startDaemon(place: DaemonPlace, identity: DaemonIdentity, script: string = SCRIPT): Promise<void> {
  return withLockFile(place.lock, async () => {
    const there = await connectTo(place.socket)
    there?.destroy()
    if (there) return
    // Left behind by one that was killed.
    if (process.platform !== 'win32') rmSync(place.socket, { force: true })
    removeOldLogs(dirname(place.lock))
    await listening(place, identity, script)
  })
}

function listening(place: DaemonPlace, { words, folder }: DaemonIdentity, script: string): Promise<void> {
  const log = openSync(place.log, 'a', 0o600)
  try {
    const child = spawn(process.execPath, [script, 'attach', ...words], {
      cwd: folder,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'ignore', log, 'ipc'],
      env: process.env,
    })
    return new Promise((done, failed) => {
      const give = (why: string): void =>
        failed(new UsageError(`The daemon could not start: ${why}${ending(place)}`, 1))
      const late = setTimeout(() => {
        child.kill('SIGKILL')
        give('it does not listen.')
      }, START_MS)
      const settle = (): void => {
        clearTimeout(late)
        child.removeAllListeners()
        child.unref()
      }
      child.once('message', () => {
        settle()
        child.disconnect()
        done()
      })
      child.once('error', error => {
        settle()
        give(error.message)
      })
      child.once('exit', code => {
        settle()
        give(`it ended with ${String(code)}.`)
      })
      child.send({ type: 'start', place }, () => {})
    })
  } finally {
    closeSync(log)
  }
}

/** What it said last. */
function ending({ log }: DaemonPlace): string {
  const text = readFileSync(log, 'utf8').slice(-LAST_WORDS).trim()
  return text === '' ? '' : `\n${text}`
}
