import type { Awaitable } from '../call.ts'

/** One event of a log, numbered from 1 by the one process that writes the log. */
export interface StoredEvent {
  readonly number: number
  readonly text: string
}

/** A bucket of `burst` tokens, filled with `perSecond`. */
export interface TokenBucket {
  readonly burst: number
  readonly perSecond: number
}

/** Whether a token was there, and if not, when one will be. */
export interface Taken {
  readonly granted: boolean
  readonly retryAfterMs: number
}

/** Values under keys, each kept for so long. */
export interface Values {
  get(key: string): Awaitable<string | undefined>
  /** Keep a value for so long. */
  set(key: string, value: string, ttlMs: number): Awaitable<void>
  /** Keep a value for so long unless there is one; the one that is kept now. */
  once(key: string, value: string, ttlMs: number): Awaitable<string>
  /** Keep a value in the place of the expected one, undefined for none; false, and nothing done, if another is there. */
  replace(key: string, expected: string | undefined, value: string, ttlMs: number): Awaitable<boolean>
  /** Keep a value that is there for so long from now. */
  touch(key: string, ttlMs: number): Awaitable<void>
  /** Forget a value. */
  delete(key: string): Awaitable<void>
}

/** Logs of numbered events, each kept for so long after its last one. */
export interface Logs {
  /** Add the next event to a log, which is kept for so long from now. Old events may have to make room. */
  append(log: string, event: StoredEvent, ttlMs: number): Awaitable<void>
  /** Add an event to a log that any process may write: the store numbers it, higher than all before, and tells who follows. */
  announce(log: string, text: string, ttlMs: number): Awaitable<number>
  /** The events of a log past that number which are still kept, in order. */
  read(log: string, after: number): Awaitable<readonly StoredEvent[]>
  /** Hear of the events added to a log from now on, in any process, until the returned function is called. */
  follow(log: string, listener: (event: StoredEvent) => void): Awaitable<() => void>
  /** Forget a log. */
  drop(log: string): Awaitable<void>
}

/** Token buckets, for limits on rates. */
export interface Buckets {
  /** Take a token out of a bucket, which is full when it is first asked for. */
  take(key: string, bucket: TokenBucket): Awaitable<Taken>
}

/** Messages between processes. */
export interface Channels {
  /** Send a message to all subscribers of a channel, in every process; resolves to how many there were. */
  publish(channel: string, message: string): Awaitable<number>
  /** Hear what is published on a channel until the returned function is called. */
  subscribe(channel: string, listener: (message: string) => void): Awaitable<() => void>
}

/** Which process this is, which others run, and whether the store can be reached. */
export interface Presence {
  /** Names this process among those that share the store; letters and digits, empty if it is not shared. */
  readonly processId: string
  /** Does the process of that name run? True if that is not known yet. */
  isAlive(processId: string): Awaitable<boolean>
  /** Can it be reached now? */
  readonly reachable: boolean
  /** Did it come back a moment ago, so that what is not there may still be written back by others? */
  readonly isSettling: boolean
  /** Be called each time the store can be reached again, when it may have lost what it kept, until the returned function is called. */
  onReconnect(listener: () => void): () => void
}

/**
 * State that can outlive a process, or be shared by several: session records, events kept for resumption, rate limits.
 * What is at hand is answered at once; only a store that has to ask another process returns promises.
 */
export interface Store extends Values, Logs, Buckets, Channels, Presence {
  /** Nothing more is asked of it. */
  close(): Awaitable<void>
}
