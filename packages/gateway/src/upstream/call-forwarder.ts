import { fault } from '@causeway/engine'
import type { Awaitable, Call, Result } from '@causeway/engine'
import { callGone, ticketIn } from '@causeway/engine/client'
import { asOwn } from '@causeway/engine/internal'
import type { Broken, OutgoingRequest, ParkedCalls, Ticket } from '@causeway/engine/client'
import type { Span } from '@causeway/engine/policies'
import { clientSpan, endSpan } from '../calls/client-span.ts'
import { ForwardLink, requestFor } from '../calls/forward-link.ts'
import type { Forwarding } from '../calls/forward-link.ts'
import type { ParkedRelay } from '../calls/parked-relay.ts'
import { UpstreamTask, askingForTask, onlyCapabilities, taskIn, whoBegins } from '../calls/upstream-task.ts'
import type { TaskRoad } from '../calls/upstream-task.ts'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import type { Judgement } from '../trust/judgement.ts'
import { unavailable } from './backoff.ts'
import { Breaker } from './breaker.ts'
import { causeOf, loginProblem, needsAuthorization, withoutAddresses } from './causes.ts'
import { asksForLogin } from '../logins/login-need.ts'
import type { UpstreamLogin } from '../logins/upstream-login.ts'
import type { Pool } from './pool.ts'
import type { PooledRemote } from './pooled-remote.ts'
import type { UpstreamHealth } from './upstream-health.ts'

/** What a forwarder needs of the upstream whose calls it forwards. */
export interface ForwarderOwner {
  readonly config: UpstreamConfig
  readonly pool: Pool
  readonly parked: ParkedCalls
  readonly health: UpstreamHealth
  readonly login: UpstreamLogin | undefined
  readonly judgement: Pick<Judgement, 'check'>
  /** With a lock, when what the server lists now has been judged; undefined if it has. */
  judging(): Promise<void> | undefined
}

const AGAIN = 'Check before you send it again, without requestState.'
const RETRY_MS = 1000
// A call that may be repeated waits so long for its server to be started again.
const MOST_WAIT_MS = 5000

/** Forwards calls to one server, and says what became of those whose connection broke. */
export class CallForwarder {
  readonly #owner: ForwarderOwner
  readonly #relay: ParkedRelay | undefined
  readonly breaker: Breaker
  #inFlight = 0

  constructor(owner: ForwarderOwner, relay: ParkedRelay | undefined) {
    this.#owner = owner
    this.#relay = relay
    this.breaker = new Breaker(owner.config.name, owner.health)
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Forward a call, or bring its answers to the one that asked. */
  forward(call: Call, forwarding: Forwarding, isJudged = false): Awaitable<Result> {
    const judging = isJudged ? undefined : this.#owner.judging()
    if (judging) {
      return judging.then(() => {
        this.#owner.judgement.check(call.method, forwarding.params)
        return this.forward(call, forwarding, true)
      })
    }
    const task = taskIn(call.carried)
    const ticket = ticketIn(call.carried)
    if (ticket) return this.#resume(ticket, call, forwarding)
    if (task) return new UpstreamTask(task.task, call, this.#road).answered(task.methods ?? {})
    const { name, limits } = this.#owner.config
    if (this.#inFlight >= limits.inFlight) {
      const words = `The server '${name}' has ${limits.inFlight} calls in flight. Try again later.`
      throw asOwn(fault('busy', words, { retryAfterMs: RETRY_MS }))
    }
    this.breaker.check(call)
    const one = this.#acquire(call)
    return one instanceof Promise
      ? one.then(opened => this.#forwardOn(opened, call, forwarding))
      : this.#send(one, call, forwarding)
  }

  /** A call that never reaches the server says nothing of it. */
  #acquire(call: Call): PooledRemote | Promise<PooledRemote> {
    const refused = (error: unknown): never => {
      this.breaker.released(call)
      throw error
    }
    try {
      const one = this.#owner.pool.acquire(call)
      return one instanceof Promise ? one.catch(refused) : one
    } catch (error) {
      return refused(error)
    }
  }

  /** A call is over. */
  settled(): void {
    this.#inFlight -= 1
  }

  /** Another call that waited may have been first. */
  #forwardOn(one: PooledRemote, call: Call, forwarding: Forwarding): Awaitable<Result> {
    if (call.cancellation.reason) throw call.cancellation.reason
    return this.#owner.pool.isFree(one) && !one.remote.closed
      ? this.#send(one, call, forwarding)
      : this.forward(call, forwarding)
  }

  #send(one: PooledRemote, call: Call, forwarding: Forwarding, isRetry = false): Promise<Result> {
    const { config, health } = this.#owner
    this.#inFlight += 1
    health.calls += 1
    call.cancellation.server = config.name
    const onBroken = (broken: Broken): Promise<Result> =>
      isRetry ? Promise.reject(this.#unreachable(broken.why, call)) : this.#retry(broken, call, forwarding)
    const who = call.method === 'tools/call' ? whoBegins(one.remote) : undefined
    const span = clientSpan(call, forwarding.params, config.name)
    const sent = who
      ? this.#sendTask(one, call, { forwarding, who, onBroken, span })
      : one.remote.call(this.#requestFor(call, forwarding, span), new ForwardLink(call, onBroken))
    if (span) endSpan(span, call, sent)
    if (!isRetry) {
      const onFailed = (error: unknown): void => this.breaker.failed(error, call, one.remote.closed ? one : undefined)
      sent.then(() => this.breaker.answered(), onFailed)
    }
    return health.unreachable === undefined ? sent : this.#watched(sent)
  }

  /** What may become a task at the server is followed to its end, or to what it asks. */
  async #sendTask({ remote }: PooledRemote, call: Call, sending: TaskSending): Promise<Result> {
    const { forwarding, who, onBroken, span } = sending
    const isAsking = who === 'client' && (forwarding.task === 'required' || (forwarding.task && call.task))
    const wanted = isAsking ? { ...forwarding, params: askingForTask(forwarding.params) } : forwarding
    const link = new ForwardLink(call, onBroken, who === 'server')
    const result = await remote.call(this.#requestFor(call, wanted, span), link)
    if (result.resultType !== 'task' || typeof result.taskId !== 'string') return result
    const task = new UpstreamTask(result.taskId, call, this.#road)
    return who === 'server' ? task.polled(result) : task.awaited()
  }

  /** A task is not waited for as a call is. */
  #requestFor(call: Call, forwarding: Forwarding, span?: Span): OutgoingRequest {
    return requestFor(call, forwarding, { timeoutMs: call.task ? 0 : this.#owner.config.timeoutMs, span })
  }

  get #road(): TaskRoad {
    const { pool, config } = this.#owner
    return {
      server: config.name,
      request: async (request, call, link) => {
        const { remote } = await pool.acquire(call)
        const own = link ?? onlyCapabilities(whoBegins(remote))
        if (own) this.#inFlight += 1
        return remote.call(request, own)
      },
    }
  }

  /** A server that could not be reached works again once it answers. */
  async #watched(sent: Promise<Result>): Promise<Result> {
    const result = await sent
    this.#owner.health.onReached()
    return result
  }

  /** A call whose connection broke is sent again if the server cannot have begun, or if that would do no harm. */
  async #retry({ why, sent }: Broken, call: Call, forwarding: Forwarding): Promise<Result> {
    // First the pool learns that the connection is gone.
    await Promise.resolve()
    if (call.cancellation.over) throw why
    if (sent && !forwarding.repeatable) throw this.#uncertain(why, 'Check before you repeat it.')
    const { pool, login } = this.#owner
    // Without any login it was not let in: with that of its principal it may be.
    if (asksForLogin(why) && !login?.isNeeded) login?.needed()
    else if (needsAuthorization(why) || asksForLogin(why)) throw this.#unreachable(why, call)
    // A timer may be early by the clock of the back-off.
    const until = performance.now() + MOST_WAIT_MS
    for (let ms = pool.backoff.retryAfterMs; ms > 0 && performance.now() + ms <= until; ms = pool.backoff.retryAfterMs)
      await waiting(ms + 1, call)
    return this.#send(await pool.acquire(call), call, forwarding, true)
  }

  /** The server works on a call that asked: if its connection breaks, it is not sent again. */
  #resume(ticket: Ticket, call: Call, forwarding: Forwarding): Promise<Result> {
    const request = this.#requestFor(call, forwarding)
    const task = taskIn(call.carried)
    const link = new ForwardLink(call, ({ why }) => Promise.reject(this.#uncertain(why, AGAIN)))
    const parked = this.#owner.parked.find(ticket.ticket)
    const resumed = parked ? parked.resume(request, link) : this.#relay?.resume(ticket, request, link)
    if (!resumed) throw callGone()
    return task ? new UpstreamTask(task.task, call, this.#road).resumed(resumed) : resumed
  }

  #uncertain(why: Error, hint: string): Error {
    const { name } = this.#owner.config
    const cause = withoutAddresses(causeOf(why))
    const words = `The connection to the server '${name}' broke: ${cause}. The call may or may not have done its work`
    return fault('upstream-unavailable', words, { server: name }, { hint })
  }

  #unreachable(why: Error, call: Call): Error {
    const { config, health, pool, login } = this.#owner
    const refusal = login?.refusalOf(why, login.principalOf(call))
    if (refusal) return refusal
    // Its answer came, but cannot be taken.
    if (why instanceof RangeError) return fault('tool-failed', `The server '${config.name}' failed: ${why.message}`)
    const operatorsPart = 'it needs authorization (HTTP 401), which its operator has to give it'
    const cause = loginProblem(why) ?? (needsAuthorization(why) ? operatorsPart : causeOf(why))
    health.onUnreachable(cause)
    return unavailable(config.name, cause, pool.backoff.retryAfterMs || RETRY_MS)
  }
}

interface TaskSending {
  readonly forwarding: Forwarding
  readonly who: 'client' | 'server'
  readonly span: Span | undefined
  readonly onBroken: ConstructorParameters<typeof ForwardLink>[1]
}

/** Resolves after a while; rejects when the call is cancelled. */
const waiting = (ms: number, { cancellation }: Call): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    cancellation.watch(reason => {
      clearTimeout(timer)
      reject(reason)
    })
  })
