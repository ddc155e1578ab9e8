import { constants } from 'node:fs'
import { access, lstat, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Jail } from './jail.ts'

/** How the name of every private folder begins. */
export const PRIVATE_PREFIX = 'causeway-private-'

const swept = new Map<string, Promise<void>>()

/** What a folder is for: little, which is best kept in memory, or as much as there is. */
export type Extent = 'small' | 'any'

/** Work in a folder that only this user can enter, outside of every root, and gone afterwards. */
export async function inPrivateFolder<T>(jail: Jail, extent: Extent, work: (path: string) => Promise<T>): Promise<T> {
  const base = await baseFor(jail, extent)
  const sweeping = swept.get(base) ?? removeStale(base)
  swept.set(base, sweeping)
  await sweeping
  // Made with mode 0700.
  const path = await mkdtemp(join(base, `${PRIVATE_PREFIX}${process.pid}-`))
  try {
    return await work(path)
  } finally {
    await rm(path, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Where the whole machine is a root there is no place outside; the file tools refuse our folders by their name too. */
async function baseFor(jail: Jail, extent: Extent): Promise<string> {
  const memory = ['/dev/shm', process.env.XDG_RUNTIME_DIR]
  const disk = [tmpdir(), '/var/tmp', homedir()]
  for (const place of extent === 'small' ? [...memory, ...disk] : [...disk, ...memory]) {
    const real = place === undefined ? undefined : await usable(place)
    if (real !== undefined && !jail.holds(real)) return real
  }
  return realpath(tmpdir())
}

const usable = (place: string): Promise<string | undefined> =>
  access(place, constants.W_OK).then(
    () => realpath(place),
    () => undefined,
  )

/** A process that was killed leaves its folders behind: remove those of this user whose process is gone. */
async function removeStale(base: string): Promise<void> {
  const names = await readdir(base).catch(() => [])
  for (const name of names) {
    const pid = new RegExp(`^${PRIVATE_PREFIX}(\\d+)-`).exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    const stats = await lstat(join(base, name)).catch(() => undefined)
    if (!stats?.isDirectory() || stats.uid !== (process.getuid?.() ?? stats.uid)) continue
    await rm(join(base, name), { recursive: true, force: true }).catch(() => {})
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
