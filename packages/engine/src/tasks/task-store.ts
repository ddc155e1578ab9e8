import { createHash } from 'node:crypto'
import { after } from '../awaitable.ts'
import type { Awaitable } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import type { Channels, Presence, Values } from '../stores/store.ts'
import { isOver, keptFor, readTaskRecord } from './task-record.ts'
import type { TaskRecord } from './task-record.ts'

/** What of a store tasks need. */
export type TaskValues = Values & Channels & Presence

/** How many tasks there may be. */
export interface TaskLimits {
  /** Of one client: its principal, else its network. */
  readonly ofClient: number
  /** In all, where they are kept in this process. */
  readonly inAll: number
  /** Characters of all results, where they are kept in this process. */
  readonly characters: number
  /** Characters of the results of one client there: others have room, too. */
  readonly charactersOfClient: number
}

/** An id of a client's list, and when the task is no longer counted. */
type Listed = readonly [id: string, until: number]

interface Size {
  readonly until: number
  readonly characters: number
  readonly client: string
}

const TRIES = 20
const RETRY_MS = 1000

/** The records of tasks in a store, each changed only from what it was. */
export class TaskStore {
  readonly #store: TaskValues
  readonly #limits: TaskLimits
  readonly #now: () => number
  /** What is kept in this process alone, where the store is. */
  readonly #own = new Map<string, Size>()
  readonly #ofClients = new Map<string, number>()
  #characters = 0

  constructor(store: TaskValues, limits: TaskLimits, now: () => number) {
    this.#store = store
    this.#limits = limits
    this.#now = now
  }

  /** Keep a new task; it is kept when the promise resolves. */
  async create(record: TaskRecord, client: string): Promise<void> {
    this.#checkRoom(client)
    try {
      await this.#enlist(client, record)
      await this.#store.set(keyOf(record.id), this.#written(record, client), keptFor(record, this.#now()))
    } catch (error) {
      throw isBusy(error) ? error : unreachable(error)
    }
  }

  /** A task by its id; undefined if there is none, or none any more. */
  read(id: string): Awaitable<TaskRecord | undefined> {
    return after(this.#text(id), readTaskRecord)
  }

  /** The same, with how long it is as text: to read many of them is work. */
  sized(id: string): Awaitable<{ readonly record: TaskRecord | undefined; readonly characters: number }> {
    return after(this.#text(id), text => ({ record: readTaskRecord(text), characters: text?.length ?? 0 }))
  }

  /** Change a task from what it is now; undefined if there is none. What `change` leaves as it is is not written. */
  async update(id: string, change: (record: TaskRecord) => TaskRecord): Promise<TaskRecord | undefined> {
    for (let tries = 0; tries < TRIES; tries++) {
      const text = await this.#text(id)
      const record = readTaskRecord(text)
      if (!record) return undefined
      const changed = change(record)
      if (changed === record) return record
      const kept = await this.#store.replace(keyOf(id), text, this.#written(changed), keptFor(changed, this.#now()))
      if (kept) {
        await this.#store.publish(channelOf(id), changed.status)
        return changed
      }
    }
    throw fault('busy', `The task is being changed by others. Try again.`, { retryAfterMs: RETRY_MS })
  }

  /** Write down again what nothing is left of, because the store lost it. */
  async restore(record: TaskRecord): Promise<void> {
    await this.#store.once(keyOf(record.id), this.#written(record), keptFor(record, this.#now()))
  }

  /** Keep a task that still runs. */
  touch(record: TaskRecord): Awaitable<void> {
    return this.#store.touch(keyOf(record.id), keptFor(record, this.#now()))
  }

  /** Be called when a task changes, in any process, until the returned function is called. */
  watch(id: string, listener: () => void): Awaitable<() => void> {
    return this.#store.subscribe(channelOf(id), listener)
  }

  /** The ids of a client's tasks, oldest first. */
  async idsOf(client: string): Promise<readonly string[]> {
    return readList(await this.#list(client)).map(([id]) => id)
  }

  #text(id: string): Awaitable<string | undefined> {
    try {
      const text = this.#store.get(keyOf(id))
      return text instanceof Promise
        ? text.catch((error: unknown) => {
            throw unreachable(error)
          })
        : text
    } catch (error) {
      throw unreachable(error)
    }
  }

  #list(client: string): Awaitable<string | undefined> {
    return this.#store.get(listKeyOf(client))
  }

  async #enlist(client: string, { id, createdAt, ttlMs }: TaskRecord): Promise<void> {
    const { ofClient } = this.#limits
    for (let tries = 0; tries < TRIES; tries++) {
      const text = await this.#list(client)
      const now = this.#now()
      const left = readList(text).filter(([, until]) => until > now)
      if (left.length >= ofClient) throw tooMany(ofClient, Math.min(...left.map(([, until]) => until)) - now)
      const list = [...left, [id, createdAt + ttlMs] as const]
      const keptMs = Math.max(...list.map(([, until]) => until)) - now
      if (await this.#store.replace(listKeyOf(client), text, JSON.stringify(list), keptMs)) return
    }
    throw fault('busy', 'Too many tasks are begun at once. Try again.', { retryAfterMs: RETRY_MS })
  }

  #written(record: TaskRecord, owner?: string): string {
    const text = JSON.stringify(record)
    if (this.#store.processId !== '') return text
    const client = owner ?? this.#own.get(record.id)?.client ?? ''
    this.#forget(record.id)
    this.#own.set(record.id, {
      characters: text.length,
      until: this.#now() + keptFor(record, this.#now()),
      client,
    })
    this.#count(client, text.length)
    return text
  }

  #forget(id: string): void {
    const known = this.#own.get(id)
    if (!known) return
    this.#own.delete(id)
    this.#count(known.client, -known.characters)
  }

  #count(client: string, characters: number): void {
    this.#characters += characters
    const left = (this.#ofClients.get(client) ?? 0) + characters
    if (left > 0) this.#ofClients.set(client, left)
    else this.#ofClients.delete(client)
  }

  /** Only what is kept in this process can fill it. */
  #checkRoom(client: string): void {
    const { inAll, characters, charactersOfClient } = this.#limits
    const isFull = (): boolean => this.#own.size >= inAll || this.#characters >= characters
    const hasFilled = (): boolean => (this.#ofClients.get(client) ?? 0) >= charactersOfClient
    if (!isFull() && !hasFilled()) return
    const now = this.#now()
    for (const [id, { until }] of this.#own) if (until <= now) this.#forget(id)
    if (hasFilled()) throw noRoom('The results of your tasks take all the room that one client may have')
    if (isFull()) throw noRoom(`The server keeps ${this.#own.size} tasks, which is all it can keep`)
  }
}

const noRoom = (why: string): Error =>
  fault(
    'busy',
    `${why}. No task was begun`,
    { retryAfterMs: 60_000 },
    { hint: 'Try again later, or call the tool without a task.' },
  )

/** May a task still be changed by what it comes to? Its end is final. */
export const unlessOver =
  (change: (record: TaskRecord) => TaskRecord) =>
  (record: TaskRecord): TaskRecord =>
    isOver(record) ? record : change(record)

const keyOf = (id: string): string => `task:${id}`
const channelOf = (id: string): string => `task:${id}`
const listKeyOf = (client: string): string =>
  `tasks:${createHash('sha256').update(client).digest('base64url').slice(0, 32)}`

function readList(text: string | undefined): readonly Listed[] {
  return text === undefined ? [] : (JSON.parse(text) as readonly Listed[])
}

const isBusy = (error: unknown): boolean => error instanceof Error && 'kind' in error && error.kind === 'busy'

const unreachable = (cause: unknown): Error =>
  fault('busy', 'The store of tasks cannot be reached', { retryAfterMs: RETRY_MS }, { hint: 'Try again later.', cause })

function tooMany(most: number, ms: number): Error {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return fault(
    'busy',
    `You have ${most} tasks, which is the most one client may have. The first of them expires in ${seconds} s`,
    { limit: most, retryAfterMs: seconds * 1000 },
    { hint: 'Begin tasks with a shorter ttl, or call the tool without a task.' },
  )
}
