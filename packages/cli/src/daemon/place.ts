import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../config/usage-error.ts'

/** Where one daemon is. */
export interface DaemonPlace {
  readonly id: string
  readonly socket: string
  readonly log: string
  /** Held while it is started. */
  readonly lock: string
}

// What fits into the address of a Unix socket on every system, the zero at its end included.
const LONGEST = 103
const ID = /^[\da-f]{16}$/

/** The folder of this user's daemons, which no other user may enter. */
export function daemonFolder(env: NodeJS.ProcessEnv = process.env): string {
  const isWindows = process.platform === 'win32'
  const state = isWindows ? env.LOCALAPPDATA : env.XDG_STATE_HOME
  const base = state || (isWindows ? homedir() : join(homedir(), '.local', 'state'))
  const wanted = join(base, 'causeway', 'daemons')
  const fits = isWindows || Buffer.byteLength(join(wanted, `${'0'.repeat(16)}.sock`)) <= LONGEST
  return ownFolder(fits ? wanted : join(tmpdir().length > 40 ? '/tmp' : tmpdir(), `causeway-${userInfo().uid}`))
}

/** Someone else's folder could hold someone else's daemon, which would read all that clients say. */
function ownFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stats = lstatSync(folder)
  const isOurs = process.platform === 'win32' || stats.uid === userInfo().uid
  if (!stats.isDirectory() || !isOurs)
    throw new UsageError(
      `${folder} is not a folder of your own: remove it, or name another one with XDG_STATE_HOME.`,
      5,
    )
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) chmodSync(folder, 0o700)
  return folder
}

/** Where the daemon of that id is. */
export const placeOf = (folder: string, id: string): DaemonPlace => ({
  id,
  socket:
    process.platform === 'win32' ? `\\\\.\\pipe\\causeway-${userInfo().username}-${id}` : join(folder, `${id}.sock`),
  log: join(folder, `${id}.log`),
  lock: join(folder, `${id}.lock`),
})

/** The daemons that were started and have a log. */
export const knownPlaces = (folder: string): readonly DaemonPlace[] =>
  readdirSync(folder)
    .filter(name => name.endsWith('.log') && ID.test(name.slice(0, -4)))
    .map(name => placeOf(folder, name.slice(0, -4)))

const KEPT_MS = 7 * 24 * 60 * 60_000

/** Remove logs that were not written to for a week. */
export function removeOldLogs(folder: string): void {
  for (const { log } of knownPlaces(folder)) {
    const age = Date.now() - (statSync(log, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > KEPT_MS) for (const file of [log, `${log}.1`]) rmSync(file, { force: true })
  }
}
