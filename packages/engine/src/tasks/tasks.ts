import { randomBytes } from 'node:crypto'
import type { Awaitable, Call } from '../call.ts'
import { endOf } from '../errors/error-response.ts'
import { fault } from '../jsonrpc/errors.ts'
import type { Params, Result } from '../jsonrpc/message.ts'
import { topicOf } from '../methods/extensions.ts'
import { quotaKey } from '../policies/client-key.ts'
import { writeTask } from '../protocol/tasks/spelling.ts'
import { sessionOf } from '../protocol/session.ts'
import type { Server } from '../server.ts'
import type { Ask } from '../wire.ts'
import { SessionEnds } from './detached-link.ts'
import { readAnswer, writtenAnswer } from './answers.ts'
import { SessionQuestions } from './session-questions.ts'
import { isOver, shownTask } from './task-record.ts'
import type { TaskRecord } from './task-record.ts'
import type { Outcome, RunOwner, TaskRun } from './task-run.ts'
import { unlessOver } from './task-store.ts'
import type { TaskStore, TaskValues } from './task-store.ts'
import { untilTask } from './waiting.ts'
import { unref } from '../support/unref.ts'

/** Listeners of one task, by the member of the filter that names it. */
export const TASK_IDS = 'taskIds'
/** What a session holds that hears how its task stands. */
const SESSION_TASKS = 'tasks'

const REPORT_MS = 500
const TOUCH_MS = 30 * 60_000
// A person who is asked has so long at least, whatever life the client wanted for its task.
const ANSWER_WITHIN_MS = 10 * 60_000
const WRITE_AGAIN_MS: readonly number[] = [1000, 2000, 5000, 10_000, 30_000, 60_000]
const DIED = 'The process that ran this task ended before the task did'

/** Where tasks are kept, and what is said of them. */
interface TasksSetup {
  readonly store: TaskStore
  readonly values: TaskValues
  readonly now: () => number
  readonly pollMs: number
}

/** The tasks that run in this process, and what all processes know of theirs. */
export class Tasks implements RunOwner {
  readonly store: TaskStore
  readonly sessionEnds: SessionEnds = new SessionEnds()
  readonly #values: TaskValues
  readonly #server: Server
  readonly #now: () => number
  readonly #pollMs: number
  readonly #questions = new SessionQuestions()
  readonly #runs = new Map<string, { readonly run: TaskRun; record: TaskRecord }>()
  readonly #reports = new Map<string, NodeJS.Timeout>()
  #touching: NodeJS.Timeout | undefined
  #isFollowing: Awaitable<unknown> = undefined

  constructor(server: Server, { store, values, now, pollMs }: TasksSetup) {
    this.#pollMs = pollMs
    this.#server = server
    this.store = store
    this.#values = values
    this.#now = now
  }

  /** What this task said last, if it runs here. */
  messageOf(id: string): string | undefined {
    return this.#runs.get(id)?.run.message
  }

  /** Make a task of a call, and let it run to its end; it is kept when the promise resolves. */
  async begin(run: TaskRun, call: Call, ttlMs: number, first: () => Awaitable<Outcome>): Promise<Result> {
    const now = this.#now()
    const session = sessionOf(call)
    const record: TaskRecord = {
      id: run.id,
      processId: this.#values.processId,
      principal: call.caller.principal?.name,
      view: call.caller.view?.name,
      scopes: call.scopes,
      session: session?.id,
      tool: String(call.params.name),
      status: 'working',
      message: run.message,
      createdAt: now,
      updatedAt: now,
      ttlMs,
      pollMs: this.#pollMs,
    }
    this.#runs.set(run.id, { run, record })
    try {
      await this.#follow()
      await this.store.create(record, quotaKey(call))
    } catch (error) {
      this.#runs.delete(run.id)
      run.cancel('The task could not be kept')
      run.end()
      throw error
    }
    if (session) holdTopic(session.subscriptions, run.id)
    this.#touching ??= unref(setInterval(() => this.#touch(), TOUCH_MS))
    void this.#drive(run, first())
    return { resultType: 'task', ...shownTask(record) }
  }

  /** A task is cancelled from this moment on, whatever its handler makes of it; undefined if there is none any more. */
  async cancel(id: string): Promise<TaskRecord | undefined> {
    const record = await this.change(
      id,
      unlessOver(({ asks, answers, ...one }) => ({ ...one, status: 'cancelled', updatedAt: this.#now() })),
    )
    if (record?.status === 'cancelled') {
      this.#cancelRun(id)
      if (record.processId !== this.#values.processId) await this.#values.publish(channelOf(record.processId), id)
    }
    return record
  }

  /** The client comes for the result of a task, and for what it asks: on that request, and not elsewhere. */
  fetched(id: string): void {
    this.#questions.withdraw(id)
  }

  /** Take answers to what a task asks; others than those are of no interest. */
  async answer(id: string, answers: Params): Promise<void> {
    await this.change(id, record => {
      const { asks } = record
      const known = Object.keys(answers).filter(key => asks !== undefined && Object.hasOwn(asks, key))
      if (!asks || known.length === 0 || record.status !== 'input_required') return record
      const left = Object.entries(asks).filter(([key]) => !known.includes(key))
      const given = known.map(key => [key, writtenAnswer(answers[key])] as const)
      const all = { ...record.answers, ...Object.fromEntries(given) }
      const { asks: _, ...rest } = record
      return left.length > 0
        ? { ...rest, asks: Object.fromEntries(left), answers: all }
        : { ...rest, status: 'working', answers: all, updatedAt: this.#now() }
    })
  }

  /** One whose process died while it ran has failed. */
  async settled(record: TaskRecord): Promise<TaskRecord> {
    const { processId } = record
    if (isOver(record) || processId === this.#values.processId || this.#values.isSettling) return record
    if (await this.#values.isAlive(processId)) return record
    return (await this.#fail(record.id, DIED)) ?? record
  }

  reported(run: TaskRun): void {
    if (!this.#runs.has(run.id) || this.#reports.has(run.id)) return
    this.#reports.set(run.id, unref(setTimeout(() => void this.#write(run), REPORT_MS)))
  }

  async ask(run: TaskRun, asks: Readonly<Record<string, Ask>>): Promise<Params> {
    await this.change(
      run.id,
      unlessOver(({ answers, ...record }) => ({ ...record, status: 'input_required', asks, updatedAt: this.#now() })),
    )
    const { record } = this.#runs.get(run.id) ?? {}
    const ms = Math.max(ANSWER_WITHIN_MS, record ? record.createdAt + record.ttlMs - this.#now() : 0)
    const isAnswered = ({ status }: TaskRecord): boolean => status !== 'input_required'
    const answer = (key: string, one: unknown): void => void this.answer(run.id, { [key]: one }).catch(() => {})
    const withdraw = this.#questions.put(run, asks, { afterMs: 2 * this.#pollMs, timeoutMs: ms, answer })
    const wait = { cancellation: run.cancellation, ms }
    const answered = await untilTask(this.store, run.id, isAnswered, wait).finally(withdraw)
    if (!answered) throw fault('timeout', `The task asked, and no answer came within ${Math.round(ms / 1000)} s`)
    if (isOver(answered)) throw new Error('The task was cancelled')
    return Object.fromEntries(Object.entries(answered.answers ?? {}).map(([key, one]) => [key, readAnswer(one)]))
  }

  /** Change a task, and tell who listens. */
  async change(id: string, how: (record: TaskRecord) => TaskRecord): Promise<TaskRecord | undefined> {
    let isChanged = false
    const record = await this.store.update(id, before => {
      const next = how(before)
      isChanged = next !== before
      return next
    })
    const own = this.#runs.get(id)
    if (record && own) own.record = record
    if (record && isChanged) this.#tell(record)
    return record
  }

  async #drive(run: TaskRun, first: Awaitable<Outcome>): Promise<void> {
    const outcome = await run.toEnd(first)
    run.end()
    const end = this.#ended(run, outcome)
    clearTimeout(this.#reports.get(run.id))
    this.#reports.delete(run.id)
    for (const ms of [...WRITE_AGAIN_MS, 0]) {
      try {
        await this.#settle(run, end)
        break
      } catch (error) {
        this.#server.log('error', 'the end of a task could not be kept', { task: run.id, error })
        if (ms > 0) await new Promise(resolve => void unref(setTimeout(resolve, ms)))
      }
    }
    this.#runs.delete(run.id)
    if (this.#runs.size > 0) return
    clearInterval(this.#touching)
    this.#touching = undefined
  }

  async #settle(run: TaskRun, end: Pick<TaskRecord, 'status' | 'result' | 'error'>): Promise<void> {
    const over = ({ asks, answers, ...record }: TaskRecord): TaskRecord => ({
      ...record,
      ...end,
      message: run.message ?? record.message,
      updatedAt: this.#now(),
    })
    const kept = await this.change(run.id, unlessOver(over))
    const { record } = this.#runs.get(run.id) ?? {}
    // What the store lost is not lost to the client.
    if (!kept && record && !isOver(record)) await this.store.restore(over(record))
    const { session } = run.call.link
    session?.subscriptions.delete(topicOf({ filter: SESSION_TASKS, value: run.id }))
  }

  /** What its client reads of how it ended. */
  #ended(run: TaskRun, outcome: Outcome): Pick<TaskRecord, 'status' | 'result' | 'error'> {
    if ('result' in outcome) return { status: 'completed', result: outcome.result }
    const { call } = run
    const request = { jsonrpc: '2.0', id: call.id, method: call.method } as const
    const end = endOf(outcome.error, { request, call, link: call.link, server: this.#server })
    if ('result' in end) return { status: 'completed', result: end.result }
    const { code, message, data } = end.error
    return { status: 'failed', error: { code, message, ...(data !== undefined && { data }) } }
  }

  async #write(run: TaskRun): Promise<void> {
    this.#reports.delete(run.id)
    const { message } = run
    const now = this.#now()
    const said = unlessOver(record => (record.message === message ? record : { ...record, message, updatedAt: now }))
    try {
      const record = await this.change(run.id, said)
      // Another process cancelled it.
      if (record?.status === 'cancelled') this.#cancelRun(run.id)
    } catch (error) {
      this.#server.log('warn', 'what a task does could not be kept', { task: run.id, error })
    }
  }

  #fail(id: string, message: string): Promise<TaskRecord | undefined> {
    const { code } = fault('internal', message)
    const failed = ({ asks, answers, ...record }: TaskRecord): TaskRecord => ({
      ...record,
      status: 'failed',
      error: { code, message },
      updatedAt: this.#now(),
    })
    return this.change(id, unlessOver(failed))
  }

  #tell(record: TaskRecord): void {
    const task = shownTask(record)
    const { id: value, session } = record
    if (session === undefined) this.#server.notify('notifications/tasks', task, { filter: TASK_IDS, value })
    else this.#server.notify('notifications/tasks/status', writeTask(task), { filter: SESSION_TASKS, value })
  }

  #cancelRun(id: string): void {
    this.#runs.get(id)?.run.cancel('The client cancelled the task')
  }

  /** Hear of tasks of this process that others cancel. */
  async #follow(): Promise<void> {
    if (this.#values.processId === '') return
    this.#isFollowing ??= this.#values.subscribe(channelOf(this.#values.processId), id => this.#cancelRun(id))
    try {
      await this.#isFollowing
    } catch (cause) {
      this.#isFollowing = undefined
      throw fault('busy', 'The store of tasks cannot be reached', { retryAfterMs: 1000 }, { cause })
    }
  }

  #touch(): void {
    for (const { record } of this.#runs.values()) {
      Promise.resolve(this.store.touch(record)).catch((error: unknown) =>
        this.#server.log('warn', 'a task could not be kept', { task: record.id, error }),
      )
    }
  }
}

/** An id that cannot be guessed; the first letters are those of the process, where requests have to find it. */
export const newTaskId = (prefix: string): string => `${prefix}${randomBytes(24).toString('base64url')}`

const channelOf = (processId: string): string => `tasks-of:${processId}`

/** A session that holds too much already hears nothing; its client asks anyway. */
function holdTopic(subscriptions: { add(uri: string): void }, id: string): void {
  try {
    subscriptions.add(topicOf({ filter: SESSION_TASKS, value: id }))
  } catch {
    // Its client asks how the task stands.
  }
}
