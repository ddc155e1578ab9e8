import type { CallRecord, LogRecord, Sample, WorkerSample } from './operator-records.ts'

/** What the feeds of several workers say to each other. */
export interface PeerMessage {
  /** A page is open at this worker: the others report to it. */
  readonly watching?: true
  /** A page was opened: the others report what they have. */
  readonly joined?: true
  /** These calls are older, and may be known. */
  readonly past?: true
  readonly calls?: readonly CallRecord[]
  readonly skipped?: number
  readonly logs?: readonly LogRecord[]
  readonly sample?: Sample
}

/** The way to the feeds of the other workers. */
export interface PeerLink {
  /** The name of this worker. */
  readonly worker: string
  /** Say something to one worker, or to all others. */
  send(message: PeerMessage, to?: string): void
}

// A worker that reports nothing for so long has ended, or is not watched any more.
const GONE_MS = 3500

/** What is known of the other workers. */
export class PeerFeeds {
  readonly #samples = new Map<string, Sample>()
  #watchedAt = -Infinity

  /** Is a page open at another worker? */
  get isWatched(): boolean {
    return performance.now() - this.#watchedAt < GONE_MS
  }

  /** Another worker is being watched. */
  watched(): void {
    this.#watchedAt = performance.now()
  }

  sampled(worker: string, sample: Sample): void {
    this.#samples.set(worker, sample)
  }

  /** The figures of all workers as one; the part of each is kept. */
  sum(worker: string, own: Sample): Sample {
    for (const [name, { at }] of this.#samples) if (own.at - at > GONE_MS) this.#samples.delete(name)
    const all = [[worker, own] as const, ...this.#samples]
    if (all.length === 1) return own
    const workers = all
      .map(([name, { calls, running, sessions, rss }]): WorkerSample => ({
        worker: name,
        calls,
        running,
        sessions,
        rss,
      }))
      .toSorted((a, b) => a.worker.localeCompare(b.worker, 'en', { numeric: true }))
    return { ...all.map(([, sample]) => sample).reduce(added), workers }
  }
}

/** Counts add up. Of the medians the mean is taken, by calls; of the slow calls the slowest. */
function added(a: Sample, b: Sample): Sample {
  const calls = a.calls + b.calls
  return {
    at: a.at,
    calls,
    errors: a.errors + b.errors,
    p50: calls === 0 ? 0 : (a.p50 * a.calls + b.p50 * b.calls) / calls,
    p95: Math.max(a.p95, b.p95),
    running: a.running + b.running,
    sessions: a.sessions + b.sessions,
    streams: a.streams + b.streams,
    rss: a.rss + b.rss,
  }
}
