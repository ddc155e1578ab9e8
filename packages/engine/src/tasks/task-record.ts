import { isObject } from '../jsonrpc/message.ts'
import type { Params } from '../jsonrpc/message.ts'
import type { Ask } from '../wire.ts'

/** Where a task stands. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** What is kept of a task: plain JSON, so that any process can say how it stands. */
export interface TaskRecord {
  readonly id: string
  /** The process that runs it, as the store names it. */
  readonly processId: string
  /** The only principal that may use it; undefined where clients do not authenticate, and its id is all they need. */
  readonly principal?: string | undefined
  /** The name of the part of the server it was begun at; undefined for all of it. Other parts do not know it. */
  readonly view?: string | undefined
  /** What the call needed: a token with less may do nothing with what came of it. */
  readonly scopes?: readonly string[] | undefined
  /** The session it was begun in, if there was one. */
  readonly session?: string | undefined
  readonly tool: string
  readonly status: TaskStatus
  readonly message?: string | undefined
  readonly createdAt: number
  readonly updatedAt: number
  readonly ttlMs: number
  /** How long a client should wait before it asks again. */
  readonly pollMs: number
  /** Questions that wait for their answers, by the key that only they have. */
  readonly asks?: Readonly<Record<string, Ask>> | undefined
  /** What was answered to the questions that were asked together. */
  readonly answers?: Params | undefined
  readonly result?: Params | undefined
  readonly error?: TaskError | undefined
}

/** An error as it travels. */
export interface TaskError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

// What has ended stays for so long, however short a life its client wanted.
const KEPT_AFTER_MS = 60_000
// Longer than any handler may take; what still runs is written again before.
const RUNNING_MS = 2 * 60 * 60_000

/** Has it come to its end? */
export const isOver = ({ status }: Pick<TaskRecord, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** How long to keep a record from now on: never less than was promised. */
export function keptFor(record: TaskRecord, now: number): number {
  const promised = record.createdAt + record.ttlMs - now
  return Math.max(promised, isOver(record) ? KEPT_AFTER_MS : RUNNING_MS)
}

/** What its client reads of it, in neutral terms, with what became of it. */
export function shownTask(record: TaskRecord, message: string | undefined = record.message): Params {
  const { id, status, createdAt, updatedAt, ttlMs, pollMs, asks, result, error } = record
  return {
    taskId: id,
    status,
    ...(message !== undefined && { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs,
    pollIntervalMs: pollMs,
    ...(status === 'input_required' && { inputRequests: asks }),
    ...(status === 'completed' && { result: { resultType: 'complete', ...result } }),
    ...(status === 'failed' && { error }),
  }
}

/** A record that was written down; undefined if it cannot be read. */
export function readTaskRecord(text: string | undefined): TaskRecord | undefined {
  if (text === undefined) return undefined
  try {
    const record: unknown = JSON.parse(text)
    return isObject(record) && typeof record.id === 'string' ? (record as unknown as TaskRecord) : undefined
  } catch {
    return undefined
  }
}
