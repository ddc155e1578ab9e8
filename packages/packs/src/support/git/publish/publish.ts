import { constants } from 'node:fs'
import { copyFile, lstat, open, readFile, readdir, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Jail } from '../../files/jail.ts'
import { quote } from '../../quote.ts'
import { unassume } from '../index-file.ts'
import { dropRef, remove } from './drop-ref.ts'
import { locked } from './lock.ts'
import type { Lock } from './lock.ts'
import { readIn } from '../locate.ts'
import type { Location } from '../locate.ts'
import { STASH, publishStash } from './publish-stash.ts'
import type { Snapshot } from '../snapshot.ts'

const { O_WRONLY, O_APPEND, O_CREAT } = constants
const PLAIN = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const OBJECT = /^(?:[\da-f]{2}\/[\da-f]{38,62}|pack\/pack-[\da-f]{40,64}\.(?:pack|rev|mtimes|idx))$/
const AT_ONCE = 8
const REF_BYTES = 4096

/** A repository, its private copy, and what is needed to change the one as the other was. */
export interface Publication {
  readonly jail: Jail
  readonly place: Location
  readonly before: Snapshot
  /** On its index; a bare repository has none. */
  readonly lock: Lock | undefined
  /** Was the list of stashes copied, so that it may have changed? */
  readonly stashes: boolean
  /** Refs that may be gone. */
  readonly deletes: readonly string[]
}

/**
 * Take over what git did in the private copy: new objects first, what refers to them last. Everything is written by
 * us, to places that are walked to without following links out of the roots.
 */
export async function publish(publication: Publication): Promise<void> {
  const { jail, place, before } = publication
  await publishObjects(publication)
  const refs = (await namesBelow(join(before.folder, 'refs'), 'refs')).filter(name => name !== STASH)
  const head = await readFile(join(before.folder, 'HEAD'), 'utf8')
  for (const name of ['HEAD', ...refs]) await publishLog(publication, name)
  for (const name of refs) await publishRef(publication, name)
  if (publication.stashes) await publishStash(publication)
  if (head !== before.head) await replaceRef(jail, join(place.gitDir, 'HEAD'), { was: before.head, is: head })
  for (const name of publication.deletes) await dropRef({ jail, place, refs: before.refs, folder: before.folder }, name)
  await publishState(publication)
  await publishIndex(publication)
  for (const name of before.state.keys()) {
    if (!(await isThere(join(before.folder, name)))) await remove(jail, join(place.gitDir, name))
  }
}

// What says that a merge, a cherry-pick or a revert is not finished.
const STATE = ['MERGE_HEAD', 'MERGE_MODE', 'MERGE_MSG', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'AUTO_MERGE']

/** What git wrote down of an operation that it could not finish. */
async function publishState({ jail, place, before }: Publication): Promise<void> {
  for (const name of STATE) {
    const is = await readFile(join(before.folder, name)).catch(() => undefined)
    if (!is || before.state.get(name)?.equals(is)) continue
    await locked(jail, join(place.gitDir, name), lock => lock.replace(is))
  }
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Regular files below a folder of ours. */
async function namesBelow(folder: string, prefix: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found = entries.map(async entry => {
    const name = `${prefix}/${entry.name}`
    return entry.isDirectory() ? namesBelow(join(folder, entry.name), name) : [name]
  })
  return (await Promise.all(found)).flat()
}

async function publishObjects({ jail, place, before }: Publication): Promise<void> {
  const source = join(before.folder, 'objects')
  const names = (await namesBelow(source, '.')).map(name => name.slice(2)).filter(name => OBJECT.test(name))
  // A pack is found by its index, so that comes last.
  const [late, early] = [names.filter(name => name.endsWith('.idx')), names.filter(name => !name.endsWith('.idx'))]
  for (const group of [early, late]) {
    for (let i = 0; i < group.length; i += AT_ONCE) {
      const some = group.slice(i, i + AT_ONCE)
      await Promise.all(some.map(name => publishObject(jail, join(source, name), join(place.common, 'objects', name))))
    }
  }
}

function publishObject(jail: Jail, source: string, path: string): Promise<void> {
  return jail.at({ path, make: true, link: true }, async target => {
    if (await isThere(target.at)) return
    const temporary = target.dir.at(`tmp_obj_${crypto.randomUUID()}`)
    try {
      await copyFile(source, temporary, constants.COPYFILE_EXCL)
      await flush(temporary)
      await rename(temporary, target.at)
    } catch (error) {
      await unlink(temporary).catch(() => {})
      throw error
    }
  })
}

async function flush(path: string): Promise<void> {
  const file = await open(path, constants.O_RDONLY | PLAIN)
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** What git wrote into the reflog of the copy is added to the repository's. */
async function publishLog({ jail, place, before }: Publication, ref: string): Promise<void> {
  const name = `logs/${ref}`
  const written = await readFile(join(before.folder, name)).catch(() => undefined)
  const fresh = written?.subarray(before.logs.get(name) ?? 0)
  if (!fresh || fresh.length === 0) return
  const path = join(ref === 'HEAD' ? place.gitDir : place.common, name)
  await jail.at({ path, make: true, link: true }, async log => {
    const file = await open(log.at, O_WRONLY | O_APPEND | O_CREAT | PLAIN, 0o666)
    try {
      const stats = await file.stat()
      // A second name of the file may be anywhere.
      if (!stats.isFile() || stats.nlink > 1) throw new Error(`${quote(log.path)} is no file of its own`)
      await file.writeFile(fresh)
    } finally {
      await file.close()
    }
  })
}

async function publishRef({ jail, place, before }: Publication, name: string): Promise<void> {
  const is = await readFile(join(before.folder, name), 'utf8')
  const was = before.refs.loose.get(name)
  if (is !== was) await replaceRef(jail, join(place.common, name), { was, is })
}

interface RefChange {
  readonly was: string | undefined
  readonly is: string
}

/** Replace a ref as git does, under a lock, if it still is what it was. */
const replaceRef = (jail: Jail, path: string, { was, is }: RefChange): Promise<void> =>
  locked(jail, path, async lock => {
    const now = (await readIn(jail, path, { most: REF_BYTES }).catch(unlessDirectory))?.toString()
    if (now !== was) throw new Error(`${quote(path)} was changed by someone else meanwhile: try again`)
    await lock.replace(is)
  })

/** An empty folder in a ref's place is no ref. */
function unlessDirectory(error: unknown): undefined {
  if (!(error instanceof Error) || !error.message.includes('directory')) throw error
}

async function publishIndex({ before, lock }: Publication): Promise<void> {
  if (!lock) return
  const path = join(before.folder, 'index')
  const index = await readFile(path).catch(() => undefined)
  if (!index) return
  unassume(index, before.hashBytes, before.assumed)
  if (before.index?.equals(index)) return
  const seconds = Math.floor((await stat(path)).mtimeMs / 1000)
  await lock.replace(index, seconds)
}
