import { Context, RpcError, fault } from '@causeway/engine'
import type { Ask, Awaitable, Call, LogLevel, Params, Result } from '@causeway/engine'
import { ERROR_META, checkAsk } from '@causeway/engine/client'
import type { InFlightRequest, RequestHandlers, Reply } from '@causeway/engine/client'
import type { Parkable, Parked } from './parked-calls.ts'

/** A request that is passed on. */
export interface Forwarding {
  readonly call: Call
  readonly parked: Parked<ForwardedCall>
  /** What became of it: called once, whichever way it ends. */
  over(): void
  /** What comes of a call whose connection broke before its server asked anything. */
  readonly broke?: ((broken: Broken) => Promise<Result>) | undefined
}

/** Why a connection broke, and whether the server can have begun to work on the call. */
export interface Broken {
  readonly why: Error
  readonly sent: boolean
}

interface Question {
  readonly key: string
  readonly ask: Ask
  readonly reply: Reply
}

interface Waiter {
  resolve(result: Awaitable<Result>): void
  reject(error: Error): void
}

/** What a client carries between rounds. */
export interface Ticket {
  readonly ticket: string
  readonly round: number
}

const MOST_LOGS = 50

/** A request on its way to a server, for as many rounds as its questions take; the server sees one request. */
export class ForwardedCall implements RequestHandlers, Parkable {
  readonly client: string
  readonly #parked: Parked<ForwardedCall>
  readonly #over: () => void
  readonly #broke: Forwarding['broke']
  #call: Call
  /** Only where the client wants to hear of progress. */
  onProgress?: (params: Params) => void
  #flight: InFlightRequest | undefined
  #questions: Question[] = []
  #asked = 0
  #round = 0
  #ticket: string | undefined
  #waiters: Waiter[] = []
  #outcome: { readonly result: Result } | { readonly error: Error } | undefined
  #logs: Params[] = []
  broken: Broken | undefined

  constructor({ call, parked, over, broke }: Forwarding) {
    this.client = clientOf(call)
    this.#call = call
    this.#parked = parked
    this.#over = over
    this.#broke = broke
    if (call.meta.progressToken !== undefined) this.onProgress = params => this.#progress(params)
  }

  /** The request it was last heard of with. */
  get call(): Call {
    return this.#call
  }

  get isOver(): boolean {
    return this.#outcome !== undefined
  }

  get isAwaited(): boolean {
    return this.#waiters.length > 0
  }

  /** Where it was sent. */
  set flight(flight: InFlightRequest) {
    this.#flight = flight
  }

  /** The next thing its client gets to know: the result, or what the server asks. */
  next(): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject }
      this.#waiters.push(waiter)
      this.#call.cancellation.watch(reason => this.#abandon(waiter, reason))
      this.#tell()
    })
  }

  /** The client came back, with answers to the questions of a round; the same round twice is the same round. */
  resume(call: Call, round: number): Promise<Result> {
    this.#call = call
    for (const log of this.#logs.splice(0)) this.onLog(log)
    if (round === this.#round) {
      const answered = this.#questions.filter(({ key }) => Object.hasOwn(call.answers, key))
      this.#questions = this.#questions.filter(question => !answered.includes(question))
      for (const { key, reply } of answered) reply(call.answers[key] as Result | RpcError)
    }
    return this.next()
  }

  onResult(result: Result): void {
    if (result.resultType === 'input_required') {
      const inputRequests = complete(result.inputRequests)
      this.#settle({ result: { ...result, inputRequests, requestState: { upstream: result.requestState } } })
    } else {
      const error = missingCapability(result)
      this.#settle(error ? { error } : { result })
    }
  }

  onError(error: Error, sent: boolean): void {
    if (!(error instanceof RpcError) && !this.#call.cancellation.cancelled) this.broken = { why: error, sent }
    this.#settle({ error })
  }

  onLog(params: Params): void {
    if (this.#waiters.length === 0 && this.#ticket !== undefined) {
      this.#logs.push(params)
      if (this.#logs.length > MOST_LOGS) this.#logs.shift()
    } else new Context(this.#call).log(params.level as LogLevel, params.data, params.logger as string | undefined)
  }

  onQuestion(ask: Ask, reply: Reply): (() => void) | undefined {
    const refusal = this.#outcome ? isOver() : refusalOf(ask, this.#call)
    if (refusal) {
      reply(refusal)
      return undefined
    }
    const question = { key: `q${++this.#asked}`, ask, reply }
    this.#questions.push(question)
    this.#round += 1
    // What is asked together is put together.
    queueMicrotask(() => this.#tell())
    return () => {
      this.#questions = this.#questions.filter(other => other !== question)
    }
  }

  expire(): void {
    this.#flight?.cancel(new Error('The client did not come back with its answer'))
  }

  #progress({ progress, message, total }: Params): void {
    const context = new Context(this.#call)
    context.progress(progress as number, message as string | undefined, total as number | undefined)
  }

  /** A client that gave up in the middle of a round; between rounds there is nobody to give up. */
  #abandon(waiter: Waiter, reason: Error): void {
    if (!this.#waiters.includes(waiter)) return
    this.#waiters = this.#waiters.filter(other => other !== waiter)
    // Its place among the calls that run is free only when it has ended.
    waiter.reject(reason)
    if (this.#waiters.length === 0) this.#flight?.cancel(reason)
  }

  #settle(outcome: { result: Result } | { error: Error }): void {
    if (this.#outcome) return
    this.#outcome = outcome
    this.#flight = undefined
    // Nobody will be asked any more: a server that waits for an answer hears so.
    for (const { reply } of this.#questions.splice(0)) reply(isOver())
    this.#over()
    if (this.#ticket !== undefined) this.#parked.settle(this.#ticket)
    this.#tell()
  }

  #tell(): void {
    if (this.#waiters.length === 0) return
    const outcome = this.#outcome
    if (outcome) {
      for (const { resolve, reject } of this.#waiters.splice(0)) {
        if ('result' in outcome) resolve(outcome.result)
        else if (this.broken && this.#broke && this.#ticket === undefined) resolve(this.#broke(this.broken))
        else reject(outcome.error)
      }
    } else if (this.#questions.length > 0) this.#ask()
  }

  #ask(): void {
    try {
      const ticket = (this.#ticket ??= this.#parked.park(this))
      const inputRequests = Object.fromEntries(this.#questions.map(({ key, ask }) => [key, ask]))
      const requestState: Ticket = { ticket, round: this.#round }
      const result = { resultType: 'input_required', inputRequests, requestState }
      for (const { resolve } of this.#waiters.splice(0)) resolve(result)
    } catch (error) {
      this.#flight?.cancel(error as Error)
    }
  }
}

const isOver = (): RpcError => fault('internal', 'The call that asked is over')

/** Who has to be kept apart: a principal, else a session, else a connection that cannot be told from others. */
export const clientOf = ({ link }: Call): string => link.principal?.name ?? link.session?.id ?? link.address ?? ''

/** Why this client cannot be asked that, if it cannot: the server hears so instead of waiting. */
function refusalOf(ask: Ask, { caller }: Call): RpcError | undefined {
  try {
    checkAsk(ask, caller)
    caller.revision.writeMessage(ask.method, ask.params)
    return undefined
  } catch (error) {
    return error instanceof RpcError ? error : fault('internal', 'The client cannot be asked that')
  }
}

/** What a call brings back from its last round, if it is one of ours. */
export const ticketOf = (carried: unknown): Ticket | undefined =>
  typeof carried === 'object' && carried !== null && 'ticket' in carried && typeof carried.ticket === 'string'
    ? (carried as Ticket)
    : undefined

/** What a server needs of its client, where it could only say so in words: clients that know a code for it get that. */
function missingCapability({ isError, _meta, content }: Result): RpcError | undefined {
  if (isError !== true || _meta === undefined) return undefined
  const { kind, data } = ((_meta as Params)[ERROR_META] ?? {}) as { kind?: unknown; data?: unknown }
  const [block] = Array.isArray(content) ? (content as Params[]) : []
  return kind === 'missing-capability' && typeof block?.text === 'string' ? fault(kind, block.text, data) : undefined
}

/** Questions that say nothing more than what they are may lack the place for it. */
function complete(asks: unknown): Params {
  const entries = typeof asks === 'object' && asks !== null ? Object.entries(asks) : []
  return Object.fromEntries(
    entries.map(([key, ask]: [string, unknown]) => {
      return [key, typeof ask === 'object' && ask !== null && !('params' in ask) ? { ...ask, params: {} } : ask]
    }),
  )
}
