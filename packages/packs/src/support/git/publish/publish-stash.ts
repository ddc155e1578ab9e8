import { readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../../files/errno.ts'
import type { Jail } from '../../files/jail.ts'
import { quote } from '../../quote.ts'
import { locked } from './lock.ts'
import { readIn } from '../locate.ts'
import type { Location } from '../locate.ts'
import type { Snapshot } from '../snapshot.ts'

/** The ref whose log is the list of stashes. */
export const STASH = 'refs/stash'

const LOG_BYTES = 32 * 1024 * 1024
const PACKED_BYTES = 64 * 1024 * 1024

interface StashPublication {
  readonly jail: Jail
  readonly place: Location
  readonly before: Snapshot
}

/** Take over the list of stashes: unlike other logs it may lose entries, and the ref goes with the last one. */
export async function publishStash({ jail, place, before }: StashPublication): Promise<void> {
  const [ref, log] = [join(place.common, STASH), join(place.common, 'logs', STASH)]
  const fresh = await readFile(join(before.folder, 'logs', STASH)).catch(() => undefined)
  const known = await readIn(jail, log, { most: LOG_BYTES })
  if (!(fresh ?? known) || (fresh && known?.equals(fresh))) return
  const is = await refIn(before.folder)
  await locked(jail, ref, async lock => {
    const was = (await readIn(jail, ref, { most: 4096 }))?.toString()
    if (was !== before.refs.loose.get(STASH))
      throw new Error(`${quote(ref)} was changed by someone else meanwhile: try again`)
    if (fresh && fresh.length > 0) await locked(jail, log, own => own.replace(fresh))
    if (is !== undefined) return lock.replace(`${is}\n`)
    await unpack(jail, join(place.common, 'packed-refs'))
    for (const path of [ref, log]) await remove(jail, path)
  })
}

/** The commit that the ref names in the copy, be it a file of its own or a line among others. */
async function refIn(folder: string): Promise<string | undefined> {
  const loose = await readFile(join(folder, STASH), 'utf8').catch(() => undefined)
  if (loose !== undefined) return loose.trim()
  const packed = await readFile(join(folder, 'packed-refs'), 'utf8').catch(() => '')
  return new RegExp(`^([\\da-f]{40,64}) ${STASH}$`, 'm').exec(packed)?.[1]
}

/** Take the ref out of the file that refs are packed into. */
async function unpack(jail: Jail, path: string): Promise<void> {
  const line = new RegExp(`^[\\da-f]{40,64} ${STASH}\\n(?:\\^[\\da-f]+\\n)?`, 'm')
  const text = (await readIn(jail, path, { most: PACKED_BYTES }))?.toString('latin1') ?? ''
  if (!line.test(text)) return
  await locked(jail, path, async lock => {
    const now = (await readIn(jail, path, { most: PACKED_BYTES }))?.toString('latin1') ?? ''
    await lock.replace(Buffer.from(now.replace(line, ''), 'latin1'))
  })
}

const remove = (jail: Jail, path: string): Promise<void> =>
  jail
    .at({ path, link: true }, ({ at }) => unlink(at))
    .catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
