import type { Awaitable } from '../../call.ts'
import { isObject } from '../../jsonrpc/message.ts'
import type { Params } from '../../jsonrpc/message.ts'
import type { Log } from '../../log/log.ts'
import type { Channels, Presence } from '../../stores/store.ts'
import { unref } from '../../support/unref.ts'

/** Deals with a message of one kind; what it returns goes back to a sender that asked. */
export type MessageHandler = (body: Params) => Params | void

interface ProcessMessage {
  readonly kind: string
  readonly body: Params
  readonly from: string
  /** Names the question, where an answer is wanted. */
  readonly ask?: number
}

const ALL = 'all'
const ANSWER = 'answer'
const ANSWER_MS = 1500

/** Messages between the processes that share a store: to one of them, or to all others. */
export class ProcessMessages {
  readonly #store: Channels & Presence
  readonly #log: Log
  readonly #handlers = new Map<string, MessageHandler>()
  readonly #waiting = new Map<number, (body: Params | undefined) => void>()
  readonly #subscriptions: Awaitable<() => void>[]
  #asked = 0

  constructor(store: Channels & Presence, log: Log) {
    this.#store = store
    this.#log = log
    const onMessage = (text: string): void => this.#onMessage(text)
    // A store that is not shared sends no messages.
    this.#subscriptions =
      store.processId === '' ? [] : [`to:${store.processId}`, ALL].map(name => store.subscribe(name, onMessage))
  }

  on(kind: string, handler: MessageHandler): void {
    this.#handlers.set(kind, handler)
  }

  /** Send to one process; false if it does not run. Fails where the store cannot be reached. */
  async send(processId: string, kind: string, body: Params): Promise<boolean> {
    return (await this.#publish(`to:${processId}`, { kind, body, from: this.#store.processId })) > 0
  }

  /** Send to every other process. */
  async broadcast(kind: string, body: Params): Promise<void> {
    await this.#publish(ALL, { kind, body, from: this.#store.processId })
  }

  /** Send to one process and wait for what it says; undefined if it does not run, or does not answer in time. */
  async request(processId: string, kind: string, body: Params): Promise<Params | undefined> {
    const ask = ++this.#asked
    const answer = new Promise<Params | undefined>(resolve => {
      this.#waiting.set(ask, resolve)
      unref(setTimeout(resolve, ANSWER_MS, undefined))
    })
    try {
      const receivers = await this.#publish(`to:${processId}`, { kind, body, from: this.#store.processId, ask })
      return receivers > 0 ? await answer : undefined
    } finally {
      this.#waiting.delete(ask)
    }
  }

  close(): void {
    for (const stop of this.#subscriptions) void Promise.resolve(stop).then(end => end())
  }

  async #publish(channel: string, message: ProcessMessage): Promise<number> {
    return this.#store.publish(channel, JSON.stringify(message))
  }

  #onMessage(text: string): void {
    const message = readMessage(text)
    if (!message || message.from === this.#store.processId) return
    if (message.kind === ANSWER) return this.#waiting.get(message.ask ?? 0)?.(message.body)
    void this.#handle(message).catch((error: unknown) => {
      this.#log('error', 'a message of another process failed', { kind: message.kind, error })
    })
  }

  async #handle({ kind, body, from, ask }: ProcessMessage): Promise<void> {
    const answer = this.#handlers.get(kind)?.(body)
    if (ask === undefined) return
    await this.#publish(`to:${from}`, { kind: ANSWER, body: answer ?? {}, from: this.#store.processId, ask })
  }
}

function readMessage(text: string): ProcessMessage | undefined {
  try {
    const message = JSON.parse(text) as unknown
    return isObject(message) && isObject(message.body) ? (message as unknown as ProcessMessage) : undefined
  } catch {
    return undefined
  }
}
