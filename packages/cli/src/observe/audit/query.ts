import { isObject } from '@causeway/engine/internal'
import { linesIn, sortedByTime } from './lines.ts'

/** Which entries of an audit are wanted: all that is named has to fit. `*` in a text stands for anything. */
export interface AuditQuery {
  readonly principal?: RegExp | undefined
  /** The tool, or the prompt or resource. */
  readonly tool?: RegExp | undefined
  readonly outcome?: RegExp | undefined
  /** Milliseconds. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

/** An entry, and the line it stands in. */
export interface FoundEntry {
  readonly line: string
  readonly entry: Readonly<Record<string, unknown>>
}

/** The entries that fit, in the order of the files. Lines that are none are left out. */
export function* queryAudit(files: readonly string[], query: AuditQuery): Generator<FoundEntry> {
  for (const file of sortedByTime(files)) {
    for (const { bytes } of linesIn(file)) {
      const line = bytes.toString()
      const entry = entryIn(line)
      if (entry && fits(entry, query)) yield { line, entry }
    }
  }
}

function entryIn(line: string): FoundEntry['entry'] | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    return isObject(entry) && entry.audit === undefined ? entry : undefined
  } catch {
    return undefined
  }
}

function fits(entry: FoundEntry['entry'], { principal, tool, outcome, since, until }: AuditQuery): boolean {
  const time = Date.parse(String(entry.time))
  if (since !== undefined && !(time >= since)) return false
  if (until !== undefined && !(time < until)) return false
  const is = (wanted: RegExp | undefined, value: unknown): boolean => !wanted || wanted.test(wordOf(value))
  return is(principal, entry.principal) && is(outcome, entry.outcome) && is(tool, targetOf(entry))
}

/** A name as it is compared; what is none fits only `*`. */
const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What an entry is about. */
export const targetOf = ({ tool, prompt, resource, server, path, method }: FoundEntry['entry']): unknown =>
  tool ?? prompt ?? resource ?? server ?? path ?? method
