import { join, relative, sep } from 'node:path'
import type { Target } from './parse/file.ts'
import type { FoundFiles, Wanted } from './files.ts'
import type { Ask } from './inspect.ts'
import type { FileMetrics } from './measure/metrics.ts'
import type { Pool } from './pool.ts'

/** How a project is measured. */
export interface ProjectOptions extends Wanted {
  /** The real path of the directory that nothing leads out of; default: the one that is measured. */
  readonly top?: string
  readonly pool: Pool
  readonly signal: AbortSignal
  /** For whom it is measured. */
  readonly client: string
  /** What to find out about the files, instead of measuring them. */
  readonly ask?: Ask | undefined
  /** Nothing to measure is no error where files of other languages are named. */
  readonly mayBeEmpty?: boolean
  /** Hears how many files are done, and of how many. */
  readonly progress?: (done: number, total: number) => void
}

const BATCH = 8

/** What was measured of a project, and how many files are in languages that no parser reads. */
export interface MeasuredProject {
  readonly files: FileMetrics[]
  readonly unread: FoundFiles['unread']
}

/** Measure every source file of a directory, in the order of their names. */
export async function measureProject(root: string, options: ProjectOptions): Promise<MeasuredProject> {
  const { pool, signal, client, top = root, languages, include, exclude, ask } = options
  const below = relative(top, root).split(sep).join('/')
  const found = await pool.find({ top, below, languages, include, exclude }, { signal, client })
  const { unread } = found
  if (found.files.length === 0) {
    if (options.mayBeEmpty && Object.keys(unread).length > 0) return { files: [], unread }
    throw new Error(nothing(root, found, options))
  }
  const targets = found.files.map(file => ({ path: join(root, file), top, file: `./${file}`, ask }))
  return { files: await measureFiles(targets, options), unread }
}

/** Measure some files, in the order of their names. */
export async function measureFiles(
  targets: readonly Target[],
  { pool, signal, client, progress }: Pick<ProjectOptions, 'pool' | 'signal' | 'client' | 'progress'>,
): Promise<FileMetrics[]> {
  const measured: FileMetrics[] = []
  let begun = 0
  let done = 0
  // Each loop asks for one batch at a time, so that another call's batches get their turn in between.
  const takeBatches = async (): Promise<void> => {
    while (begun < targets.length) {
      const batch = targets.slice(begun, begun + BATCH)
      begun += batch.length
      measured.push(...(await pool.run(batch, { signal, client })))
      done += batch.length
      progress?.(done, targets.length)
    }
  }
  await Promise.all(Array.from({ length: pool.size }, takeBatches))
  return measured.sort((a, b) => (a.file < b.file ? -1 : 1))
}

/** Nothing to measure is an error, and says where everything went. */
function nothing(
  root: string,
  { ignored, excluded, others, unread }: FoundFiles,
  { languages, include }: Wanted,
): string {
  const what = languages ? `No ${languages.join(' or ')} files` : 'No source files'
  const kinds = Object.entries(unread).map(([language, count]) => `${count} ${language}`)
  const why = [
    ...(kinds.length > 0 ? [`${kinds.join(', ')} that no parser here reads`] : []),
    ...(others > 0 ? [`${others} of other kinds`] : []),
    ...(ignored > 0 ? [`${ignored} ignored by .gitignore`] : []),
    ...(excluded > 0 ? [`${excluded} left out by ${include ? 'include and exclude' : 'exclude'}`] : []),
  ]
  return `${what} to analyse in ${root}: 0 files analysed (${why.length > 0 ? `found ${why.join(', ')}` : 'it has no files'})`
}
