import type { UndoJournal } from '../support/edits/undo-journal.ts'
import type { Jail } from '../support/files/jail.ts'
import type { InTurn } from '../support/threads/turns.ts'
import { inThisThread } from '../support/threads/thread.ts'
import { Threads } from '../support/threads/thread-pool.ts'
import type { ThreadPool } from '../support/threads/thread-pool.ts'

/** What the tools of the pack share. */
export interface Workspace {
  readonly jail: Jail
  /** What git may use: the same, and the repositories around the roots if the operator says so. */
  readonly gitJail: Jail
  /** Does work that would keep other calls waiting. */
  readonly threads: ThreadPool
  /** Bytes of text that an answer may have, as JSON. */
  readonly textBytes: number
  /** Tokens that the text of an answer may have. */
  readonly textTokens: number | undefined
  /** Read files whole where no lines are asked for. */
  readonly wholeFiles: boolean
  /** Longest a child process may run. */
  readonly timeMs: number | undefined
  /** Run git in a sandbox. */
  readonly sandbox?: boolean | undefined
  /** Paths in answers of git begin at the first root, as those of all other tools. */
  readonly plainPaths: boolean
  /** Names this process where several serve the same clients. */
  readonly processName?: string | undefined
  /** Variables that commands get in addition to the usual ones. */
  readonly environment: readonly string[]
  /** What was changed, so that it can be undone. */
  readonly journal: UndoJournal
  /** Work on one file at a time, so that no change is lost. */
  readonly inTurn: InTurn
}

/** Said where something is not known that another process may know. */
export const elsewhere = ({ processName }: Workspace, what: string): string =>
  processName === undefined
    ? ''
    : ` This is process '${processName}', one of several that serve here: ${what} are known to the process that started them.`

/** The property `path` of an input schema. */
export const pathOf = (what: string): { readonly type: 'string'; readonly description: string } => ({
  type: 'string',
  description: `${what}; relative paths begin at the first root`,
})

/** An argument that may be left out, or left empty. */
export const orRoot = (path: string | undefined): string => (path === undefined || path === '' ? '.' : path)

const pools = new Map<string, ThreadPool>()

/** Threads with the script beside the build, shared by all servers of a process; the sources have none, and do the work here. */
export function createThreads(script?: URL): ThreadPool {
  if (script === undefined && import.meta.url.endsWith('.ts'))
    return inThisThread(async () => (await import('./thread-jobs.ts')).JOBS)
  const { href } = script ?? new URL('./workstation-worker.js', import.meta.url)
  const pool = pools.get(href) ?? new Threads(new URL(href))
  pools.set(href, pool)
  return pool
}
