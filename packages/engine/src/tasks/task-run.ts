import type { Awaitable, Call, Handle, TaskReport } from '../call.ts'
import { Cancellation, Cancelled } from '../jsonrpc/cancellation.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut } from '../jsonrpc/message.ts'
import type { Params, Result } from '../jsonrpc/message.ts'
import { asksOf } from '../protocol/asks.ts'
import { nextRound } from '../protocol/live-asks.ts'
import type { Ask } from '../wire.ts'
import { detachedLink } from './detached-link.ts'
import type { Detached, SessionEnds } from './detached-link.ts'

/** What a call came to. */
export type Outcome = { readonly result: Result } | { readonly error: unknown }

/** What a running task needs of those who keep it. */
export interface RunOwner {
  readonly sessionEnds: SessionEnds
  /** It says what it does. */
  reported(run: TaskRun): void
  /** Put questions to the client; resolves with the answers to all of them. */
  ask(run: TaskRun, asks: Readonly<Record<string, Ask>>): Promise<Params>
}

/** What runs as a task. */
export interface RunSetup {
  readonly call: Call
  readonly next: Handle
  readonly owner: RunOwner
  /** Did the client ask for it? */
  readonly isAskedFor: boolean
}

const LONGEST_MESSAGE = 500
const MOST_ROUNDS = 1000

/** A call that runs on its own: the client that began it can be gone. */
export class TaskRun implements TaskReport {
  readonly id: string
  readonly isAskedFor: boolean
  readonly cancellation: Cancellation = new Cancellation()
  /** What it said last. */
  message: string | undefined
  readonly #owner: RunOwner
  readonly #next: Handle
  readonly #detached: Detached
  readonly #keys = new Set<string>()
  readonly #reporting: Promise<void>
  #hasReported = false
  #onReport: () => void = () => {}
  #call: Call

  constructor(id: string, { call, next, owner, isAskedFor }: RunSetup) {
    this.id = id
    this.isAskedFor = isAskedFor
    this.#owner = owner
    this.#next = next
    this.#detached = detachedLink(call, id, owner.sessionEnds)
    this.#call = { ...call, link: this.#detached.link, cancellation: this.cancellation, task: this }
    this.#reporting = new Promise(resolve => (this.#onReport = resolve))
  }

  /** The call as it runs. */
  get call(): Call {
    return this.#call
  }

  /** Resolves when it says for the first time what it does. */
  get reporting(): Promise<void> {
    return this.#reporting
  }

  /** Did it say what it does? From then on, what it asks goes through the task. */
  get hasReported(): boolean {
    return this.#hasReported
  }

  report(message: string | undefined): void {
    this.#hasReported = true
    if (message !== undefined) this.message = cut(message, LONGEST_MESSAGE)
    this.#onReport()
    this.#owner.reported(this)
  }

  /** Run the handler once: its result may ask. */
  async once(): Promise<Outcome> {
    try {
      return { result: await this.#next(this.#call) }
    } catch (error) {
      return { error }
    }
  }

  /** From the first result on, until there is nothing more to ask. */
  async toEnd(first: Awaitable<Outcome>): Promise<Outcome> {
    let outcome = await first
    try {
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const asks = 'result' in outcome ? asksOf(outcome.result, this.#call.caller) : undefined
        if (!asks || !('result' in outcome)) return outcome
        const answers = await this.#ask(asks)
        this.#call = { ...this.#call, ...nextRound(this.#call, answers, outcome.result.requestState) }
        outcome = await this.once()
      }
      return { error: fault('internal', `Gave up after asking the client ${MOST_ROUNDS} times`) }
    } catch (error) {
      return { error }
    }
  }

  /** Give it up; the handler hears of it through its signal. */
  cancel(why: string): void {
    this.cancellation.cancel(new Cancelled(why))
  }

  /** Nothing runs any more. */
  end(): void {
    this.cancellation.finish()
    this.#detached.end()
  }

  /** A key is used once in the life of a task, whatever the handler calls its questions. */
  async #ask(asks: Readonly<Record<string, Ask>>): Promise<Params> {
    const own = Object.entries(asks).map(([key, ask]) => [key, this.#unique(key), ask] as const)
    const answers = await this.#owner.ask(this, Object.fromEntries(own.map(([, unique, ask]) => [unique, ask])))
    return Object.fromEntries(own.map(([key, unique]) => [key, answers[unique]]))
  }

  #unique(key: string): string {
    let unique = key
    for (let number = 2; this.#keys.has(unique); number++) unique = `${key}#${number}`
    this.#keys.add(unique)
    return unique
  }
}
