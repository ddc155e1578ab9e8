import { closeSync, fstatSync, renameSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import type { Log } from '@causeway/engine'
import { rarely } from '@causeway/engine/internal'
import { AuditChain, NO_HASH } from './chain.ts'
import type { ChainHead } from './chain.ts'
import { asideOf, beginFile, isSame, open, openIfThere, takeBack } from './files.ts'
import { endOf, startOf, tornAtEndOf, tornOf } from './file-end.ts'
import type { FileEnd, TornLine } from './file-end.ts'

/** How an audit is written. */
export interface AuditFileOptions {
  readonly log: Log
  /** The name of this process in every line. */
  readonly node: string
  /** A file of more bytes, or an older one, is put aside, and a new one begun. */
  readonly maxBytes?: number | undefined
  readonly maxAgeMs?: number | undefined
  readonly now?: () => number
}

// So often it is looked whether another process, or a program that rotates logs, moved the file.
const LOOK_MS = 1000
// A file that could not be put aside is left alone for so long.
const RETRY_MS = 60_000

/**
 * Writes entries to the end of a file at once, as a chain of hashes: whole lines, or none. The chain begins with the first
 * entry, goes on where the file ends, and is carried over into the next file.
 */
export class AuditFile {
  readonly #file: string
  readonly #options: AuditFileOptions
  readonly #now: () => number
  readonly #warn: Log
  readonly #chain: AuditChain
  /** Undefined while there is no file: it comes into being with its first lines. */
  #descriptor: number | undefined
  /** What has to be said before the next entry. */
  #pending: object[] = []
  #after: string = NO_HASH
  #torn: TornLine | undefined
  /** What a pipe took of the last lines that it could not take as a whole. */
  #leftInPipe: TornLine | undefined
  #lost = 0
  #since = 0
  #lookedAt = -Infinity
  #rotateAfter = -Infinity

  constructor(file: string, options: AuditFileOptions) {
    this.#file = file
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#warn = rarely(options.log)
    this.#chain = new AuditChain(options.node)
    this.#descriptor = openIfThere(file)
  }

  /** The last line that stands in the file. */
  get head(): ChainHead | undefined {
    return this.#chain.head
  }

  /** An entry that cannot be written is logged, and counted in the next that can. */
  write(entry: object): void {
    try {
      if (this.#chain.head) this.#follow()
      else this.#begin()
      this.#rotateIfDue()
      // Another process may have begun the file in the meantime.
      if (!this.#append([...this.#pending, ...this.#gap(), entry])) return this.write(entry)
      this.#told()
    } catch (error) {
      this.#lost += 1
      if (this.#chain.head) this.#torn = tornAtEndOf(this.#file) ?? this.#leftInPipe
      // The call is done by now, and its answer must not say otherwise.
      this.#options.log('error', 'an audit entry could not be written', { file: this.#file, entry, error })
    }
  }

  /** Say that nothing more comes. */
  close(): void {
    if (this.#chain.head) this.write({ audit: 'end', time: this.#time() })
    this.#closeFile()
  }

  /** The first line names what the file ended with; what is of no chain is put aside, since it cannot be verified. */
  #begin(): void {
    const end = endOf(this.#file)
    const isForeign = end !== undefined && end.size > 0 && !end.last
    const aside = isForeign ? this.#putAside() : undefined
    const before = isForeign ? undefined : end
    this.#after = before?.last?.hash ?? NO_HASH
    this.#torn = before?.torn
    this.#since = startOf(before) ?? this.#now()
    const more = { ...goesOn(before), ...(aside !== undefined && { aside }) }
    this.#pending = [{ audit: 'begin', time: this.#time(), pid: process.pid, ...more }]
  }

  /** A file that was moved is no longer written to. */
  #follow(): void {
    const now = this.#now()
    if (now - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = now
    if (this.#descriptor === undefined) return
    const own = fstatSync(this.#descriptor)
    if (!own.isFile() || isSame(own, this.#file)) return
    this.#reopen(undefined)
  }

  #rotateIfDue(): void {
    const now = this.#now()
    if (this.#descriptor === undefined || !this.#chain.head || !this.#isDue(now)) return
    const own = fstatSync(this.#descriptor)
    if (!own.isFile() || own.size === 0) return
    this.#rotateAfter = now + RETRY_MS
    // Another process may have been first.
    if (!isSame(own, this.#file)) return this.#reopen(undefined)
    this.#rotate(now)
  }

  #isDue(now: number): boolean {
    const { maxBytes = Infinity, maxAgeMs = Infinity } = this.#options
    if ((maxBytes === Infinity && maxAgeMs === Infinity) || now < this.#rotateAfter) return false
    return now - this.#since >= maxAgeMs || (this.#descriptor !== undefined && sizeOf(this.#descriptor) >= maxBytes)
  }

  #rotate(now: number): void {
    const aside = asideOf(this.#file, now)
    this.#append([...this.#pending, ...this.#gap(), { audit: 'rotated', time: this.#time(), to: basename(aside) }])
    this.#told()
    try {
      renameSync(this.#file, aside)
      this.#reopen(basename(aside))
      this.#rotateAfter = -Infinity
    } catch (error) {
      this.#warn('error', 'an audit file could not be put aside, and grows on', { file: this.#file, error })
    }
  }

  #reopen(from: string | undefined): void {
    this.#closeFile()
    this.#descriptor = openIfThere(this.#file)
    const end = endOf(this.#file)
    this.#since = startOf(end) ?? this.#now()
    this.#torn = end?.torn
    const more = { ...(from !== undefined && { from }), ...(this.#torn && { torn: this.#torn }) }
    this.#pending = [{ audit: 'carried', time: this.#time(), after: this.#chain.head?.hash, ...more }]
  }

  #putAside(): string {
    const aside = asideOf(this.#file, this.#now())
    renameSync(this.#file, aside)
    this.#closeFile()
    this.#options.log('warn', 'an audit file that is no chain of hashes was put aside', { file: aside })
    return basename(aside)
  }

  /** What could not be written is told by how much it was. */
  #gap(): object[] {
    if (this.#lost === 0) return []
    const isUntold = this.#torn !== undefined && this.#pending.length === 0
    return [{ audit: 'gap', time: this.#time(), lost: this.#lost, ...(isUntold && { torn: this.#torn }) }]
  }

  /** What was pending stands in the file. */
  #told(): void {
    this.#pending = []
    this.#lost = 0
    this.#torn = undefined
    this.#leftInPipe = undefined
  }

  #closeFile(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  /** False, and nothing is written, where the file was to be begun and another process was first. */
  #append(records: readonly object[]): boolean {
    const lines = this.#chain.next(records, this.#after)
    if (this.#descriptor === undefined) {
      const isOurs = beginFile(this.#file, lines.bytes)
      this.#descriptor = open(this.#file)
      if (isOurs) this.#chain.written(lines)
      return isOurs
    }
    const bytes = this.#torn ? Buffer.concat([Buffer.from('\n'), lines.bytes]) : lines.bytes
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written)
    } catch (error) {
      if (written > 0 && !fstatSync(this.#descriptor).isFile()) this.#leftInPipe = tornOf(bytes.subarray(0, written))
      else takeBack(this.#file, this.#descriptor, bytes.subarray(0, written))
      throw error
    }
    this.#chain.written(lines)
    return true
  }

  #time(): string {
    return new Date(this.#now()).toISOString()
  }
}

const sizeOf = (descriptor: number): number => fstatSync(descriptor).size

/** What the first line of a chain says of the lines before it. */
const goesOn = (before: FileEnd | undefined): object => ({
  after: before?.last?.hash ?? null,
  ...(before?.last && !before.last.isEnd && { unended: true }),
  ...(before?.torn && { torn: before.torn }),
})
