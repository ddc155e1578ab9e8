/** What was broken and mended, and when, so that clients know what may be lost, and a reader of the report why. */
export class FaultHistory {
  readonly #entries: { readonly at: number; readonly what: string; readonly processId: string }[] = []

  /** Something happened to a process, or to Redis where no process is named. */
  add(what: FaultEvent, processId = ''): void {
    this.#entries.push({ at: performance.now(), what, processId })
  }

  /** What happened from that moment on, in words. */
  since(moment: number): string[] {
    return this.#entries
      .filter(({ at }) => at >= moment)
      .map(({ at, what, processId }) => `${processId === '' ? 'Redis' : processId} ${what} ${secondsSince(moment, at)}`)
  }

  /**
   * May the events of a process be nowhere, of a call that began then? It ended before Redis was emptied, so that nobody
   * could write them again; or it was cut off from Redis for so long that it counted as gone.
   */
  mayHaveLost(processId: string, began: number): boolean {
    const recent = this.#entries.filter(({ at }) => at >= began)
    const ended = recent.findIndex(entry => entry.what === 'ended' && entry.processId === processId)
    if (ended >= 0 && recent.slice(ended).some(({ what }) => what === 'emptied')) return true
    // What was cut off before the call began may still be.
    const ofProcess = this.#entries.filter(entry => entry.processId === processId)
    const cut = ofProcess.findLast(({ what }) => what === 'cut off')
    const mended = ofProcess.findLast(({ what }) => what === 'mended')
    if (!cut) return false
    const until = mended && mended.at > cut.at ? mended.at : performance.now()
    return until > began && until - cut.at > COUNTS_AS_GONE_MS
  }
}

/** What can happen to a process, or to Redis. */
export type FaultEvent = 'ended' | 'started' | 'cut off' | 'mended' | 'emptied' | 'frozen' | 'thawed'

// A sign of life lasts four seconds, and the last one may be a second old.
const COUNTS_AS_GONE_MS = 3000

/** A moment, counted in seconds from another. */
export const secondsSince = (from: number, at: number = performance.now()): string =>
  `@${((at - from) / 1000).toFixed(1)}`
