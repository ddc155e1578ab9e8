import { readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../../files/errno.ts'
import type { Jail } from '../../files/jail.ts'
import { quote } from '../../quote.ts'
import { locked } from './lock.ts'
import { readIn } from '../locate.ts'
import type { Location } from '../locate.ts'
import type { Refs } from '../refs.ts'

const REF_BYTES = 4096
const PACKED_BYTES = 64 * 1024 * 1024

interface Dropping {
  readonly jail: Jail
  readonly place: Location
  readonly refs: Refs
  /** The private copy, in which it is gone. */
  readonly folder: string
}

/** Delete a ref that git deleted in the copy, if it still is what it was; its log goes with it. */
export async function dropRef({ jail, place, refs, folder }: Dropping, name: string): Promise<void> {
  const was = refs.loose.get(name)
  const packed = refs.packed.find(line => line.endsWith(` ${name}`))
  if ((was ?? packed) === undefined || (await refIn(folder, name)) !== undefined) return
  const ref = join(place.common, name)
  await locked(jail, ref, async () => {
    const now = (await readIn(jail, ref, { most: REF_BYTES }))?.toString()
    if (now !== was) throw new Error(`${quote(ref)} was changed by someone else meanwhile: try again`)
    await unpack(jail, join(place.common, 'packed-refs'), name)
    for (const path of [ref, join(place.common, 'logs', name)]) await remove(jail, path)
  })
}

/** The commit that a ref names in the copy, be it a file of its own or a line among others. */
export async function refIn(folder: string, name: string): Promise<string | undefined> {
  const loose = await readFile(join(folder, name), 'utf8').catch(() => undefined)
  if (loose !== undefined) return loose.trim()
  const packed = await readFile(join(folder, 'packed-refs'), 'utf8').catch(() => '')
  return new RegExp(`^([\\da-f]{40,64}) ${literal(name)}$`, 'm').exec(packed)?.[1]
}

/** Take a ref out of the file that refs are packed into. */
export async function unpack(jail: Jail, path: string, name: string): Promise<void> {
  const line = new RegExp(
    `^[\\da-f]{40,64} ${literal(Buffer.from(name).toString('latin1'))}\\n(?:\\^[\\da-f]+\\n)?`,
    'm',
  )
  const text = (await readIn(jail, path, { most: PACKED_BYTES }))?.toString('latin1') ?? ''
  if (!line.test(text)) return
  await locked(jail, path, async lock => {
    const now = (await readIn(jail, path, { most: PACKED_BYTES }))?.toString('latin1') ?? ''
    await lock.replace(Buffer.from(now.replace(line, ''), 'latin1'))
  })
}

/** Remove a file of a repository, unless it is gone. */
export const remove = (jail: Jail, path: string): Promise<void> =>
  jail
    .at({ path, link: true }, ({ at }) => unlink(at))
    .catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
