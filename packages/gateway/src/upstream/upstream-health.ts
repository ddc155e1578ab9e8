import type { Log } from '@causeway/engine'

/** How a server is, in figures and in the log: every failure, end, restart and recovery is one line. */
export class UpstreamHealth {
  readonly #server: string
  readonly #log: Log
  calls = 0
  /** Calls that failed because of the server's connection, and starts that failed. */
  failures = 0
  #starts = 0
  /** Why it cannot be used although a connection to it is open. */
  #unreachable: string | undefined
  #hasFailed = false
  /** How often it was left alone for a while. */
  pauses = 0

  constructor(server: string, log: Log) {
    this.#server = server
    this.#log = log
  }

  get restarts(): number {
    return Math.max(0, this.#starts - 1)
  }

  get unreachable(): string | undefined {
    return this.#unreachable
  }

  /** Its first connection is open. */
  onStarted(speaks: string): void {
    this.#starts += 1
    const details = { server: this.#server, speaks, restarts: this.restarts }
    if (this.#hasFailed) this.#log('info', 'a server works again', details)
    else if (this.#starts === 1) this.#log('debug', 'a server was started', details)
    else this.#log('info', 'a server was started again', details)
    this.#hasFailed = false
    this.#unreachable = undefined
  }

  /** It could not be started, or ended by itself. */
  onFailed(
    what: 'a server could not be started' | 'a server ended by itself',
    cause: string,
    retryAfterMs: number,
  ): void {
    this.failures += 1
    this.#hasFailed = true
    this.#log('error', what, { server: this.#server, cause, retryAfterMs: Math.ceil(retryAfterMs) })
  }

  /** A call could not reach it over a connection that is open, as HTTP has them. Said once, until one can again. */
  onUnreachable(cause: string): void {
    this.failures += 1
    if (this.#unreachable === undefined)
      this.#log('error', 'a server cannot be reached', { server: this.#server, cause })
    this.#unreachable = cause
  }

  /** Call after call failed: it is left alone for a while. */
  onOpened(failures: number, cause: string, retryAfterMs: number): void {
    this.pauses += 1
    const details = { server: this.#server, failures, cause, retryAfterMs: Math.ceil(retryAfterMs) }
    this.#log('error', 'calls to a server fail one after the other, so that it is left alone for a while', details)
  }

  /** A call was answered again after that. */
  onClosed(): void {
    this.#log('info', 'a server works again', { server: this.#server })
  }

  /** A call reached it. */
  onReached(): void {
    if (this.#unreachable === undefined) return
    this.#unreachable = undefined
    this.#log('info', 'a server works again', { server: this.#server })
  }
}
