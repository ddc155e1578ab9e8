import { Context, RpcError, TASKS_EXTENSION, fault } from '@causeway/engine'
import type { Ask, Call, Caller, LogLevel, Params } from '@causeway/engine'
import { askableCapabilities, checkAsk } from '@causeway/engine/client'
import type { Broken, OutgoingRequest, ParamHeader, RemoteLink } from '@causeway/engine/client'
import type { Span } from '@causeway/engine/policies'
import { tracedMeta } from './client-span.ts'
import { isObject, jsonSize, quotaKey, showInvisible } from '@causeway/engine/internal'

/** How a call is forwarded. */
export interface Forwarding {
  readonly params: Params
  /** May it be sent again although the server may have begun to work on it? */
  readonly repeatable: boolean
  readonly headers?: readonly ParamHeader[] | undefined
  /** Whether the server says that a tool can run as a task, or must. */
  readonly task?: 'optional' | 'required' | undefined
}

// What a server says while it works is for a person to glance at.
const LONGEST_MESSAGE = 2000
const LONGEST_LOGGER = 100
const LONGEST_LOG = 64 * 1024
const TOO_LONG = `[A log message of more than ${LONGEST_LOG} characters was left out]`

/** A client of the gateway, as the server that its call is forwarded to may reach it. */
export class ForwardLink implements RemoteLink {
  readonly onBroken: NonNullable<RemoteLink['onBroken']>
  onProgress?: (params: Params) => void
  onLog?: (params: Params) => void
  readonly #call: Call
  readonly #followsTasks: boolean

  constructor(
    call: Call,
    onBroken: (broken: Broken) => ReturnType<NonNullable<RemoteLink['onBroken']>>,
    followsTasks = false,
  ) {
    this.#call = call
    this.onBroken = onBroken
    this.#followsTasks = followsTasks
    if (call.task || call.meta.progressToken !== undefined) this.onProgress = params => this.#progress(params)
    if (call.logLevel !== undefined) this.onLog = params => this.#log(params)
  }

  get cancellation(): Call['cancellation'] {
    return this.#call.cancellation
  }

  get client(): string {
    return quotaKey(this.#call)
  }

  get capabilities(): Params {
    const all = forwardedCapabilities(this.#call.caller)
    return this.#followsTasks ? { ...all, extensions: { ...(all.extensions as Params), [TASKS_EXTENSION]: {} } } : all
  }

  refusal(ask: Ask): RpcError | undefined {
    const { caller } = this.#call
    try {
      checkAsk(ask, caller)
      caller.revision.writeMessage(ask.method, ask.params)
      return undefined
    } catch (error) {
      return error instanceof RpcError ? error : fault('internal', 'The client cannot be asked that')
    }
  }

  #progress({ progress, message, total }: Params): void {
    const context = new Context(this.#call)
    const words = typeof message === 'string' ? context.asData(cut(message, LONGEST_MESSAGE)) : undefined
    context.progress(progress as number, words, total as number | undefined)
  }

  #log({ level, data, logger }: Params): void {
    const context = new Context(this.#call)
    const bounded = jsonSize(data, LONGEST_LOG) > LONGEST_LOG ? TOO_LONG : context.asData(data)
    const name =
      typeof logger === 'string' ? showInvisible(cut(logger, LONGEST_LOGGER)).replaceAll(/\s+/g, '-') : undefined
    context.log(level as LogLevel, bounded, name)
  }
}

/** What a server may know of a client: what it can be asked for, and the extensions it speaks. */
export function forwardedCapabilities(caller: Caller): Params {
  const askable = askableCapabilities(caller)
  const { extensions } = caller.capabilities
  if (!isObject(extensions)) return askable
  // Tasks of servers are followed by the gateway: its clients have tasks of its own.
  const { [TASKS_EXTENSION]: tasks, ...others } = extensions
  return { ...askable, extensions: tasks === undefined ? extensions : others }
}

/** A call as its server gets it, in neutral terms. */
export const requestFor = (
  call: Call,
  { params, headers }: Forwarding,
  { timeoutMs, span }: { readonly timeoutMs: number; readonly span?: Span | undefined },
): OutgoingRequest => ({
  method: call.method,
  params,
  meta: span ? tracedMeta(metaOf(call.meta), span) : metaOf(call.meta),
  timeoutMs,
  logLevel: call.logLevel,
  headers,
  answers: call.carried === undefined && !hasAny(call.answers) ? undefined : call.answers,
  state: call.carried,
})

const cut = (words: string, most: number): string => (words.length > most ? `${words.slice(0, most)}…` : words)

function hasAny(answers: Call['answers']): boolean {
  for (const _ in answers) return true
  return false
}

/** The sender's own; the token for progress is another one on each connection. */
function metaOf(meta: Call['meta']): Params | undefined {
  let own: Params | undefined
  for (const key in meta) if (key !== 'progressToken') (own ??= {})[key] = meta[key]
  return own
}
