import { fault } from '@causeway/engine'
import type { Call, LogLevel, Params } from '@causeway/engine'
import { Connection, Subscriptions } from '@causeway/engine/client'
import type { ConnectionOptions, Reply, Target } from '@causeway/engine/client'
import type { ForwardedCall } from './flight.ts'

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** One connection to a server, and the calls that are on it. */
export class Conversation {
  readonly key: string
  readonly connection: Connection
  readonly subscriptions: Subscriptions
  /** The calls on it; where questions cannot be told apart, it matters how many there are. */
  readonly calls: Set<ForwardedCall> = new Set()
  /** Has the server asked something on it, so that only one call may use it at a time? */
  leased = false
  usedAt: number = Date.now()
  #level: LogLevel | undefined

  private constructor(key: string, connection: Connection) {
    this.key = key
    this.connection = connection
    this.subscriptions = new Subscriptions(connection)
  }

  static async open(
    key: string,
    target: Target,
    options: Omit<ConnectionOptions, 'asked' | 'log'>,
  ): Promise<Conversation> {
    let conversation: Conversation | undefined
    const connection = await Connection.open(target, {
      ...options,
      asked: (ask, reply) => conversation?.asked(ask, reply),
      log: params => conversation?.log(params),
      healed: () => conversation?.subscriptions.renew(),
    })
    conversation = new Conversation(key, connection)
    return conversation
  }

  /** Is there room for a call? */
  get isFree(): boolean {
    return !this.leased || this.calls.size === 0
  }

  /** Is nothing going on, so that it can be ended? */
  get isIdle(): boolean {
    return this.calls.size === 0 && this.connection.inFlight === 0 && this.subscriptions.uris.size === 0
  }

  /** Servers of the stateful era are told once which log messages are wanted: the least that anybody wants. */
  wantLogs({ logLevel }: Call): void {
    if (logLevel === undefined || this.connection.revision.era === 'stateless') return
    if (this.#level !== undefined && LEVELS.indexOf(logLevel) >= LEVELS.indexOf(this.#level)) return
    this.#level = logLevel
    if (typeof this.connection.capabilities.logging !== 'object') return
    const ignore = (): void => {}
    this.connection.start(
      { method: 'logging/setLevel', params: { level: logLevel } },
      { answered: ignore, failed: ignore },
    )
  }

  /** A question that came on a stream all calls share: whose it is, is certain only where there is one call. */
  asked(ask: Parameters<NonNullable<ConnectionOptions['asked']>>[0], reply: Reply): (() => void) | undefined {
    this.leased = true
    const [only] = this.calls
    if (only && this.calls.size === 1) return only.asked(ask, reply)
    const why = only ? 'several calls are running, and it cannot be told which of them asks' : 'no call is running'
    return void reply(fault('busy', `The question cannot be put to anybody: ${why}. Try again.`))
  }

  log(params: Params): void {
    const [only] = this.calls
    if (only && this.calls.size === 1) only.log(params)
  }

  async close(): Promise<void> {
    this.subscriptions.stop()
    await this.connection.close()
  }
}
