import type { Principal } from '../auth/principal.ts'
import type { Ask, Call, Implementation, LogLevel, Session } from '../call.ts'
import type { SampleParams, SampleResult } from './content.ts'
import { RpcError, fault } from '../jsonrpc/errors.ts'
import { isObject, notification } from '../jsonrpc/message.ts'
import type { Params, Result } from '../jsonrpc/message.ts'
import { clientKey } from '../policies/client-key.ts'
import { canAsk, checkAsk } from '../protocol/asks.ts'
import type { Asking } from '../protocol/asks.ts'
import { isLoud } from '../protocol/client-values.ts'
import { toForm } from '../schema/form.ts'
import { Invalid, compile } from '../schema/schema.ts'
import type { Out, Schema } from '../schema/schema.ts'
import { shown } from '../untrusted/shown.ts'

/** What the user did with a question. */
export type Elicited<T> = { readonly action: 'accept'; readonly content: T } | { readonly action: 'decline' | 'cancel' }
/** A folder the client lets the server see. */
export interface Root {
  readonly uri: string
  readonly name?: string
}
/** Thrown to leave a handler until the client answers. */
export class Suspended extends Error {
  override readonly name = 'Suspended'
}

const TRACE = ['traceparent', 'tracestate', 'baggage'] as const
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

/** What a handler may do in addition to returning a value. Ask first, act afterwards: a handler that asks runs again from the start. */
export class Context {
  readonly #call: Call
  #asks: Record<string, Ask> | undefined

  /** What the handler still wants to know, by question. */
  static pending(ctx: Context): Readonly<Record<string, Ask>> | undefined {
    return ctx.#asks
  }

  /** The call it belongs to, for tools of the engine itself. */
  static callOf(ctx: Context): Call {
    return ctx.#call
  }

  constructor(call: Call) {
    this.#call = call
  }

  /** Aborts when the call is cancelled, times out, or its connection ends. */
  get signal(): AbortSignal {
    return this.#call.cancellation.signal
  }

  /** Who the client says it is: for display only. */
  get client(): Implementation | undefined {
    return this.#call.caller.client
  }

  /** Who is counted as one client where something is shared: who authenticated, else the network, else the connection. */
  get clientKey(): string {
    return clientKey(this.#call)
  }

  /** Who was authenticated, if anyone. */
  get principal(): Principal | undefined {
    return this.#call.caller.principal
  }

  /** The conversation the call belongs to, where there is one; its signal aborts when that is over. */
  get session(): Pick<Session, 'id' | 'signal'> | undefined {
    return this.#call.link.session
  }

  /** The request's `_meta`, without the protocol's own envelope. */
  get meta(): Readonly<Record<string, unknown>> {
    return this.#call.meta
  }

  /** W3C trace context that came with the request. */
  get trace(): Partial<Record<(typeof TRACE)[number], string>> {
    const { meta } = this.#call
    if (typeof meta.traceparent !== 'string' || !TRACEPARENT.test(meta.traceparent)) return {}
    return Object.fromEntries(TRACE.filter(key => typeof meta[key] === 'string').map(key => [key, meta[key]]))
  }

  /** Did the client ask for a task, so that it does not wait for the result? */
  get isTask(): boolean {
    return this.#call.task?.isAskedFor === true
  }

  /** How long this call may take, from its beginning and as far as it is known; undefined if there is no limit. */
  get timeMs(): number | undefined {
    const { limit, waitedMs } = this.#call.cancellation
    return limit && Math.max(0, limit.ms - waitedMs)
  }

  /** Ask for more time than calls usually have; what this one may take in all, as the operator allows. */
  allowTime(ms: number): number {
    const { limit } = this.#call.cancellation
    if (!limit) return ms
    limit.ms = Math.max(limit.ms, Math.min(ms, limit.most))
    return Math.min(ms, limit.ms)
  }

  /** Say how far the work is; only numbers that rise are sent, and only to clients that asked. */
  progress(progress: number, message?: string, total?: number): void {
    const { meta, caller, cancellation, task } = this.#call
    task?.report(message)
    const { progressToken } = meta
    if (!isToken(progressToken) || cancellation.over || !Number.isFinite(progress)) return
    if (progress <= (cancellation.progress ?? -Infinity)) return
    cancellation.progress = progress
    const params = {
      progressToken,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    }
    this.#send('notifications/progress', caller.revision.writeMessage('notifications/progress', params))
  }

  /** Text of others for a progress or log message: nothing in it is hidden, and it is fenced where results are. */
  asData<T>(value: T): T {
    const clean = shown(value, 0)
    return (this.#call.cancellation.fence?.(clean) ?? clean) as T
  }

  /** Send a log message to the client, if it wants to hear that level. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    const { logLevel, cancellation, task } = this.#call
    if (task && isLoud(level, 'info')) task.report(typeof data === 'string' ? data : JSON.stringify(data))
    if (logLevel === undefined || cancellation.over || !isLoud(level, logLevel)) return
    this.#send('notifications/message', { level, ...(logger !== undefined && { logger }), data })
  }

  #send(method: string, params: Params): void {
    const { link, cancellation } = this.#call
    cancellation.hasSent = true
    link.send(notification(method, params))
  }

  /** Let the client fetch the answer later instead of holding a connection open, where it can. */
  detach(): void {
    this.#call.link.detach?.()
  }

  /** Can this client be asked for that? */
  supports(what: Asking): boolean {
    return canAsk(this.#call.caller, what)
  }

  /** Ask the user to fill in a form. `key` names the question, so that the handler can be run again with the answer. */
  elicit<const S extends Schema>(key: string, form: { message: string; schema: S }): Promise<Elicited<Out<S>>>
  /** Ask the user to visit a page, for what must not pass through the client. */
  elicit(key: string, page: { message: string; url: string }): Promise<Elicited<undefined>>
  async elicit(key: string, ask: { message: string; schema?: Schema; url?: string }): Promise<Elicited<unknown>> {
    const { message, schema, url } = ask
    if (url !== undefined) return elicited(await this.#ask(key, 'elicitation/create', { mode: 'url', message, url }))
    const { json, check } = compile(schema ?? { type: 'object', properties: {} })
    const params = { mode: 'form', message, requestedSchema: toForm(json) }
    const answer = elicited(await this.#ask(key, 'elicitation/create', params))
    if (answer.action !== 'accept') return answer
    const content = await check(answer.content ?? {})
    if (content instanceof Invalid) throw fault('invalid-params', wrongAnswer(key, content))
    return { action: 'accept', content }
  }

  /** Ask the client's model for a message. */
  async sample(key: string, params: SampleParams): Promise<SampleResult> {
    return (await this.#ask(key, 'sampling/createMessage', { ...params })) as unknown as SampleResult
  }

  /** Ask which folders the client lets the server see. */
  async roots(key = 'roots'): Promise<readonly Root[]> {
    const { roots } = await this.#ask(key, 'roots/list', {})
    return Array.isArray(roots) ? roots.filter(isRoot) : []
  }

  /** Ask several things at once, in protocol terms. */
  async ask(wanted: Readonly<Record<string, Ask>>): Promise<Record<string, Result>> {
    const { answers, caller } = this.#call
    for (const ask of Object.values(wanted)) checkAsk(ask, caller)
    const missing = Object.entries(wanted).filter(([key]) => !Object.hasOwn(answers, key))
    // What this client's revision cannot express fails here, where the author sees it, and before anything is asked.
    for (const [, { method, params }] of missing) caller.revision.writeMessage(method, params)
    if (missing.length > 0) {
      this.#asks = { ...this.#asks, ...Object.fromEntries(missing) }
      throw new Suspended(`Waiting for the client to answer ${missing.map(([key]) => key).join(', ')}`)
    }
    return Object.fromEntries(Object.keys(wanted).map(key => [key, answerOrThrow(answers[key])]))
  }

  async #ask(key: string, method: string, params: Params): Promise<Result> {
    const answers = await this.ask({ [key]: { method, params } })
    return answers[key] ?? {}
  }
}

function answerOrThrow(answer: unknown): Result {
  if (answer instanceof RpcError) throw new Error(`The client refused: ${answer.message}`, { cause: answer })
  return isObject(answer) ? answer : {}
}

function elicited(answer: Result): { action: 'accept'; content: unknown } | { action: 'decline' | 'cancel' } {
  if (answer.action === 'accept') return { action: 'accept', content: answer.content }
  return { action: answer.action === 'decline' ? 'decline' : 'cancel' }
}

const isToken = (value: unknown): boolean => typeof value === 'string' || Number.isInteger(value)
const isRoot = (value: unknown): value is Root => isObject(value) && typeof value.uri === 'string'
const wrongAnswer = (key: string, { problems }: Invalid): string =>
  `The answer to '${key}' does not fit: ${problems.map(p => p.what).join(' ')}`
