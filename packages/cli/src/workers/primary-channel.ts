import type { Lease } from '@causeway/engine/internal'
import type { FromWorker, Question, ToWorker, TokenQuestion } from './messages.ts'
import type { TokenSource } from './leased-rates.ts'

// The primary process does little: one that takes longer than this is stopped or gone.
const ANSWER_MS = 2000

/** A worker's end of the channel to the primary process. */
export class PrimaryChannel implements TokenSource {
  readonly #open = new Map<number, (value: unknown) => void>()
  #asked = 0

  /** Say something; a primary process that is gone hears nothing. */
  send(message: FromWorker): void {
    if (process.connected) process.send?.(message, undefined, {}, () => {})
  }

  /** The answer to a question; undefined where none came in time. */
  ask(question: Question): Promise<unknown> {
    const id = ++this.#asked
    return new Promise(resolve => {
      const late = setTimeout(() => this.answered(id, undefined), ANSWER_MS)
      this.#open.set(id, value => {
        clearTimeout(late)
        resolve(value)
      })
      this.send({ type: 'ask', id, question })
    })
  }

  answered(id: number, value: unknown): void {
    this.#open.get(id)?.(value)
    this.#open.delete(id)
  }

  async tokens(question: TokenQuestion): Promise<Lease> {
    // If calls cannot be counted, none is allowed.
    return ((await this.ask(question)) as Lease | undefined) ?? { tokens: 0, retryAfterMs: 1000 }
  }

  /** Keep a value for all workers unless there is one; the one that is kept. It throws if the value cannot be kept. */
  async once(key: string, value: string, ttlMs: number): Promise<string> {
    const kept = await this.ask({ about: 'once', key, value, ttlMs })
    if (typeof kept !== 'string')
      throw new Error('The primary process has no room for another value, or did not answer')
    return kept
  }

  give(tokens: readonly (readonly [string, number])[]): void {
    this.send({ type: 'give', tokens })
  }
}

/** Hear what the primary process says. */
export function listenToPrimary(listener: (message: ToWorker, handle: unknown) => void): void {
  process.on('message', (message: ToWorker, handle: unknown) => listener(message, handle))
}
