import type { Span } from '../tracing/tracer.ts'

/** What all copies of one call share: whether it is still wanted, and what became of it so far. Its AbortSignal is made only for those who look at it. */
export class Cancellation {
  #reason: Error | undefined
  #controller: AbortController | undefined
  #watcher: ((reason: Error) => void) | undefined
  #finished = false
  /** Work that goes on although its result is no longer needed; it never rejects. */
  abandoned: Promise<unknown> | undefined
  /** The time it has, where that is limited: so much, and at most so much if its handler asks. */
  limit: { ms: number; readonly most: number } | undefined
  /** How long it waited for a place to run in. */
  waitedMs = 0
  /** Was anything sent before the answer? */
  hasSent = false
  /** The progress told last: a handler may be run several times for one request, and progress rises over all of them. */
  progress: number | undefined
  /** What was done to the arguments, as `results/repairs.ts` has it. */
  repairs: readonly unknown[] | undefined
  /** Who approved it, where a person was asked, as `rights/approval.ts` has it. */
  approvedBy: string | undefined
  /** The failure whose words are not the server's, as `results/data-writers.ts` has it. */
  writtenElsewhere: { readonly error: Error; readonly writer: string } | undefined
  /** Who wrote what the result holds, where its texts stay exact, as `untrusted/data-from.ts` has it. */
  writer: string | undefined
  /** Is the result made of bytes that a digest was published of? Then nothing in it is changed. */
  isVerbatim = false
  /** The server behind this one that works on it. */
  server: string | undefined
  /** Its span, where calls are traced, as `tracing/tracing.ts` has it. */
  span: Span | undefined
  /** Marks as data what others wrote and is sent before the result, as `untrusted/spotlight.ts` has it. */
  fence: ((value: unknown) => unknown) | undefined

  /** Is there nothing more to say, since it was answered or given up? */
  get over(): boolean {
    return this.#finished || this.#reason !== undefined
  }

  get cancelled(): boolean {
    return this.#reason !== undefined
  }

  get reason(): Error | undefined {
    return this.#reason
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#reason) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Notify the code that waits for the answer, or works on it, without the cost of a signal. */
  watch(watcher: (reason: Error) => void): void {
    const earlier = this.#watcher
    this.#watcher = earlier ? reason => (earlier(reason), watcher(reason)) : watcher
    if (this.#reason) watcher(this.#reason)
  }

  /** The request was answered. Listeners are removed: a table of calls may keep this alive for longer than the call. */
  finish(): void {
    this.#finished = true
    this.#watcher = undefined
  }

  /** Give the request up; the first reason stays. */
  cancel(reason: Error): void {
    if (this.#reason) return
    this.#reason = reason
    this.#controller?.abort(reason)
    this.#watcher?.(reason)
  }
}

/** The reason of a request that its sender, or the end of its connection, gave up. */
export class Cancelled extends Error {
  override readonly name = 'AbortError'
}

/** What becomes of work that can be given up. */
export interface WorkEnd<T, U> {
  /** May throw: then it is the error that counts. */
  onResult(result: T): U | Promise<U>
  onError(error: unknown): U
  /** It is no longer waited for. */
  onEnd(): void
}

/** What work comes to; undefined if its sender gave it up. A handler may ignore its signal; its caller does not have to wait for it. */
export function unlessCancelled<T, U>(
  work: Promise<T>,
  cancellation: Cancellation,
  { onResult, onError, onEnd }: WorkEnd<T, U>,
): Promise<U | undefined> {
  return new Promise(resolve => {
    const end = (outcome: U | Promise<U> | undefined): void => {
      cancellation.finish()
      onEnd()
      resolve(outcome)
    }
    const unlessGivenUp = (make: () => U | Promise<U>): void => {
      if (cancellation.reason instanceof Cancelled) return
      try {
        end(make())
      } catch (error) {
        end(onError(error))
      }
    }
    cancellation.watch(reason => {
      if (reason instanceof Cancelled) end(undefined)
    })
    work.then(
      result => unlessGivenUp(() => onResult(result)),
      (error: unknown) => unlessGivenUp(() => onError(error)),
    )
  })
}
