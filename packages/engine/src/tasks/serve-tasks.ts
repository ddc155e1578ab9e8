import { after } from '../awaitable.ts'
import type { Awaitable, Call, Handle, Policy } from '../call.ts'
import { RpcError, fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { compose } from '../policies/policy.ts'
import { TASKS_CAPABILITY, TASKS_ERA, TASKS_EXTENSION, whoBeginsTasks } from '../protocol/tasks/kinds.ts'
import type { Server } from '../server.ts'
import { memoryStore } from '../stores/memory.ts'
import { ownTasks, taskMethods } from './task-methods.ts'
import { TaskRun } from './task-run.ts'
import type { Outcome } from './task-run.ts'
import { TaskStore } from './task-store.ts'
import type { TaskLimits, TaskValues } from './task-store.ts'
import { TASK_IDS, Tasks, newTaskId } from './tasks.ts'

/** What may be chosen about the tasks of a server. */
export interface TaskOptions {
  /** Where they are kept. Default: in memory. */
  readonly store?: TaskValues
  /** How long they are kept whose client does not say. Default: an hour. */
  readonly ttlMs?: number
  /** The longest that a client may have them kept. Default: a day. */
  readonly mostTtlMs?: number
  /** Where the server decides: how long it waits for the result before it makes a task of the call. Default: 500. */
  readonly graceMs?: number
  /** How long a client should wait before it asks again. Default: a second. */
  readonly pollMs?: number
  readonly limits?: Partial<TaskLimits>
  /** Stand around the work of each task, in addition to those that stand inside: what sees how calls end. */
  readonly around?: readonly Policy[]
  /** Begins the id of each task. */
  readonly idPrefix?: string
  readonly now?: () => number
}

const HOUR_MS = 60 * 60_000
const LEAST_TTL_MS = 60_000
const POLL_MS = 1000
const GRACE_MS = 500
// One that runs only as a task may still ask first.
const REQUIRED_GRACE_MS = 100
const MB = 1024 * 1024
const LIMITS: TaskLimits = { ofClient: 1000, inAll: 20_000, characters: 256 * MB, charactersOfClient: 64 * MB }
// Refusals of a call that did not begin to work.
const NOT_BEGUN = new Set<string | undefined>(['busy', 'header-mismatch', 'invalid-arguments', 'unknown-tool'])

/**
 * Let tools of a server run as tasks, for clients of both kinds: adds the extension, and returns the policy that makes
 * tasks of calls. It stands outside of the policies that a task is subject to while it runs: its clock, its place.
 */
export function serveTasks(server: Server, options: TaskOptions = {}): Policy {
  const { now = Date.now, pollMs = POLL_MS, limits } = options
  const values = options.store ?? memoryStore({ now, maxValues: 4 * LIMITS.inAll })
  const store = new TaskStore(values, { ...LIMITS, ...limits }, now)
  const tasks = new Tasks(server, { store, values, now, pollMs })
  server.extend({
    id: TASKS_EXTENSION,
    era: TASKS_ERA,
    core: { [TASKS_CAPABILITY]: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    ...taskMethods(tasks),
    notifications: ['notifications/tasks', 'notifications/tasks/status'],
    filters: { [TASK_IDS]: (wanted, call) => ownTasks(tasks, wanted, call) },
  })
  const maker = new TaskMaker(server, tasks, options)
  return function runAsTask(call, next) {
    if (call.method !== 'tools/call' || call.task || call.link.stream || call.direct) return next(call)
    const who = whoBeginsTasks(call.caller)
    if (who === undefined || (who === 'client' && call.params.task === undefined)) return next(call)
    return maker.run(call, next, who)
  }
}

/** Makes tasks of calls. */
class TaskMaker {
  readonly #server: Server
  readonly #tasks: Tasks
  readonly #options: TaskOptions

  constructor(server: Server, tasks: Tasks, options: TaskOptions) {
    this.#server = server
    this.#tasks = tasks
    this.#options = options
  }

  run(call: Call, next: Handle, who: 'client' | 'server'): Awaitable<Result> {
    const { name, task, ...params } = call.params
    if (typeof name !== 'string') return next(call)
    return after(this.#server.definitionOf(name, call.caller), info => {
      const plain = { ...call, params: { name, ...params } }
      // The tool that calls others says of itself that it can be a task, whichever it calls.
      if (who === 'client' && call.through !== undefined) return this.#asked(plain, next, task)
      if (!info) return next(call)
      const support = isObject(info.execution) ? info.execution.taskSupport : undefined
      if (support === 'optional' || support === 'required') {
        return who === 'client' ? this.#asked(plain, next, task) : this.#decide(plain, next, support === 'required')
      }
      if (who === 'server') return next(call)
      throw fault('method-not-found', `Tool '${name}' cannot run as a task. Call it without "task"`)
    })
  }

  /** The client asked for a task: there is one before the work begins. */
  #asked(call: Call, next: Handle, task: unknown): Promise<Result> {
    const ttlMs = this.#ttlOf(task)
    const run = this.#newRun(call, next, true)
    return this.#tasks.begin(run, call, ttlMs, () => run.once())
  }

  /** What is over soon is a result, and what asks before it says what it does, a question; everything else becomes a task. */
  async #decide(call: Call, next: Handle, isRequired: boolean): Promise<Result> {
    const run = this.#newRun(call, next, false)
    let isBegun = false
    call.cancellation.watch(({ message }) => {
      if (!isBegun) run.cancel(message)
    })
    const first = run.once()
    const graceMs = this.#options.graceMs ?? GRACE_MS
    const outcome = await within(isRequired ? Math.min(REQUIRED_GRACE_MS, graceMs) : graceMs, [
      first,
      ...(isRequired ? [run.reporting] : []),
    ])
    if (outcome && isAnswer(outcome, { isRequired, hasReported: run.hasReported })) {
      run.end()
      if ('error' in outcome) throw outcome.error
      return outcome.result
    }
    isBegun = true
    return this.#tasks.begin(run, call, this.#ttlOf({}), () => first)
  }

  #newRun(call: Call, next: Handle, isAskedFor: boolean): TaskRun {
    const { idPrefix = '', around } = this.#options
    const run = around ? compose(around, next) : next
    return new TaskRun(newTaskId(idPrefix), { call, next: run, owner: this.#tasks, isAskedFor })
  }

  #ttlOf(task: unknown): number {
    if (!isObject(task))
      throw fault('invalid-params', 'Invalid params: "task" must be an object, such as {"ttl": 3600000}')
    const { ttlMs = HOUR_MS, mostTtlMs = 24 * HOUR_MS } = this.#options
    const { ttl = ttlMs } = task
    if (typeof ttl !== 'number' || !Number.isFinite(ttl) || ttl < 0) {
      const sent = JSON.stringify(ttl)?.slice(0, 50) ?? 'nothing'
      const words = `Invalid params: "task.ttl" must be a number of milliseconds from 0 on, such as ${HOUR_MS}, not ${sent}`
      throw fault('invalid-params', words)
    }
    return Math.round(Math.min(Math.max(ttl, Math.min(LEAST_TTL_MS, mostTtlMs)), mostTtlMs))
  }
}

interface Begun {
  readonly isRequired: boolean
  readonly hasReported: boolean
}

/** Is it what the client gets, without any task? */
function isAnswer(outcome: Outcome, { isRequired, hasReported }: Begun): boolean {
  if ('result' in outcome && outcome.result.resultType === 'input_required') return !hasReported
  return !isRequired || ('error' in outcome && outcome.error instanceof RpcError && NOT_BEGUN.has(outcome.error.kind))
}

/** What comes first, if it comes in that time and is an outcome. */
async function within(ms: number, works: readonly (Promise<Outcome> | Promise<void>)[]): Promise<Outcome | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, ms, undefined)
  })
  const first = await Promise.race<Outcome | void>([...works, late])
  clearTimeout(timer)
  return first ?? undefined
}
