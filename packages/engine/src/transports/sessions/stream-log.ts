import type { Id } from '../../jsonrpc/message.ts'

/** One entry of a stream's log, as other processes read it. */
export interface LogEntry {
  /** The requests that are still to be answered after it; with none the stream is over. */
  readonly owed: readonly Id[]
  /** The event as it goes to the client; empty where there is none. */
  readonly text: string
}

/** The log of a stream of a session. */
export const logOf = (session: string, stream: string): string => `events:${session}:${stream}`

/** An entry as text. */
export const entryOf = (owed: readonly Id[], text: string): string => `${JSON.stringify(owed)}\n${text}`

/** An entry that was written as text. */
export function readEntry(stored: string): LogEntry {
  const line = stored.indexOf('\n')
  try {
    return { owed: JSON.parse(stored.slice(0, line)) as readonly Id[], text: stored.slice(line + 1) }
  } catch {
    return { owed: [], text: '' }
  }
}
