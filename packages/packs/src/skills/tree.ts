import { lstat, readdir } from 'node:fs/promises'
import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import type { Held, Jail } from '../support/files/jail.ts'

/** A file below the folder of skills, before it is read. */
export interface TreeFile {
  /** Its path from the folder, segment by segment. */
  readonly segments: readonly string[]
  readonly size: number
  /** Another one means that the contents may be others. */
  readonly stamp: string
}

/** What stands in a folder of skills. */
export interface Tree {
  readonly files: readonly TreeFile[]
  /** The real paths of all folders, to be watched. */
  readonly folders: readonly string[]
  /** What cannot be taken, by where it is. */
  readonly problems: readonly TreeProblem[]
}

/** Something that makes every skill around it unusable. */
export interface TreeProblem {
  readonly segments: readonly string[]
  readonly why: string
}

const MOST_ENTRIES = 20_000
const DEEPEST = 16

interface Walking {
  readonly jail: Jail
  readonly files: TreeFile[]
  readonly folders: string[]
  readonly problems: TreeProblem[]
  left: number
}

/** Look at everything in a folder but what is hidden. Links that stay in the folder and lead to files are followed. */
export async function readTree(jail: Jail): Promise<Tree> {
  const walking: Walking = { jail, files: [], folders: [], problems: [], left: MOST_ENTRIES }
  await jail.inside({ path: '.', argument: 'skills' }, dir => walk(dir, [], walking))
  return walking
}

async function walk(dir: Held, segments: readonly string[], walking: Walking): Promise<void> {
  const { folders, problems } = walking
  folders.push(dir.path)
  const entries = (await readdir(dir.at(), { withFileTypes: true }))
    .filter(({ name }) => !name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const own = [...segments, entry.name]
    if (walking.left-- <= 0)
      return void problems.push({ segments, why: `has more than ${MOST_ENTRIES} entries around it` })
    try {
      await visit(entry, dir, own, walking)
    } catch (error) {
      problems.push({ segments: own, why: error instanceof Error ? error.message : String(error) })
    }
  }
}

async function visit(entry: Dirent, dir: Held, segments: readonly string[], walking: Walking): Promise<void> {
  if (entry.name.includes('\uFFFD')) throw new Error('has a name that is not UTF-8')
  if (entry.isDirectory()) {
    if (segments.length >= DEEPEST) throw new Error(`is more than ${DEEPEST} folders deep`)
    return dir.enter(entry.name, below => walk(below, segments, walking))
  }
  if (!entry.isFile() && !entry.isSymbolicLink()) throw new Error('is neither a file nor a folder')
  // A link that leads out throws here.
  const file = entry.isFile()
    ? await fileAt(dir.at(entry.name))
    : await walking.jail.at({ path: join(...segments), argument: 'link' }, place => fileAt(place.at))
  walking.files.push({ segments, ...file })
}

async function fileAt(at: string): Promise<Omit<TreeFile, 'segments'>> {
  const stats = await lstat(at, { bigint: true })
  if (!stats.isFile()) throw new Error('is a link that does not lead to a file')
  const { dev, ino, mtimeNs, ctimeNs } = stats
  return { size: Number(stats.size), stamp: [dev, ino, stats.size, mtimeNs, ctimeNs].join(' ') }
}
