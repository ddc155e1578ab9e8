import { Cancellation, RpcError, fault } from '@causeway/engine'
import type { Call, Link, LogLevel, Message, Params, Result, Store } from '@causeway/engine'
import type { ForwardedCall, Ticket } from './forwarded-call.ts'
import { nodeOf } from './parked-calls.ts'
import type { Parked } from './parked-calls.ts'

/** What of a store carries messages between processes. */
export type Peers = Pick<Store, 'node' | 'publish' | 'subscribe' | 'isAlive' | 'onReconnect'>

/** What another process needs to know of the request that brings the answers. */
interface Resumption {
  readonly ticket: string
  readonly round: number
  readonly answers: Params
  readonly meta: Params
  readonly logLevel: LogLevel | undefined
}

/** How a round ended. */
type Outcome =
  | { readonly result: Result }
  | { readonly error: Params }
  /** The connection to the server broke, and why. */
  | { readonly broken: string }
  | { readonly isGone: true }

type PeerMessage = { readonly from: string; readonly id: number } & (
  | { readonly kind: 'resume'; readonly resumption: Resumption }
  | { readonly kind: 'cancel'; readonly reason: string }
  | { readonly kind: 'sent'; readonly message: Message }
  | { readonly kind: 'over'; readonly outcome: Outcome }
)

/** A request that waits for another process. */
interface Waiting {
  readonly node: string
  readonly text: string
  readonly call: Call
  settle(outcome: Outcome): void
  fail(error: Error): void
}

/** What a request was told by the process that has its call: that it is gone, or that its server is. */
export class RelayBroken extends Error {
  override readonly name = 'RelayBroken'
}

const MOST_CHARACTERS = 1024 * 1024
const MOST_RUNNING = 1000
const LOOK_MS = 2000

/** Brings answers to calls that wait in other processes, and what becomes of these calls back. */
export class ParkedRelay {
  readonly #peers: Peers
  readonly #parked: Parked<ForwardedCall>
  readonly #waiting = new Map<number, Waiting>()
  readonly #running = new Map<string, Cancellation>()
  readonly #stops: (() => void)[] = []
  #looking: NodeJS.Timeout | undefined
  #last = 0

  constructor(peers: Peers, parked: Parked<ForwardedCall>) {
    this.#peers = peers
    this.#parked = parked
    const subscribed = peers.subscribe(channelOf(peers.node), text => this.#hear(text))
    this.#stops.push(
      () => void Promise.resolve(subscribed).then(stop => stop()),
      // What was said while the store was away is lost; the same answers twice are the same answers.
      peers.onReconnect(() => this.#sayAgain()),
    )
  }

  /** Go on with a call that waits in another process; undefined where that is not so. */
  resume(call: Call, { ticket, round }: Ticket): Promise<Result> | undefined {
    const node = nodeOf(ticket)
    if (node === '' || node === this.#peers.node) return undefined
    const id = ++this.#last
    const { answers, meta, logLevel } = call
    const resumption = { ticket, round, answers: writtenAnswers(answers), meta, logLevel }
    const text = this.#written({ kind: 'resume', id, resumption })
    if (text.length > MOST_CHARACTERS) {
      throw fault(
        'invalid-params',
        `The answers are too long to be brought to the process that asked: ${text.length} characters, at most ${MOST_CHARACTERS}`,
      )
    }
    return this.#ask(id, { node, text, call })
  }

  close(): void {
    clearInterval(this.#looking)
    for (const stop of this.#stops) stop()
    for (const { fail } of this.#waiting.values()) fail(new Error('The gateway is shutting down'))
  }

  #ask(id: number, asked: Omit<Waiting, 'settle' | 'fail'>): Promise<Result> {
    const { node, text, call } = asked
    this.#looking ??= setInterval(() => this.#lookAround(), LOOK_MS).unref()
    return new Promise<Result>((resolve, reject) => {
      const settle = (outcome: Outcome): void => {
        this.#waiting.delete(id)
        if ('result' in outcome) resolve(outcome.result)
        else reject(errorOf(outcome))
      }
      const fail = (error: Error): void => {
        this.#waiting.delete(id)
        reject(error)
      }
      this.#waiting.set(id, { ...asked, settle, fail })
      call.cancellation.watch(reason => {
        if (!this.#waiting.has(id)) return
        void this.#publish(node, this.#written({ kind: 'cancel', id, reason: reason.message })).catch(() => {})
        fail(reason)
      })
      this.#publish(node, text).then(
        receivers => receivers === 0 && fail(gone()),
        () => fail(unreachable()),
      )
    })
  }

  #sayAgain(): void {
    for (const { node, text } of this.#waiting.values()) void this.#publish(node, text).catch(() => {})
  }

  /** A process that ended without a word says nothing about its calls either. */
  #lookAround(): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#looking)
      this.#looking = undefined
    }
    for (const { node, fail } of this.#waiting.values()) {
      void Promise.resolve(this.#peers.isAlive(node)).then(
        isAlive => isAlive || fail(gone()),
        () => {},
      )
    }
  }

  #hear(text: string): void {
    const message = readMessage(text)
    if (message?.kind === 'resume') this.#run(message.from, message.id, message.resumption)
    else if (message?.kind === 'cancel') {
      this.#running.get(`${message.from} ${message.id}`)?.cancel(new Error(message.reason))
    } else if (message?.kind === 'sent') this.#waiting.get(message.id)?.call.link.send(message.message)
    else if (message?.kind === 'over') this.#waiting.get(message.id)?.settle(message.outcome)
  }

  /** Another process brings answers to a call that waits here. */
  #run(from: string, id: number, { ticket, round, answers, meta, logLevel }: Resumption): void {
    const key = `${from} ${id}`
    if (this.#running.has(key)) return
    const over = (outcome: Outcome): void => {
      this.#running.delete(key)
      void this.#publish(from, this.#written({ kind: 'over', id, outcome })).catch(() => {})
    }
    const waiting = this.#parked.find(ticket)
    if (!waiting) return over({ isGone: true })
    if (this.#running.size >= MOST_RUNNING) return over({ error: writtenError(fault('busy', 'Too many calls run.')) })
    const cancellation = new Cancellation()
    this.#running.set(key, cancellation)
    const send = (message: Message): void =>
      void this.#publish(from, this.#written({ kind: 'sent', id, message })).catch(() => {})
    const given = { answers: readAnswers(answers), meta, logLevel, cancellation }
    const call = { ...waiting.call, ...given, link: { ...waiting.call.link, send } as Link }
    waiting.resume(call, round).then(
      result => over({ result }),
      (error: Error) => over(waiting.broken ? { broken: waiting.broken.why.message } : { error: writtenError(error) }),
    )
  }

  async #publish(node: string, text: string): Promise<number> {
    return this.#peers.publish(channelOf(node), text)
  }

  #written(message: Unsigned<PeerMessage>): string {
    return JSON.stringify({ ...message, from: this.#peers.node })
  }
}

type Unsigned<T> = T extends unknown ? Omit<T, 'from'> : never

const channelOf = (node: string): string => `parked:${node}`

const gone = (): Error => new RelayBroken('the process that made the call is gone')

const unreachable = (): Error =>
  fault('busy', 'The call waits in another process, which cannot be reached now. Send the same request again.', {
    retryAfterMs: 1000,
  })

function errorOf(outcome: Exclude<Outcome, { result: Result }>): Error {
  if ('error' in outcome) return readError(outcome.error)
  if ('broken' in outcome) return new RelayBroken(outcome.broken)
  return fault('invalid-params', CALL_GONE)
}

/** What is said of a call that nobody knows any more. */
export const CALL_GONE = 'The call that asked is gone. Send the request again without requestState'

function writtenError(error: Error): Params {
  if (!(error instanceof RpcError)) return { message: error.message }
  const { code, message, data, kind, hint, subject } = error
  return { code, message, data, kind, hint, subject }
}

function readError({ code, message, data, ...options }: Params): Error {
  return typeof code === 'number' ? new RpcError(code, String(message), data, options) : new Error(String(message))
}

/** Answers may be refusals. */
const writtenAnswers = (answers: Call['answers']): Params =>
  Object.fromEntries(
    Object.entries(answers).map(([key, answer]) => [
      key,
      answer instanceof RpcError ? { error: writtenError(answer) } : { answer },
    ]),
  )

const readAnswers = (answers: Params): Params =>
  Object.fromEntries(
    Object.entries(answers).map(([key, value]) => {
      const { answer, error } = value as { answer?: unknown; error?: Params }
      return [key, error ? readError(error) : answer]
    }),
  )

function readMessage(text: string): PeerMessage | undefined {
  try {
    return JSON.parse(text) as PeerMessage
  } catch {
    return undefined
  }
}
