import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { lstat, readdir, unlink } from 'node:fs/promises'
import { codeOf } from './errno.ts'

/** Names of files that are being written: whose they are can be read off them, so that what a crash left can be removed. */
const NAME = /^\.causeway-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{12}\.tmp$/
// Of another machine, container or boot we cannot tell whether the writer lives; nobody writes for this long.
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

/** Remove the temporary file with this name if whoever wrote it is gone; the address is where it is. */
export async function removeIfStale(name: string, address: string): Promise<boolean> {
  const [, where, pid] = NAME.exec(name) ?? []
  if (pid === undefined || (where === home() && isAlive(Number(pid)))) return false
  try {
    const stats = await lstat(address)
    if (!stats.isFile() || (where !== home() && Date.now() - stats.mtimeMs < FOREIGN_MS)) return false
    await unlink(address)
    return true
  } catch {
    // Somebody else was faster, or we may not.
    return false
  }
}

/** Remove what crashed processes left in one directory. */
export async function sweepDirectory(path: string): Promise<void> {
  const names = await readdir(path).catch(() => [])
  for (const name of names.filter(isTemporary)) await removeIfStale(name, `${path}/${name}`)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}
