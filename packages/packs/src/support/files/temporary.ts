import { createHash, randomUUID } from 'node:crypto'
import { lstatSync, readFileSync, readdirSync, readlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from './errno.ts'

/** Names of files that are being written: whose they are can be read off them, so that what a crash left can be removed. */
const NAME = /^\.causeway-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{12}\.tmp$/
// Of another machine, container or boot we cannot tell whether the writer lives; no write takes this long.
const FOREIGN_MS = 24 * 60 * 60 * 1000

let known: string | undefined

/** Process ids mean something only since the last boot, and only in one container. */
function home(): string {
  known ??= createHash('sha256')
    .update(orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')))
    .update(orNothing(() => readlinkSync('/proc/self/ns/pid')))
    .digest('hex')
    .slice(0, 8)
  return known
}

function orNothing(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/** A name for a file that will be renamed when it is complete. */
export const temporaryName = (): string =>
  `.causeway-${home()}-${process.pid}-${randomUUID().replaceAll('-', '').slice(0, 12)}.tmp`

/** Could a file with this name be one that a process left behind? */
export const isTemporary = (name: string): boolean => NAME.test(name)

/** Remove the temporary file with this name if its writer is gone; the address is where it is. */
export function removeIfStale(name: string, address: string): boolean {
  const [, where, pid] = NAME.exec(name) ?? []
  if (pid === undefined || (where === home() && isAlive(Number(pid)))) return false
  try {
    const stats = lstatSync(address)
    if (!stats.isFile() || (where !== home() && Date.now() - stats.mtimeMs < FOREIGN_MS)) return false
    unlinkSync(address)
    return true
  } catch {
    // Somebody else was faster, or we may not.
    return false
  }
}

/** Remove what crashed processes left in one directory; whatever goes wrong, it can stay. */
export function sweepDirectory(path: string): void {
  try {
    for (const name of readdirSync(path)) if (isTemporary(name)) removeIfStale(name, join(path, name))
  } catch {
    // There is no such directory, or we may not read it.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}
