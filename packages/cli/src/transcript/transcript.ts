import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import type { Message } from '@causeway/engine'
import { isObject } from '@causeway/engine/internal'
import { UsageError } from '../config/usage-error.ts'
import { problemOf, valueIn } from './messages.ts'

/** The first line of a transcript. */
export interface Head {
  readonly transcript: 1
  /** The server, as the command line named it, without secrets. */
  readonly server: string
}

/** One message of a conversation, and who sent it. */
export interface Entry {
  readonly from: 'client' | 'server'
  readonly message: Message
}

/** A conversation: a line of JSON for its head, and one per message. */
export interface Transcript {
  readonly head: Head
  readonly entries: readonly Entry[]
}

/** The largest file that is written or read. */
export const MOST_BYTES: number = 100 * 1024 * 1024

/** Does a file begin as a transcript does? */
export const isHead = (value: unknown): value is Head =>
  isObject(value) && value.transcript === 1 && typeof value.server === 'string'

/** Read a transcript; a line that is none is named. */
export function readTranscript(file: string): Transcript {
  const lines = textOf(file)
    .split('\n')
    .map((text, at) => ({ text: text.trim(), at: at + 1 }))
    .filter(({ text }) => text !== '')
  const values = lines.map(({ text, at }) => ({ value: parsed(text, file, at), at }))
  const [first, ...rest] = values
  if (!isHead(first?.value))
    throw new UsageError(`${file} is no transcript: its first line must be {"transcript":1,"server":…}.`, 4)
  return { head: first.value, entries: rest.map(({ value, at }) => entryOf(value, file, at)) }
}

function textOf(file: string): string {
  try {
    return fileText(file)
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, 4)
  }
}

/** The text of a file. A pipe or a device could be read without end. */
export function fileText(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new Error('it is no file')
    if (stats.size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

function parsed(text: string, file: string, line: number): unknown {
  try {
    return valueIn(text)
  } catch (error) {
    throw new UsageError(
      `${file}:${line} is not JSON that can be read: ${error instanceof Error ? error.message : String(error)}`,
      4,
    )
  }
}

function entryOf(value: unknown, file: string, line: number): Entry {
  if (!isObject(value) || (value.from !== 'client' && value.from !== 'server'))
    throw new UsageError(`${file}:${line} must be {"from":"client"|"server","message":{…}}.`, 4)
  const problem = problemOf(value.message)
  if (problem !== undefined) throw new UsageError(`${file}:${line} has no message: ${problem}.`, 4)
  return value as unknown as Entry
}
