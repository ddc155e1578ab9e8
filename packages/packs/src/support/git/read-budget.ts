import { setImmediate } from 'node:timers/promises'
import { turns } from '../threads/turns.ts'

/** How much may be read of one file, and who counts it. */
export interface ReadLimit {
  readonly most: number
  take?(bytes: number): Promise<void> | void
}

/** What reading one repository may cost, whatever its files say. */
export interface ReadBudget {
  /** A file of at most so many bytes, counted. */
  upTo(most: number): ReadLimit
  /** Count entries of folders and of lists; others are served now and then. */
  entries(count: number): Promise<void> | void
  /** Reading is over: another large repository may be read. */
  release(): void
}

/** The limits of a budget. */
export interface BudgetLimits {
  readonly bytes?: number
  readonly entries?: number
  readonly timeMs?: number
  readonly signal?: AbortSignal | undefined
}

// An index has about 100 bytes per file, so a million files fit.
const BYTES = 128 * 1024 * 1024
const ENTRIES = 500_000
const TIME_MS = 20_000
// Repositories with more are read one after the other: their memory is not needed several times at once.
const LARGE_BYTES = 16 * 1024 * 1024
const LARGE = 'large'
// Entries between two pauses.
const PAUSE = 2048
const inTurn = turns()

/** A budget for one copy of a repository. */
export function readBudget({
  bytes = BYTES,
  entries = ENTRIES,
  timeMs = TIME_MS,
  signal,
}: BudgetLimits = {}): ReadBudget {
  const used = { bytes: 0, entries: 0, pause: PAUSE }
  let deadline = performance.now() + timeMs
  const turn = largeTurn()
  const check = (): void => {
    signal?.throwIfAborted()
    if (used.bytes > bytes)
      throw new Error(`The git repository has more than ${bytes} bytes of refs, logs and index: run git gc in it`)
    if (used.entries > entries) throw new Error(`The git repository has more than ${entries} files: run git gc in it`)
    if (performance.now() > deadline)
      throw new Error(`Reading the git repository took more than ${timeMs / 1000} s: run git gc in it`)
  }
  const wait = async (): Promise<void> => {
    const from = performance.now()
    await turn.wait()
    deadline += performance.now() - from
    check()
  }
  return {
    upTo: most => ({
      most,
      take: count => {
        used.bytes += count
        check()
        return used.bytes > LARGE_BYTES ? wait() : undefined
      },
    }),
    entries: count => {
      used.entries += count
      check()
      if (used.entries < used.pause) return undefined
      used.pause = used.entries + PAUSE
      return setImmediate()
    },
    release: turn.release,
  }
}

/** The turn of a large repository: taken at the first wait, until it is released. */
function largeTurn(): { wait(): Promise<void>; release(): void } {
  let waiting: Promise<void> | undefined
  let release = (): void => {}
  const over = new Promise<void>(resolve => {
    release = resolve
  })
  return {
    wait: () =>
      (waiting ??= new Promise(resolve => {
        void inTurn(LARGE, () => {
          resolve()
          return over
        })
      })),
    release,
  }
}
