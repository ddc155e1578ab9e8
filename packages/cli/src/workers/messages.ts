import { basename } from 'node:path'
import type { PeerMessage } from '@causeway/console'
import type { TokenBucket } from '@causeway/engine/stores'
import type { MetricsSnapshot } from '@causeway/engine/metrics'

/** What the primary process says to a worker; connections come along with `connection`. */
export type ToWorker =
  | Start
  | Peers
  | { readonly type: 'connection'; readonly id: number }
  | { readonly type: 'snapshot' }
  /** What another worker says to the consoles of all. */
  | { readonly type: 'feed'; readonly worker: string; readonly message: PeerMessage }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  /** Read the configuration again, and exchange what can be exchanged while serving. */
  | { readonly type: 'reload' }
  /** Finish what runs, then end. */
  | { readonly type: 'stop' }
  /** Others take over: end when nothing is asked any more. */
  | { readonly type: 'retire' }

/** The first thing a worker hears. */
export interface Start {
  readonly type: 'start'
  readonly name: string
  /** The lowest number that no other worker has, for files that outlive it. */
  readonly slot: number
  /** Where the workers' sockets are. */
  readonly folder: string
  /** Seals what clients carry between rounds, for all workers alike. */
  readonly secret: string
  /** Where clients connect to. */
  readonly url: string
  /** How many workers share the limits. */
  readonly workers: number
}

/** The workers there are, this one included. */
export interface Peers {
  readonly type: 'peers'
  readonly names: readonly string[]
}

/** What a worker says to the primary process. */
export type FromWorker =
  | { readonly type: 'ready'; readonly banner: string }
  /** It has that connection now: no other worker may have it. */
  | { readonly type: 'taken'; readonly id: number }
  /** So many of its connections closed. */
  | { readonly type: 'closed'; readonly count: number }
  | { readonly type: 'snapshot'; readonly snapshot: MetricsSnapshot }
  /** For the consoles of the other workers, or of one of them. */
  | { readonly type: 'feed'; readonly message: PeerMessage; readonly to: string | undefined }
  | { readonly type: 'give'; readonly tokens: readonly (readonly [string, number])[] }
  | { readonly type: 'ask'; readonly id: number; readonly question: Question }

/** What a worker asks the primary process. */
export type Question = { readonly about: 'metrics' } | TokenQuestion | OnceQuestion

/** A value is to be kept unless there is one; the answer is the one that is kept. */
export interface OnceQuestion {
  readonly about: 'once'
  readonly key: string
  readonly value: string
  readonly ttlMs: number
}

/** So many tokens of a client's bucket are wanted, or as many as there are. */
export interface TokenQuestion {
  readonly about: 'tokens'
  readonly key: string
  readonly bucket: TokenBucket
  readonly count: number
}

/** The Unix socket of a worker; on Windows a pipe. */
export const socketIn = (folder: string, name: string): string =>
  process.platform === 'win32' ? `\\\\.\\pipe\\${basename(folder)}-${name}` : `${folder}/${name}.sock`

/** The number of a worker of that name. */
export const numberOf = (name: string): number => Number(/^w(\d{1,9})$/.exec(name)?.[1])
