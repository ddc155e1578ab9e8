import { overwrite } from './print.ts'

/** What `notifications/progress` says. */
export interface Progress {
  readonly progress?: unknown
  readonly total?: unknown
  readonly message?: unknown
}

/** A line of a terminal that shows how far something is. */
export interface ProgressLine {
  readonly isShown: boolean
  show(progress: Progress): void
  clear(): void
}

// What is over sooner needs no bar.
const QUIET_MS = 1000
const CELLS = 20
// A server may report more often than anyone can read.
const EVERY_MS = 100

interface ProgressTiming {
  readonly now?: () => number
  /** How long the work may take before the line appears. */
  readonly afterMs?: number
  /** How much time is between two drawings, at least. */
  readonly everyMs?: number
}

/** A line on standard error, where a person watches; it appears if the work takes longer than a second. */
export function progressLine(
  isWanted: boolean,
  { now = () => performance.now(), afterMs = QUIET_MS, everyMs = EVERY_MS }: ProgressTiming = {},
): ProgressLine {
  const began = now()
  let drawn = Number.NEGATIVE_INFINITY
  return {
    isShown: isWanted && process.stderr.isTTY,
    show(progress) {
      const at = now()
      if (at - began < afterMs || at - drawn < everyMs) return
      drawn = at
      overwrite(progressText(progress))
    },
    clear() {
      if (Number.isFinite(drawn)) overwrite('')
    },
  }
}

/** `[########------------]  40 % reading`, or without a bar where the total is not known. */
export function progressText({ progress, total, message }: Progress): string {
  const words = typeof message === 'string' ? message : ''
  const done = Number(progress)
  if (!Number.isFinite(done)) return words
  if (typeof total !== 'number' || !(total > 0)) return `${done} ${words}`.trimEnd()
  const share = Math.min(1, Math.max(0, done / total))
  const filled = Math.round(share * CELLS)
  const percent = `${Math.round(share * 100)}`.padStart(3)
  return `[${'#'.repeat(filled)}${'-'.repeat(CELLS - filled)}] ${percent} % ${words}`.trimEnd()
}
