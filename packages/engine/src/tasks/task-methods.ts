import { insufficientScope, missingScopes } from '../auth/scopes.ts'
import { all } from '../awaitable.ts'
import type { Call, Method } from '../call.ts'
import { RpcError, fault } from '../jsonrpc/errors.ts'
import { cut, isObject } from '../jsonrpc/message.ts'
import type { Params, Result } from '../jsonrpc/message.ts'
import { quotaKey } from '../policies/client-key.ts'
import { RELATED_TASK, whoBeginsTasks } from '../protocol/tasks/kinds.ts'
import { sessionOf } from '../protocol/session.ts'
import { isOver, shownTask } from './task-record.ts'
import type { TaskRecord } from './task-record.ts'
import type { Tasks } from './tasks.ts'
import { untilTask } from './waiting.ts'

const PAGE = 100
// A page is read at once, and nothing else is done meanwhile.
const PAGE_CHARACTERS = 2 * 1024 * 1024
const MOST_LISTENED = 100
const MOST_WAITING = 10_000
// As many as tasks it may have; one client leaves room for others.
const MOST_WAITING_OF_CLIENT = 1000

/** The methods of both kinds of tasks, and those that only one of them has. */
export interface TaskMethods {
  readonly methods: readonly Method[]
  readonly coreMethods: readonly Method[]
}

/** What clients may ask of the tasks of a server. */
export function taskMethods(tasks: Tasks): TaskMethods {
  const mirror = 'taskId'
  return {
    methods: [
      { name: 'tasks/get', run: call => get(tasks, call), mirror, polled: true },
      { name: 'tasks/update', run: call => update(tasks, call), mirror, polled: true },
      { name: 'tasks/cancel', run: call => cancel(tasks, call), mirror, polled: true },
    ],
    coreMethods: [
      { name: 'tasks/result', run: waitingFor(tasks), asks: true, polled: true },
      { name: 'tasks/list', run: call => list(tasks, call) },
    ],
  }
}

/** Which of the tasks that a listener names are its own. */
export async function ownTasks(tasks: Tasks, wanted: unknown, call: Call): Promise<readonly string[]> {
  if (!Array.isArray(wanted) || !wanted.every(id => typeof id === 'string'))
    throw fault('invalid-params', 'Invalid params: "taskIds" must be an array of the ids of tasks')
  if (wanted.length > MOST_LISTENED)
    throw fault('invalid-params', `Invalid params: "taskIds" names ${wanted.length} tasks; at most ${MOST_LISTENED}`)
  const records = await all(wanted.map(id => tasks.store.read(id)))
  return records.flatMap(record => (record && mayUse(record, call) ? [record.id] : []))
}

async function get(tasks: Tasks, call: Call): Promise<Result> {
  const record = await tasks.settled(await known(tasks, call))
  return shownTask(record, isOver(record) ? record.message : (tasks.messageOf(record.id) ?? record.message))
}

async function update(tasks: Tasks, call: Call): Promise<Result> {
  const { id } = await known(tasks, call)
  await tasks.answer(id, call.answers)
  return {}
}

/** Who asked for a task hears how it stands, and cannot cancel one that is over; elsewhere there is nothing to hear. */
async function cancel(tasks: Tasks, call: Call): Promise<Result> {
  const record = await tasks.settled(await known(tasks, call))
  const isAskedFor = whoBeginsTasks(call.caller) === 'client'
  if (isOver(record)) {
    if (!isAskedFor) return {}
    throw fault('invalid-params', `The task is over: it is '${record.status}', so it cannot be cancelled`)
  }
  const cancelled = await tasks.cancel(record.id)
  if (!isAskedFor) return {}
  if (cancelled?.status !== 'cancelled') throw fault('invalid-params', 'The task was over before it could be cancelled')
  return shownTask(cancelled)
}

/** Waits until the task is over, or asks. */
function waitingFor(tasks: Tasks): Method['run'] {
  const waiting = new Waiting()
  return async call => {
    const { id } = await tasks.settled(await known(tasks, call))
    const leave = waiting.enter(quotaKey(call))
    try {
      if (Object.keys(call.answers).length > 0) await tasks.answer(id, call.answers)
      const record = await next(tasks, id, call)
      tasks.fetched(id)
      return outcome(id, record)
    } finally {
      leave()
    }
  }
}

/** Requests that wait for tasks, counted for each client. */
class Waiting {
  readonly #ofClients = new Map<string, number>()
  #inAll = 0

  /** One more; what is returned takes it away. */
  enter(client: string): () => void {
    const own = this.#ofClients.get(client) ?? 0
    if (own >= MOST_WAITING_OF_CLIENT) throw busy(`${own} of your requests wait for tasks, which is the most`)
    if (this.#inAll >= MOST_WAITING) throw busy(`${MOST_WAITING} requests wait for tasks`)
    this.#inAll += 1
    this.#ofClients.set(client, own + 1)
    return () => {
      this.#inAll -= 1
      const left = (this.#ofClients.get(client) ?? 1) - 1
      if (left > 0) this.#ofClients.set(client, left)
      else this.#ofClients.delete(client)
    }
  }
}

const busy = (why: string): Error =>
  fault('busy', `Busy: ${why}`, { retryAfterMs: 1000 }, { hint: 'Try again later, or ask with tasks/get.' })

/** What its client can act on. A process that dies says nothing, so from time to time it is looked whether it runs. */
async function next(tasks: Tasks, id: string, call: Call): Promise<TaskRecord | undefined> {
  const isReady = (record: TaskRecord): boolean => isOver(record) || record.status === 'input_required'
  for (;;) {
    const record = await untilTask(tasks.store, id, isReady, { cancellation: call.cancellation, ms: 10_000 })
    if (record) return record
    const still = await tasks.store.read(id)
    const now = still && (await tasks.settled(still))
    if (!now || isReady(now)) return now
  }
}

function outcome(id: string, record: TaskRecord | undefined): Result {
  if (!record) throw unknownTask(id)
  const { status, asks = {}, result = {}, error } = record
  const related = { [RELATED_TASK]: { taskId: id } }
  if (status === 'input_required') return { resultType: 'input_required', inputRequests: asked(asks, related) }
  if (status === 'completed') return { ...result, _meta: { ...(result._meta as object | undefined), ...related } }
  if (status === 'cancelled') throw fault('internal', 'The task was cancelled before it had a result')
  throw new RpcError(error?.code ?? 0, error?.message ?? 'The task failed', error?.data)
}

const asked = (asks: NonNullable<TaskRecord['asks']>, related: Params): Params =>
  Object.fromEntries(
    Object.entries(asks).map(([key, { method, params }]) => {
      const _meta = { ...(isObject(params._meta) && params._meta), ...related }
      return [key, { method, params: { ...params, _meta } }]
    }),
  )

/** Oldest first. Who did not authenticate sees what was begun in this session. Long results make short pages. */
async function list(tasks: Tasks, call: Call): Promise<Result> {
  const ids = await tasks.store.idsOf(quotaKey(call))
  const { cursor } = call.params
  const at = typeof cursor === 'string' ? ids.indexOf(cursor) : -1
  if (cursor !== undefined && at < 0)
    throw fault('invalid-params', 'Invalid params: "cursor" is not one of this list, or its task has expired')
  const session = sessionOf(call)?.id
  const left = ids.slice(at + 1)
  const { looked, records } = await readPage(tasks, left)
  const isShown = (record: TaskRecord): boolean =>
    mayUse(record, call) && (call.caller.principal !== undefined || record.session === session)
  const settled = await Promise.all(records.filter(isShown).map(record => tasks.settled(record)))
  const last = left[looked - 1]
  return {
    tasks: settled.map(record => shownTask(record)),
    ...(looked < left.length && last !== undefined && { nextCursor: last }),
  }
}

/** The first of these tasks, as many as a page may have, and how many ids that were. */
async function readPage(
  { store }: Tasks,
  ids: readonly string[],
): Promise<{ readonly looked: number; readonly records: readonly TaskRecord[] }> {
  const records: TaskRecord[] = []
  let left = PAGE_CHARACTERS
  let looked = 0
  for (const id of ids.slice(0, PAGE)) {
    if (left <= 0) break
    const { record, characters } = await store.sized(id)
    if (record) records.push(record)
    left -= characters
    looked += 1
  }
  return { looked, records }
}

async function known(tasks: Tasks, call: Call): Promise<TaskRecord> {
  const { taskId } = call.params
  if (typeof taskId !== 'string') throw fault('invalid-params', 'Invalid params: "taskId" must be the id of a task')
  const record = await tasks.store.read(taskId)
  if (!record || !isOwn(record, call)) throw unknownTask(taskId)
  if (!hasScopes(record, call)) throw insufficientScope(record.scopes ?? [])
  return record
}

/** Each part of a server is a resource of its own: what was begun at one is unknown at the others. */
const isOwn = ({ principal, view }: TaskRecord, { caller }: Call): boolean =>
  principal === caller.principal?.name && view === caller.view?.name

const hasScopes = ({ scopes = [] }: TaskRecord, { caller }: Call): boolean =>
  !caller.principal || missingScopes(caller.principal, scopes).length === 0

const mayUse = (record: TaskRecord, call: Call): boolean => isOwn(record, call) && hasScopes(record, call)

const unknownTask = (id: string): Error =>
  fault('invalid-params', `You have no task '${cut(id, 100)}'. It may have expired`)
