import { fault } from '@causeway/engine'
import type { Call, LogLevel, Params } from '@causeway/engine'
import { Connection, Subscriptions } from '@causeway/engine/client'
import type { ConnectionOptions, Reply, Target } from '@causeway/engine/client'
import type { ForwardedCall } from '../calls/forwarded-call.ts'

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** What is known of a server over all conversations. */
export interface Habits {
  /** Has it asked on a stream all calls share? From then on only one call at a time uses such a stream. */
  asks: boolean
}

/** One connection to a server, and the calls that are on it. */
export class Conversation {
  readonly key: string
  readonly connection: Connection
  readonly subscriptions: Subscriptions
  /** The calls on it; where questions cannot be told apart, it matters how many there are. */
  readonly calls: ForwardedCall[] = []
  usedAt: number = Date.now()
  /** Given to a call that has not come yet; nobody else may end it meanwhile. */
  isPromised = false
  readonly #habits: Habits
  #level: LogLevel | undefined

  private constructor(key: string, connection: Connection, habits: Habits) {
    this.key = key
    this.#habits = habits
    this.connection = connection
    this.subscriptions = new Subscriptions(connection)
  }

  static async open(
    { key, habits }: { key: string; habits: Habits },
    target: Target,
    options: Omit<ConnectionOptions, 'asked' | 'log'>,
  ): Promise<Conversation> {
    let conversation: Conversation | undefined
    const connection = await Connection.open(target, {
      ...options,
      onQuestion: (ask, reply) => conversation?.asked(ask, reply),
      onLog: params => conversation?.log(params),
      onNewSession: () => conversation?.subscriptions.renew(),
    })
    conversation = new Conversation(key, connection, habits)
    return conversation
  }

  /** Is there room for a call? */
  get isFree(): boolean {
    return this.calls.length === 0 || this.connection.bound || !this.#habits.asks
  }

  /** Is nothing going on, so that it can be ended? To listen for changes of lists is nothing. */
  get isIdle(): boolean {
    const listening = this.subscriptions.isListening ? 1 : 0
    if (this.isPromised) return false
    return this.calls.length === 0 && this.connection.inFlight <= listening && this.subscriptions.uris.size === 0
  }

  /** Servers of the stateful era are told once which log messages are wanted: the least that anybody wants. */
  wantLogs({ logLevel }: Call): void {
    if (logLevel === undefined || !this.connection.revision.traits.handshake) return
    if (this.#level !== undefined && LEVELS.indexOf(logLevel) >= LEVELS.indexOf(this.#level)) return
    this.#level = logLevel
    if (typeof this.connection.capabilities.logging !== 'object') return
    const ignore = (): void => {}
    this.connection.start(
      { method: 'logging/setLevel', params: { level: logLevel } },
      { onResult: ignore, onError: ignore },
    )
  }

  /** A question that came on a stream all calls share: whose it is, is certain only where there is one call. */
  asked(ask: Parameters<NonNullable<ConnectionOptions['onQuestion']>>[0], reply: Reply): (() => void) | undefined {
    this.#habits.asks = true
    const [only] = this.calls
    if (only && this.calls.length === 1) return only.onQuestion(ask, reply)
    const why = only ? 'several calls are running, and it cannot be told which of them asks' : 'no call is running'
    reply(fault('busy', `The question cannot be put to anybody: ${why}. Try again.`))
    return undefined
  }

  /** A call is over. Their order means nothing, so the last one takes its place. */
  remove(call: ForwardedCall): void {
    const at = this.calls.indexOf(call)
    const last = at < 0 ? undefined : this.calls.pop()
    if (last && at < this.calls.length) this.calls[at] = last
  }

  log(params: Params): void {
    const [only] = this.calls
    if (only && this.calls.length === 1) only.onLog(params)
  }

  async close(): Promise<void> {
    this.subscriptions.stop()
    await this.connection.close()
  }
}
