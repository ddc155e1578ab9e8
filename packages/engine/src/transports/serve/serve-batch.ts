import type { Awaitable, Link } from '../../call.ts'
import { fault } from '../../jsonrpc/errors.ts'
import { Malformed, failure, isRequest, toMessage } from '../../jsonrpc/message.ts'
import type { Message, Request, Response } from '../../jsonrpc/message.ts'
import { refuseBatch, refuseMember } from '../../protocol/batch.ts'
import { revisionOf } from '../../protocol/session.ts'
import { unreadable } from '../../errors/error-response.ts'
import type { Server } from '../../server.ts'
import { ScopeGate } from './scope-gate.ts'
import { serveMessage, serialize } from './serve-message.ts'
import { insufficientScope } from '../../auth/scopes.ts'
import { HeldBytes } from '../limits/byte-budget.ts'
import type { ByteBudget } from '../limits/byte-budget.ts'

// How many requests of a batch run at once.
const AT_ONCE = 16
// What the answers of one batch may be together, in characters.
const MOST_CHARACTERS = 32 * 1024 * 1024
// What a batch may hold without asking.
const FREE = 64 * 1024

/** How a batch is served. */
export interface BatchOptions {
  readonly budget?: ByteBudget | undefined
  /**
   * Decide for the whole whether its caller has the scopes, before anything of it runs; it throws `insufficient-scope`
   * otherwise. What this does is done with before that.
   */
  readonly onAllowed?: (() => Awaitable<unknown>) | undefined
}

/** The answers to a batch as JSON, one each; or a single text that refuses the whole. */
export function serveBatch(
  server: Server,
  batch: readonly unknown[],
  link: Link,
  options: BatchOptions = {},
): Awaitable<string | readonly string[]> {
  const error = refuseBatch(batch, server.batches ? undefined : revisionOf(link.session))
  if (error) return serialize(unreadable({ id: undefined, error }, link, server), server)
  return new Batch(server, link, options).run(batch)
}

/** Answers as one JSON text: nothing for none, an array for a batch. */
export function joined(answers: string | readonly string[]): string | undefined {
  if (typeof answers === 'string') return answers
  return answers.length === 0 ? undefined : `[${answers.join(',')}]`
}

/** One batch being answered: its requests run a few at a time, and what their answers hold is counted. */
class Batch {
  readonly #server: Server
  readonly #link: Link
  readonly #held: HeldBytes | undefined
  readonly #answers: (string | undefined)[] = []
  readonly #waiting: (readonly [number, Request])[] = []
  readonly #onAllowed: BatchOptions['onAllowed']
  readonly #notices: (() => void)[] = []
  #gate: ScopeGate | undefined
  #running = 0
  #characters = 0
  #finish: () => void = () => {}

  constructor(server: Server, link: Link, { budget, onAllowed }: BatchOptions) {
    this.#server = server
    this.#link = link
    this.#held = budget && new HeldBytes(budget, FREE)
    this.#onAllowed = onAllowed
  }

  run(batch: readonly unknown[]): Awaitable<readonly string[]> {
    const messages = batch.map(value => toMessage(value, this.#link.plainIds))
    if (this.#onAllowed) this.#gate = new ScopeGate(messages.filter(isServed).length, AT_ONCE, () => this.#allowed())
    for (const [i, message] of messages.entries()) {
      const refused = refuseMember(message)
      if (isServed(message)) this.#waiting.push([i, message])
      else if (!(message instanceof Malformed) && isRequest(message) && refused)
        this.#put(i, message, unreadable({ id: message.id, error: refused }, this.#link, this.#server))
      else if (message instanceof Malformed || !this.#gate) this.#take(i, batch[i])
      else this.#notices.push(() => this.#take(i, batch[i]))
      // Notifications and answers behind a request that runs are not kept waiting: it may be for them that it waits.
      this.#begin()
    }
    if (this.#running === 0) return this.#collect()
    return new Promise((resolve, reject) => {
      this.#finish = () => {
        try {
          resolve(this.#collect())
        } catch (error) {
          reject(error)
        }
      }
    })
  }

  /** All may run: what is no request comes first. */
  async #allowed(): Promise<void> {
    await this.#onAllowed?.()
    for (const take of this.#notices) take()
  }

  /** What is no request is done with at once. */
  #take(i: number, value: unknown): void {
    const answer = serveMessage(this.#server, value, this.#link)
    if (answer !== undefined && !(answer instanceof Promise)) this.#answers[i] = serialize(answer, this.#server)
  }

  #begin(): void {
    // At the gate all wait for each other, and it lets a few pass at a time.
    while (this.#gate || this.#running < AT_ONCE) {
      const [i, request] = this.#waiting.shift() ?? []
      if (i === undefined || request === undefined) return
      if (this.#characters > MOST_CHARACTERS) this.#put(i, request, tooLarge(request))
      else this.#run(i, request)
    }
  }

  #run(i: number, request: Request): void {
    const gated = this.#gate?.request(this.#link)
    const answer = this.#server.handle(request, gated?.link ?? this.#link)
    const put = (response: Response | undefined): void => {
      gated?.ended(response)
      this.#put(i, request, response)
    }
    if (!(answer instanceof Promise)) return put(answer)
    this.#running += 1
    void answer.then(response => {
      this.#running -= 1
      put(response)
      this.#begin()
      if (this.#running === 0) this.#finish()
    })
  }

  #put(i: number, request: Request, response: Response | undefined): void {
    if (!response) return
    const text = serialize(response, this.#server)
    this.#characters += text.length
    const fits = this.#characters <= MOST_CHARACTERS && this.#held?.set(this.#characters) !== false
    this.#answers[i] = fits ? text : serialize(tooLarge(request), this.#server)
  }

  #collect(): readonly string[] {
    this.#held?.release()
    if (this.#gate?.refused) throw insufficientScope(this.#gate.refused)
    return this.#answers.filter(answer => answer !== undefined)
  }
}

/** Is it a request that runs? */
const isServed = (message: Message | Malformed): message is Request =>
  !(message instanceof Malformed) && isRequest(message) && !refuseMember(message)

const tooLarge = ({ id }: Request): Response =>
  failure(
    id,
    fault('result-too-large', `The answers of this batch are more than ${MOST_CHARACTERS} characters together`, {
      hint: 'Send fewer requests at once.',
    }),
  )
