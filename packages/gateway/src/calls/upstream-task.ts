import { Context, RpcError, TASKS_EXTENSION, fault } from '@causeway/engine'
import type { Call, Params, Result } from '@causeway/engine'
import { checkAsk, ticketIn } from '@causeway/engine/client'
import type { OutgoingRequest, Remote } from '@causeway/engine/client'
import { cut, isObject, showInvisible } from '@causeway/engine/internal'
import { ForwardLink } from './forward-link.ts'
import { checkQuestions } from './well-formed.ts'

/** What following a task needs of the upstream that runs it. */
export interface TaskRoad {
  readonly server: string
  /** Send a request on whichever connection there is; with a link, what the server asks reaches the client. */
  request(request: OutgoingRequest, call: Call, link: ForwardLink | undefined): Promise<Result>
}

/** The state of a result that asks for a task elsewhere. */
interface TaskState {
  readonly task: string
  /** What was asked, by question, where answers go to the task. */
  readonly methods?: Readonly<Record<string, string>>
}

/** What a client of ours wants to know again and again: not more often, and not less. */
const LEAST_POLL_MS = 100
const MOST_POLL_MS = 30_000
const USUAL_POLL_MS = 1000
const MOST_FAILURES = 10
const LONGEST_MESSAGE = 500
/** How long servers are asked to keep a task whose client may be slow to answer. */
const TTL_MS = 24 * 60 * 60_000
const RELATED = 'io.modelcontextprotocol/related-task'
const SERVER = 'io.modelcontextprotocol/serverInfo'

/** Who says that a call becomes a task at this server: its client, or the server itself; undefined if it knows no tasks. */
export function whoBegins({ capabilities }: Pick<Remote, 'capabilities'>): 'client' | 'server' | undefined {
  const { tasks, extensions } = capabilities
  if (isObject(extensions) && Object.hasOwn(extensions, TASKS_EXTENSION)) return 'server'
  const requests = isObject(tasks) && isObject(tasks.requests) ? tasks.requests : {}
  return isObject(requests.tools) && requests.tools.call !== undefined ? 'client' : undefined
}

/** Parameters of a call that ask its server for a task. */
export const askingForTask = (params: Params): Params => ({ ...params, task: { ttl: TTL_MS } })

/** The task that a result asks for, if it is one of another server. */
export const taskIn = (state: unknown): TaskState | undefined =>
  isObject(state) && typeof state.task === 'string' ? (state as unknown as TaskState) : undefined

/** A task at a server, for the call that it was made of. */
export class UpstreamTask {
  readonly #id: string
  readonly #call: Call
  readonly #road: TaskRoad
  readonly #link: ForwardLink
  #steps = 0
  #message: unknown

  constructor(id: string, call: Call, road: TaskRoad) {
    this.#id = id
    this.#call = call
    this.#road = road
    this.#link = new ForwardLink(call, ({ why }) => Promise.reject(why), true)
  }

  /** What it comes to, or what it asks: of a server that is asked again and again. */
  async polled(first: Params): Promise<Result> {
    return this.#cancelling(async () => {
      let task = first
      for (;;) {
        const result = this.#outcome(task)
        if (result) return result
        await this.#pause(pollMs(task.pollIntervalMs))
        task = await this.#patiently(() => this.#ask('tasks/get'))
      }
    })
  }

  /** Bring answers to it, and go on. */
  async answered(methods: Readonly<Record<string, string>>): Promise<Result> {
    const { answers } = this.#call
    const task = await this.#cancelling(async () => {
      await this.#ask('tasks/update', { answers, state: { methods } })
      return this.#ask('tasks/get')
    })
    return this.polled(task)
  }

  /** What it comes to, or what it asks: of a server that keeps the request for the result open. */
  async awaited(): Promise<Result> {
    return this.#cancelling(async () => {
      const stop = this.#watch()
      try {
        const request = { method: 'tasks/result', params: { taskId: this.#id }, timeoutMs: 0 }
        return this.#live(await this.#patiently(() => this.#road.request(request, this.#call, this.#link)))
      } finally {
        stop()
      }
    })
  }

  /** The same for what comes after an answer. */
  resumed(work: Promise<Result>): Promise<Result> {
    return this.#cancelling(async () => this.#live(await work))
  }

  #live(result: Result): Result {
    const { resultType, requestState, inputRequests, _meta } = result
    if (resultType !== 'input_required' || !ticketIn(requestState)) return withMeta(result, _meta)
    const asks = Object.entries(isObject(inputRequests) ? inputRequests : {}).map(([key, ask]) => {
      const isWhole = isObject(ask) && isObject(ask.params)
      return [key, isWhole ? { ...ask, params: withoutTask(ask.params as Params) } : ask] as const
    })
    return {
      ...result,
      inputRequests: Object.fromEntries(asks),
      requestState: { ...(requestState as Params), task: this.#id },
    }
  }

  #outcome({ status, result, error, inputRequests, statusMessage }: Params): Result | undefined {
    this.#report(statusMessage)
    const { server } = this.#road
    switch (status) {
      case 'working':
        return undefined
      case 'input_required':
        return this.#asked(inputRequests)
      case 'completed': {
        if (!isObject(result)) throw fault('tool-failed', `The server '${server}' completed the task without a result`)
        const { resultType, ...own } = result
        return withMeta(own, own._meta)
      }
      case 'failed':
        throw errorIn(error, server)
      case 'cancelled':
        throw fault('tool-failed', `The server '${server}' cancelled the task`)
      default: {
        const said = cut(JSON.stringify(status) ?? 'nothing', 50)
        throw fault('tool-failed', `The server '${server}' says of the task that it is ${said}, which is no status`)
      }
    }
  }

  /** A server that asks nothing yet is asked again. */
  #asked(inputRequests: unknown): Result | undefined {
    checkQuestions(this.#road.server, { inputRequests })
    const asks = Object.entries(isObject(inputRequests) ? inputRequests : {}).map(([key, ask]) => {
      const { method, params } = isObject(ask) ? ask : {}
      const one = { method: String(method), params: isObject(params) ? withoutTask(params) : {} }
      checkAsk(one, this.#call.caller)
      return [key, one] as const
    })
    if (asks.length === 0) return undefined
    const methods = Object.fromEntries(asks.map(([key, { method }]) => [key, method]))
    const requestState: TaskState = { task: this.#id, methods }
    return { resultType: 'input_required', inputRequests: Object.fromEntries(asks), requestState }
  }

  #ask(method: string, more: Partial<OutgoingRequest> = {}): Promise<Result> {
    return this.#road.request({ method, params: { taskId: this.#id }, ...more }, this.#call, this.#link)
  }

  /** A connection may break while a task goes on: it is asked for again. */
  async #patiently(ask: () => Promise<Result>): Promise<Result> {
    for (let failures = 1; ; failures++) {
      try {
        return await ask()
      } catch (error) {
        if (error instanceof RpcError || failures === MOST_FAILURES || this.#call.cancellation.reason) throw error
        await this.#pause(USUAL_POLL_MS * failures)
      }
    }
  }

  /** Say what the task does while its result is waited for. */
  #watch(): () => void {
    if (!this.#call.task && this.#call.meta.progressToken === undefined) return () => {}
    const request = { method: 'tasks/get', params: { taskId: this.#id } }
    const look = (): void => {
      this.#road.request(request, this.#call, undefined).then(
        ({ statusMessage }) => this.#report(statusMessage),
        () => {},
      )
    }
    look()
    const timer = setInterval(look, USUAL_POLL_MS).unref()
    return () => clearInterval(timer)
  }

  #report(message: unknown): void {
    if (typeof message !== 'string' || message === this.#message) return
    this.#message = message
    const context = new Context(this.#call)
    context.progress(++this.#steps, context.asData(showInvisible(message.slice(0, LONGEST_MESSAGE))))
  }

  /** A client that gives up, and a task that cannot go on, end it at the server. */
  async #cancelling(work: () => Promise<Result>): Promise<Result> {
    const { cancellation } = this.#call
    let isOver = false
    const cancel = (): void => {
      if (isOver) return
      isOver = true
      const request = { method: 'tasks/cancel', params: { taskId: this.#id } }
      // Its own end: the call's is aborted.
      this.#road.request(request, this.#call, undefined).catch(() => {})
    }
    cancellation.watch(cancel)
    try {
      const result = await work()
      // While a task of ours asks, nothing else runs that could be cancelled.
      isOver = result.resultType !== 'input_required' || !this.#call.task
      return result
    } catch (error) {
      cancel()
      throw error
    }
  }

  #pause(ms: number): Promise<void> {
    const { cancellation } = this.#call
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      cancellation.watch(reason => {
        clearTimeout(timer)
        reject(reason)
      })
    })
  }
}

/** A result without what only says whose task it was. */
function withMeta(result: Result, meta: unknown): Result {
  if (!isObject(meta)) return result
  const { [RELATED]: _, [SERVER]: __, ...others } = meta
  const { _meta, ...rest } = result
  return Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest
}

/** A question without the server's own name for the task: the client knows another one. */
function withoutTask(params: Params): Params {
  if (!isObject(params._meta) || !Object.hasOwn(params._meta, RELATED)) return params
  const { [RELATED]: _, ...others } = params._meta
  const { _meta, ...rest } = params
  return Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest
}

const pollMs = (wanted: unknown): number =>
  typeof wanted === 'number' && Number.isFinite(wanted)
    ? Math.min(Math.max(wanted, LEAST_POLL_MS), MOST_POLL_MS)
    : USUAL_POLL_MS

function errorIn(error: unknown, server: string): RpcError {
  if (!isObject(error) || !Number.isInteger(error.code))
    return fault('tool-failed', `The task at the server '${server}' failed`)
  return new RpcError(error.code as number, String(error.message), error.data)
}

/** For requests that no client of ours waits for: what it takes to be answered. */
export const onlyCapabilities = (who: 'client' | 'server' | undefined): { capabilities: Params } | undefined =>
  who === 'server' ? { capabilities: { extensions: { [TASKS_EXTENSION]: {} } } } : undefined
