import { RpcError, fault } from '@causeway/engine'
import type { Awaitable, Call, Params, Result } from '@causeway/engine'
import type { ServerChange, Target } from '@causeway/engine/client'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import type { Conversation } from './pooled-connection.ts'
import { Following } from '../changes/upstream-subscriptions.ts'
import { ForwardedCall, ticketOf } from '../calls/forwarded-call.ts'
import type { Broken, Ticket } from '../calls/forwarded-call.ts'
import { fetchLists } from '../source/fetch-lists.ts'
import type { Lists } from '../source/fetch-lists.ts'
import type { Parked } from '../calls/parked-calls.ts'
import { CALL_GONE, RelayBroken } from '../calls/parked-relay.ts'
import type { ParkedRelay } from '../calls/parked-relay.ts'
import { outgoing } from './outgoing-request.ts'
import type { Passing } from './outgoing-request.ts'
import { Pool } from './pool.ts'
import type { Guardian } from '../process/guardian.ts'
import { StderrLog } from '../process/stderr-log.ts'
import type { SharedSessions } from '../sessions/shared-sessions.ts'
import { targetOf } from './connect-upstream.ts'

/** What servers share. */
export interface UpstreamShared {
  readonly guardian: Guardian
  readonly parked: Parked<ForwardedCall>
  /** Reaches calls that wait in other processes. */
  readonly relay?: ParkedRelay | undefined
  /** Sessions with servers that other processes use, too. */
  readonly sessions?: SharedSessions | undefined
  /** How a server is reached, if not as its entry says. */
  reach?: ((config: UpstreamConfig) => Target | undefined) | undefined
  /** The file that keeps what a server says beside the protocol, by its name. */
  logFile(server: string): string | undefined
  /** A server was started, and may list something else than before. */
  started(upstream: Upstream): void
  /** Something changed at a server: a list, or a resource. */
  changed(upstream: Upstream, change: ServerChange): void
}

const SWEEP_MS = 15_000
const AGAIN = 'Check before you send it again, without requestState.'

/** One server behind the gateway. */
export class Upstream {
  readonly config: UpstreamConfig
  readonly log: StderrLog
  readonly pool: Pool
  readonly following: Following
  readonly #shared: UpstreamShared
  readonly #sweep: NodeJS.Timeout | undefined
  #inFlight = 0
  #calls = 0
  #ignored = 0
  #ignoredAt = 0
  #starts = 0

  constructor(config: UpstreamConfig, shared: UpstreamShared) {
    this.config = config
    this.#shared = shared
    this.log = new StderrLog(shared.logFile(config.name))
    const target = shared.reach?.(config) ?? targetOf(config, { guardian: shared.guardian, log: this.log })
    const { sessions } = config.target.kind === 'http' ? shared : {}
    this.pool = new Pool(config, target, {
      sharing: sessions && (key => sessions.of(config, key)),
      changed: change => shared.changed(this, change),
      opened: conversation => this.#opened(conversation),
      ended: conversation => this.following.ended(conversation),
      onListening: conversation => this.#listening(conversation),
      lastWords: () => this.log.lines.findLast(line => !line.startsWith('[causeway]')) ?? this.log.lines.at(-1),
      onInvalid: what => this.#onInvalid(what),
    })
    this.following = new Following(this.#ownConversations(), line => this.log.line(line))
    if (config.idleMs > 0) {
      const every = Math.min(SWEEP_MS, Math.max(100, config.idleMs / 2))
      this.#sweep = setInterval(() => void this.pool.stopIdle(config.idleMs), every).unref()
    }
  }

  get name(): string {
    return this.config.name
  }

  /** What there is to know of its health. */
  get status(): Readonly<Record<string, unknown>> {
    const { pool } = this
    const connection = pool.any?.connection
    const state =
      pool.size > 0 ? 'running' : pool.isStarting ? 'starting' : pool.backoff.failures > 0 ? 'failed' : 'idle'
    return {
      name: this.name,
      state,
      conversations: pool.size,
      inFlight: this.#inFlight,
      calls: this.#calls,
      restarts: Math.max(0, this.#starts - 1),
      ...(connection && { speaks: connection.revision.version, server: connection.server }),
      ...(pool.backoff.why && {
        problem: pool.backoff.why.message,
        retryAfterMs: Math.ceil(pool.backoff.retryAfterMs),
      }),
    }
  }

  /** Everything it lists. */
  async lists(): Promise<Lists> {
    const conversation = await this.pool.acquire(undefined)
    try {
      return await fetchLists(conversation.connection)
    } finally {
      this.pool.release(conversation)
    }
  }

  /** Pass a request on, or bring its answers to one that asked. */
  forward(call: Call, passing: Passing): Awaitable<Result> {
    const ticket = ticketOf(call.carried)
    if (ticket) {
      const waiting = this.#shared.parked.find(ticket.ticket)
      if (waiting) return this.#resume(waiting, call, ticket.round)
      return this.#resumeElsewhere(call, ticket)
    }
    const { limits, name } = this.config
    if (this.#inFlight >= limits.inFlight) {
      throw fault('busy', `The server '${name}' has ${limits.inFlight} calls in flight. Try again later.`, {
        retryAfterMs: 1000,
      })
    }
    const conversation = this.pool.acquire(call)
    return conversation instanceof Promise
      ? conversation.then(one => this.#startOn(one, call, passing))
      : this.#start(conversation, call, passing)
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    this.following.close()
    await this.pool.close()
  }

  /** Whoever waited may not be the first to get there. */
  #startOn(conversation: Conversation, call: Call, passing: Passing): Awaitable<Result> {
    if (call.cancellation.reason) throw call.cancellation.reason
    const { closed } = conversation.connection
    return conversation.isFree && !closed ? this.#start(conversation, call, passing) : this.forward(call, passing)
  }

  #start(conversation: Conversation, call: Call, passing: Passing, isAgain = false): Promise<Result> {
    this.#checkAnswers(conversation, call)
    let forwarded: ForwardedCall | undefined
    const over = (): void => {
      this.#inFlight -= 1
      if (forwarded) conversation.remove(forwarded)
      this.pool.release(conversation)
    }
    const broke = isAgain ? undefined : (broken: Broken) => this.#again(broken, call, passing)
    forwarded = new ForwardedCall({ call, parked: this.#shared.parked, over, broke })
    this.#inFlight += 1
    this.#calls += 1
    conversation.calls.push(forwarded)
    conversation.wantLogs(call)
    const own = forwarded
    const result = own.next()
    own.flight = conversation.connection.start(outgoing(call, passing, conversation, this.config.timeoutMs), own)
    return result
  }

  /** Where answers are parts of a request there is no way to send a refusal: the call ends with it. */
  #checkAnswers({ connection }: Conversation, { answers }: Call): void {
    if (connection.revision.traits.handshake) return
    for (const key in answers) {
      const refusal = answers[key]
      if (!(refusal instanceof RpcError)) continue
      const words = `The server '${this.name}' asked the client (${key.slice(0, 100)}) and got no answer: ${refusal.message}`
      throw fault('tool-failed', words, refusal.data)
    }
  }

  /** A call whose connection broke is sent again if the server cannot have begun, or if that would do no harm. */
  async #again({ why, sent }: Broken, call: Call, passing: Passing): Promise<Result> {
    // First everybody hears that the connection is gone.
    await Promise.resolve()
    if (call.cancellation.over) throw why
    if (sent && !passing.repeatable) throw this.#uncertain(why)
    const conversation = await this.pool.acquire(call)
    return this.#start(conversation, call, passing, true)
  }

  /** A call that asked is one the server works on. */
  async #resume(waiting: ForwardedCall, call: Call, round: number): Promise<Result> {
    try {
      return await waiting.resume(call, round)
    } catch (error) {
      throw waiting.broken ? this.#uncertain(waiting.broken.why, AGAIN) : error
    }
  }

  /** The call may wait in another process. */
  async #resumeElsewhere(call: Call, ticket: Ticket): Promise<Result> {
    const elsewhere = this.#shared.relay?.resume(call, ticket)
    if (!elsewhere) throw fault('invalid-params', CALL_GONE)
    try {
      return await elsewhere
    } catch (error) {
      throw error instanceof RelayBroken ? this.#uncertain(error, AGAIN) : error
    }
  }

  #uncertain(why: Error, hint = 'Check before you repeat it.'): Error {
    const words = `The connection to the server '${this.name}' broke: ${why.message}. The call may or may not have done its work`
    return fault('tool-failed', words, undefined, { hint })
  }

  /** A line a second: there is no end to what some servers write. */
  #onInvalid(what: string): void {
    this.#ignored += 1
    const now = Date.now()
    if (now - this.#ignoredAt < 1000) return
    this.log.line(`[causeway] ignored on its output (${this.#ignored} so far): ${what.slice(0, 200)}`)
    this.#ignoredAt = now
  }

  #ownConversations(): ConstructorParameters<typeof Following>[0] {
    const { pool } = this
    const own = (): Conversation | undefined => (pool.any && this.#isOwn(pool.any) ? pool.any : undefined)
    return {
      acquire: call => pool.acquire(call),
      backoff: pool.backoff,
      get any() {
        return own()
      },
    }
  }

  /** A session that other processes use is not the place to subscribe. */
  #isOwn({ key, connection }: Conversation): boolean {
    return (
      this.#shared.sessions === undefined || key === '' || !connection.revision.traits.handshake || !connection.bound
    )
  }

  /** What comes unasked on a session that another process began is heard there: for changes of lists there is one of our own. */
  async #listen(): Promise<void> {
    try {
      this.pool.release(await this.pool.acquire(undefined))
    } catch {
      // The next conversation tries again.
    }
  }

  #opened(conversation: Conversation): void {
    if (this.#isOwn(conversation)) this.following.opened(conversation)
    const { sessions } = this.#shared
    if (sessions?.isElsewhere(this.config, conversation.key)) void this.#listen()
    if (this.pool.size !== 1) return
    this.#starts += 1
    // Whoever had it started goes first.
    setImmediate(() => this.#shared.started(this))
  }

  /** What changed before anybody listened was told to nobody. */
  #listening(conversation: Conversation): void {
    const { tools, prompts, resources } = conversation.connection.capabilities
    const tells = [tools, prompts, resources].some(one => (one as Params | undefined)?.listChanged === true)
    if (tells && this.following.isListener(conversation)) this.#shared.changed(this, { list: 'tools' })
  }
}
