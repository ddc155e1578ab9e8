import type { Awaitable, Link } from '../../call.ts'
import { fault } from '../../jsonrpc/errors.ts'
import { Malformed, failure, isRequest, toMessage } from '../../jsonrpc/message.ts'
import type { Request, Response } from '../../jsonrpc/message.ts'
import { refuseBatch, refuseMember } from '../../protocol/batch.ts'
import { revisionOf } from '../../protocol/session.ts'
import { unreadable } from '../../errors/error-response.ts'
import type { Server } from '../../server.ts'
import { serveMessage, serialize } from './serve-message.ts'
import { HeldBytes } from '../limits/byte-budget.ts'
import type { ByteBudget } from '../limits/byte-budget.ts'

// How many requests of a batch run at once.
const AT_ONCE = 16
// What the answers of one batch may be together, in characters.
const MOST_CHARACTERS = 32 * 1024 * 1024
// What a batch may hold without asking.
const FREE = 64 * 1024

/** The answers to a batch as JSON, one each; or a single text that refuses the whole. */
export function serveBatch(
  server: Server,
  batch: readonly unknown[],
  link: Link,
  budget?: ByteBudget,
): Awaitable<string | readonly string[]> {
  const error = refuseBatch(batch, server.batches ? undefined : revisionOf(link.session))
  if (error) return serialize(unreadable({ id: undefined, error }, link, server), server)
  return new Batch(server, link, budget).run(batch)
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
  #running = 0
  #characters = 0
  #finish: () => void = () => {}

  constructor(server: Server, link: Link, budget: ByteBudget | undefined) {
    this.#server = server
    this.#link = link
    this.#held = budget && new HeldBytes(budget, FREE)
  }

  run(batch: readonly unknown[]): Awaitable<readonly string[]> {
    for (const [i, value] of batch.entries()) {
      const message = toMessage(value, this.#link.plainIds)
      const refused = refuseMember(message)
      if (message instanceof Malformed || !isRequest(message)) this.#take(i, value)
      else if (refused) this.#put(i, message, unreadable({ id: message.id, error: refused }, this.#link, this.#server))
      else this.#waiting.push([i, message])
      // Notifications and answers behind a request that runs are not kept waiting: it may be for them that it waits.
      this.#begin()
    }
    if (this.#running === 0) return this.#collect()
    return new Promise(resolve => (this.#finish = () => resolve(this.#collect())))
  }

  /** What is no request is done with at once. */
  #take(i: number, value: unknown): void {
    const answer = serveMessage(this.#server, value, this.#link)
    if (answer !== undefined && !(answer instanceof Promise)) this.#answers[i] = serialize(answer, this.#server)
  }

  #begin(): void {
    while (this.#running < AT_ONCE) {
      const [i, request] = this.#waiting.shift() ?? []
      if (i === undefined || request === undefined) return
      if (this.#characters > MOST_CHARACTERS) this.#put(i, request, tooLarge(request))
      else this.#run(i, request)
    }
  }

  #run(i: number, request: Request): void {
    const answer = this.#server.handle(request, this.#link)
    if (!(answer instanceof Promise)) return this.#put(i, request, answer)
    this.#running += 1
    void answer.then(response => {
      this.#running -= 1
      this.#put(i, request, response)
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
    return this.#answers.filter(answer => answer !== undefined)
  }
}

const tooLarge = ({ id }: Request): Response =>
  failure(
    id,
    fault('result-too-large', `The answers of this batch are more than ${MOST_CHARACTERS} characters together`, {
      hint: 'Send fewer requests at once.',
    }),
  )
