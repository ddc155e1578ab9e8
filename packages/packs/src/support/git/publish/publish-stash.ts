import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Jail } from '../../files/jail.ts'
import { quote } from '../../quote.ts'
import { refIn, remove, unpack } from './drop-ref.ts'
import { locked } from './lock.ts'
import { readIn } from '../locate.ts'
import type { Location } from '../locate.ts'
import type { Snapshot } from '../snapshot.ts'

/** The ref whose log is the list of stashes. */
export const STASH = 'refs/stash'

const LOG_BYTES = 32 * 1024 * 1024

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
  const is = await refIn(before.folder, STASH)
  await locked(jail, ref, async lock => {
    const was = (await readIn(jail, ref, { most: 4096 }))?.toString()
    if (was !== before.refs.loose.get(STASH))
      throw new Error(`${quote(ref)} was changed by someone else meanwhile: try again`)
    if (fresh && fresh.length > 0) await locked(jail, log, own => own.replace(fresh))
    if (is !== undefined) return lock.replace(`${is}\n`)
    await unpack(jail, join(place.common, 'packed-refs'), STASH)
    for (const path of [ref, log]) await remove(jail, path)
  })
}
