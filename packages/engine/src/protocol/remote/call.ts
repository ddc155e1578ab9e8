import type { Broken, OutgoingRequest, ParkedCall, Parking, RemoteLink, Ticket } from '../../client/remote.ts'
import type { RequestSink, ServerMessage } from '../../client/transports/transport.ts'
import { RpcError, fault } from '../../jsonrpc/errors.ts'
import { isRequest } from '../../jsonrpc/message.ts'
import type { Params, Request, Response, Result } from '../../jsonrpc/message.ts'
import type { Ask } from '../../wire.ts'
import { ticketIn } from './parked-calls.ts'

/** Answers a question of the server's: a refusal is an answer, too. */
export type AnswerQuestion = (answer: Result | RpcError) => void

/** The connection that a call was made on. */
export interface CallConnection {
  readonly parking: Parking
  onMessage(message: ServerMessage, call: RemoteCall): void
  onResponse(call: RemoteCall, response: Response): void
  onLost(call: RemoteCall, why: Error, sent: boolean): void
  /** End the call, and tell the server. */
  cancel(call: RemoteCall, why: Error): void
  /** The time the server has starts again. */
  restartClock(call: RemoteCall): void
}

interface Question {
  readonly key: string
  readonly ask: Ask
  readonly answer: AnswerQuestion
}

interface Waiter {
  readonly link: RemoteLink | undefined
  resolve(result: Result | Promise<Result>): void
  reject(error: Error): void
}

type Outcome = { readonly result: Result } | { readonly error: Error; readonly broken: Broken | undefined }

const MOST_LOGS = 50

/** One call of a server, for as many rounds as its live questions take; the server sees one request. */
export class RemoteCall implements RequestSink, ParkedCall {
  readonly request: OutgoingRequest
  /** As it was sent; another one after a new handshake. */
  sent: Request | undefined
  deadline: number = Infinity
  /** Does it wait for credentials? Meanwhile the server's time does not run. */
  isHeld = false
  /** Was a new session begun for it? */
  isRenewed = false
  readonly #connection: CallConnection
  #link: RemoteLink | undefined
  #waiters: Waiter[] = []
  #outcome: Outcome | undefined
  // Only of calls that ask:
  #questions: Question[] | undefined
  #logs: Params[] | undefined
  #ticket: string | undefined
  #round = 0

  constructor(request: OutgoingRequest, link: RemoteLink | undefined, connection: CallConnection) {
    this.request = request
    this.#link = link
    this.#connection = connection
  }

  /** That of the caller that waits, or waited last. */
  get link(): RemoteLink | undefined {
    return this.#link
  }

  get isOver(): boolean {
    return this.#outcome !== undefined
  }

  get isAwaited(): boolean {
    return this.#waiters.length > 0
  }

  /** Is a question open? Meanwhile the server's time does not run. */
  get isAsking(): boolean {
    return this.#questions !== undefined && this.#questions.length > 0
  }

  /** What comes next: the result, or what the server asks. */
  next(link: RemoteLink | undefined): Promise<Result> {
    this.#link = link
    return new Promise((resolve, reject) => {
      const waiter = { link, resolve, reject }
      this.#waiters.push(waiter)
      link?.cancellation?.watch(reason => this.#abandon(waiter, reason))
      this.#tell()
    })
  }

  resume({ answers = {}, state }: OutgoingRequest, link: RemoteLink): Promise<Result> {
    for (const params of this.#logs?.splice(0) ?? []) link.onLog?.(params)
    if (ticketIn(state)?.round === this.#round) {
      const given = (this.#questions ?? []).filter(({ key }) => Object.hasOwn(answers, key))
      this.#questions = this.#questions?.filter(question => !given.includes(question))
      for (const { key, answer } of given) answer(answers[key] as Result | RpcError)
      if (given.length > 0) this.#connection.restartClock(this)
    }
    return this.next(link)
  }

  /** The server asks; what is returned withdraws the question. */
  ask(ask: Ask, answer: AnswerQuestion): () => void {
    const refusal = this.isOver ? isOver() : this.#link?.refusal?.(ask)
    if (refusal) {
      answer(refusal)
      return () => {}
    }
    const question = { key: `q${++this.#round}`, ask, answer }
    this.#questions = [...(this.#questions ?? []), question]
    // Questions that come together are asked together.
    queueMicrotask(() => this.#tell())
    return () => {
      this.#questions = this.#questions?.filter(other => other !== question)
      this.#connection.restartClock(this)
      this.#link?.onWithdrawn?.(question.key)
    }
  }

  log(params: Params): void {
    if (this.#waiters.length > 0 || this.#ticket === undefined) return this.#link?.onLog?.(params)
    this.#logs ??= []
    this.#logs.push(params)
    if (this.#logs.length > MOST_LOGS) this.#logs.shift()
  }

  giveUp(why: Error): void {
    if (!this.isOver) this.#connection.cancel(this, why)
  }

  settle(result: Result): void {
    this.#end({ result })
  }

  fail(error: Error, sent: boolean): void {
    this.#end({ error, broken: error instanceof RpcError ? undefined : { why: error, sent } })
  }

  onMessage(message: ServerMessage): void {
    if (!this.#outcome || isRequest(message)) this.#connection.onMessage(message, this)
  }

  onResponse(response: Response): void {
    if (!this.#outcome) this.#connection.onResponse(this, response)
  }

  onHold(isHeld: boolean): void {
    this.isHeld = isHeld
    this.#connection.restartClock(this)
  }

  onLost(why: Error, sent: boolean): void {
    if (!this.#outcome) this.#connection.onLost(this, why, sent)
  }

  /** The waiting caller gives up. Between rounds there is none. */
  #abandon(waiter: Waiter, reason: Error): void {
    if (!this.#waiters.includes(waiter)) return
    this.#waiters = this.#waiters.filter(other => other !== waiter)
    waiter.reject(reason)
    if (this.#waiters.length === 0) this.giveUp(reason)
  }

  #end(outcome: Outcome): void {
    if (this.#outcome) return
    this.#outcome = outcome
    // A server that still waits for an answer has to know that there will be none.
    for (const { key, answer } of this.#questions?.splice(0) ?? []) {
      answer(isOver())
      this.#link?.onWithdrawn?.(key)
    }
    if (this.#ticket !== undefined) this.#connection.parking.settle(this.#ticket)
    this.#tell()
  }

  #tell(): void {
    if (this.#waiters.length === 0) return
    const outcome = this.#outcome
    if (!outcome) {
      if (this.isAsking) this.#park()
      return
    }
    const waiters = this.#waiters
    this.#waiters = []
    for (const { link, resolve, reject } of waiters) {
      if ('result' in outcome) resolve(outcome.result)
      else if (outcome.broken && link?.onBroken) resolve(link.onBroken(outcome.broken))
      else reject(outcome.error)
    }
  }

  /** The call waits until its questions are answered; its caller gets the questions. */
  #park(): void {
    try {
      const ticket = (this.#ticket ??= this.#connection.parking.park(this))
      const inputRequests = Object.fromEntries((this.#questions ?? []).map(({ key, ask }) => [key, ask]))
      const requestState: Ticket = { ticket, round: this.#round }
      for (const { resolve } of this.#waiters.splice(0)) {
        resolve({ resultType: 'input_required', inputRequests, requestState })
      }
    } catch (error) {
      this.giveUp(error as Error)
    }
  }
}

const isOver = (): RpcError => fault('internal', 'The call that asked is over')
