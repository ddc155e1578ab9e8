import { Cancellation, RpcError, fault } from '@causeway/engine'
import type { Params, Result } from '@causeway/engine'
import type { Channels, Presence } from '@causeway/engine/stores'
import { callGone, processIdOf } from '@causeway/engine/client'
import type { OutgoingRequest, ParkedCall, RemoteLink, Ticket } from '@causeway/engine/client'

/** What of a store carries messages between processes. */
export type Peers = Channels & Presence

/** What another process needs to know of the request that brings the answers. */
interface Resumption {
  readonly state: Ticket
  readonly answers: Params
  readonly wantsProgress: boolean
  readonly wantsLog: boolean
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
  | { readonly kind: 'progress'; readonly params: Params }
  | { readonly kind: 'log'; readonly params: Params }
  | { readonly kind: 'over'; readonly outcome: Outcome }
)

type Unsigned<T> = T extends unknown ? Omit<T, 'from'> : never

/** A request that waits for another process. */
interface Waiting {
  readonly processId: string
  readonly text: string
  readonly link: RemoteLink
  settle(outcome: Outcome): void
  fail(error: Error): void
}

const MOST_CHARACTERS = 1024 * 1024
const MOST_RUNNING = 1000
const CHECK_MS = 2000

/** Brings answers to calls that are parked in other processes, and their outcome back. */
export class ParkedRelay {
  readonly #peers: Peers
  readonly #find: (ticket: string) => ParkedCall | undefined
  readonly #waiting = new Map<number, Waiting>()
  readonly #running = new Map<string, Cancellation>()
  readonly #stops: (() => void)[] = []
  #checking: NodeJS.Timeout | undefined
  #last = 0

  constructor(peers: Peers, find: (ticket: string) => ParkedCall | undefined) {
    this.#peers = peers
    this.#find = find
    const subscribed = peers.subscribe(channelOf(peers.processId), text => this.#onMessage(text))
    this.#stops.push(
      () => void Promise.resolve(subscribed).then(stop => stop()),
      // What was sent while the store was away is lost. The same answers twice are the same answers.
      peers.onReconnect(() => this.#sendAgain()),
    )
  }

  /** Go on with a call that is parked in another process; undefined where the ticket names none. */
  resume(state: Ticket, { answers = {} }: OutgoingRequest, link: RemoteLink): Promise<Result> | undefined {
    const processId = processIdOf(state.ticket)
    if (processId === '' || processId === this.#peers.processId) return undefined
    const id = ++this.#last
    const wants = { wantsProgress: link.onProgress !== undefined, wantsLog: link.onLog !== undefined }
    const text = this.#written({ kind: 'resume', id, resumption: { state, answers: writeAnswers(answers), ...wants } })
    if (text.length > MOST_CHARACTERS) {
      const words = `The answers are too long to send to the process that asked: ${text.length} characters, at most ${MOST_CHARACTERS}`
      throw fault('invalid-params', words)
    }
    return this.#send(id, { processId, text, link })
  }

  close(): void {
    clearInterval(this.#checking)
    for (const stop of this.#stops) stop()
    for (const { fail } of this.#waiting.values()) fail(new Error('The gateway is shutting down'))
  }

  #send(id: number, { processId, text, link }: Pick<Waiting, 'processId' | 'text' | 'link'>): Promise<Result> {
    this.#checking ??= setInterval(() => this.#checkPeers(), CHECK_MS).unref()
    return new Promise<Result>((resolve, reject) => {
      const fail = (error: Error): void => {
        this.#waiting.delete(id)
        reject(error)
      }
      const settle = (outcome: Outcome): void => {
        this.#waiting.delete(id)
        if ('result' in outcome) resolve(outcome.result)
        else if ('broken' in outcome && link.onBroken)
          resolve(link.onBroken({ why: new Error(outcome.broken), sent: true }))
        else reject('error' in outcome ? readError(outcome.error) : callGone())
      }
      this.#waiting.set(id, { processId, text, link, settle, fail })
      link.cancellation?.watch(reason => {
        if (!this.#waiting.has(id)) return
        this.#tell(processId, { kind: 'cancel', id, reason: reason.message })
        fail(reason)
      })
      this.#publish(processId, text).then(
        receivers => receivers === 0 && settle(GONE),
        () => fail(unreachable()),
      )
    })
  }

  #sendAgain(): void {
    for (const { processId, text } of this.#waiting.values()) this.#publish(processId, text).catch(() => {})
  }

  /** A process that was killed says nothing about its calls. */
  #checkPeers(): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#checking)
      this.#checking = undefined
    }
    for (const { processId, settle } of this.#waiting.values()) {
      void Promise.resolve(this.#peers.isAlive(processId)).then(
        isAlive => isAlive || settle(GONE),
        () => {},
      )
    }
  }

  #onMessage(text: string): void {
    const message = readMessage(text)
    if (message?.kind === 'resume') this.#run(message.from, message.id, message.resumption)
    else if (message?.kind === 'cancel')
      this.#running.get(`${message.from} ${message.id}`)?.cancel(new Error(message.reason))
    else if (message) this.#onOutcome(message)
  }

  /** What becomes of a call that this process has another one go on with. */
  #onOutcome(message: Exclude<PeerMessage, { kind: 'resume' | 'cancel' }>): void {
    const waiting = this.#waiting.get(message.id)
    if (message.kind === 'progress') waiting?.link.onProgress?.(message.params)
    else if (message.kind === 'log') waiting?.link.onLog?.(message.params)
    else waiting?.settle(message.outcome)
  }

  /** Another process brings answers to a call that is parked here. */
  #run(from: string, id: number, { state, answers, wantsProgress, wantsLog }: Resumption): void {
    const key = `${from} ${id}`
    if (this.#running.has(key)) return
    const over = (outcome: Outcome): void => {
      this.#running.delete(key)
      this.#tell(from, { kind: 'over', id, outcome })
    }
    const parked = this.#find(state.ticket)
    if (!parked) return over({ isGone: true })
    if (this.#running.size >= MOST_RUNNING) return over({ error: writeError(fault('busy', 'Too many calls run.')) })
    const cancellation = new Cancellation()
    this.#running.set(key, cancellation)
    const { link: first } = parked
    const send = (kind: 'progress' | 'log') => (params: Params) => this.#tell(from, { kind, id, params })
    const link: RemoteLink = {
      cancellation,
      client: first?.client,
      refusal: ask => first?.refusal?.(ask),
      onBroken: ({ why }) => Promise.reject(new ServerBroke(why.message)),
      ...(wantsProgress && { onProgress: send('progress') }),
      ...(wantsLog && { onLog: send('log') }),
    }
    parked.resume({ method: '', params: {}, answers: readAnswers(answers), state }, link).then(
      result => over({ result }),
      (error: Error) => over(error instanceof ServerBroke ? { broken: error.message } : { error: writeError(error) }),
    )
  }

  #tell(processId: string, message: Unsigned<PeerMessage>): void {
    this.#publish(processId, this.#written(message)).catch(() => {})
  }

  async #publish(processId: string, text: string): Promise<number> {
    return this.#peers.publish(channelOf(processId), text)
  }

  #written(message: Unsigned<PeerMessage>): string {
    return JSON.stringify({ ...message, from: this.#peers.processId })
  }
}

/** The connection to the server of a call broke. */
class ServerBroke extends Error {}

const GONE: Outcome = { broken: 'the process that made the call is gone' }

const channelOf = (processId: string): string => `parked:${processId}`

const unreachable = (): Error =>
  fault('busy', 'The call waits in another process, which cannot be reached now. Send the same request again.', {
    retryAfterMs: 1000,
  })

function writeError(error: Error): Params {
  if (!(error instanceof RpcError)) return { message: error.message }
  const { code, message, data, kind, hint, subject } = error
  return { code, message, data, kind, hint, subject }
}

function readError({ code, message, data, ...options }: Params): Error {
  return typeof code === 'number' ? new RpcError(code, String(message), data, options) : new Error(String(message))
}

/** Answers may be refusals. */
const writeAnswers = (answers: Readonly<Record<string, unknown>>): Params =>
  Object.fromEntries(
    Object.entries(answers).map(([key, answer]) => [
      key,
      answer instanceof RpcError ? { error: writeError(answer) } : { answer },
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
