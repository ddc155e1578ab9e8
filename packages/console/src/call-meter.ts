import { RpcError, audit, only, redactText } from '@causeway/engine'
import type { AuditEntry, AuditOptions, Awaitable, Call, Handle, Policy, Result } from '@causeway/engine'
import type { CallRecord } from './operator-records.ts'

// Redacting arguments costs more than a small call: above this rate they are not kept, and while nobody looks only counts.
const DETAILED_PER_SECOND = 200
const MOST_CHARACTERS = 2000
const MOST_DURATIONS = 1000
const MOST_NAMES = 1000
const GOOD: ReadonlySet<string> = new Set(['ok', 'asked', 'cancelled'])

/** What calls came to since it was last asked. */
export interface Tally {
  readonly calls: number
  readonly errors: number
  readonly p50: number
  readonly p95: number
  readonly running: number
}

/** What a meter needs to know. */
export interface MeterOptions {
  readonly schemaOf: NonNullable<AuditOptions['schemaOf']>
  /** Does anybody look at calls right now? */
  readonly isWatched: () => boolean
}

interface Ways extends Pick<MeterOptions, 'isWatched'> {
  readonly detailed: Policy
}

/** Watches tool calls: each one for the log, all of them for the charts. */
export class CallMeter {
  readonly policy: Policy
  readonly #write: (record: CallRecord) => void
  #ids = 0
  #running = 0
  #calls = 0
  #errors = 0
  #detailed = 0
  #durations: number[] = []

  constructor(write: (record: CallRecord) => void, { schemaOf, isWatched }: MeterOptions) {
    this.#write = write
    const detailed = audit(entry => this.#ended(recordOf(entry)), { schemaOf })
    this.policy = only(['tools/call'], (call, next) => {
      this.#running += 1
      try {
        const result = this.#run(call, next, { detailed, isWatched })
        if (result instanceof Promise) return result.finally(() => (this.#running -= 1))
        this.#running -= 1
        return result
      } catch (error) {
        this.#running -= 1
        throw error
      }
    })
  }

  /** Counts since the last time, which begin anew. */
  take(): Tally {
    const sorted = this.#durations.sort((a, b) => a - b)
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
    const tally = { calls: this.#calls, errors: this.#errors, p50: at(0.5), p95: at(0.95), running: this.#running }
    this.#calls = this.#errors = this.#detailed = 0
    this.#durations = []
    return tally
  }

  #run(call: Call, next: Handle, { detailed, isWatched }: Ways): Awaitable<Result> {
    if (this.#detailed++ < DETAILED_PER_SECOND) return detailed(call, next)
    return isWatched() ? this.#timed(call, next) : this.#counted(call, next)
  }

  #counted(call: Call, next: Handle): Awaitable<Result> {
    const start = performance.now()
    try {
      const result = next(call)
      if (result instanceof Promise) {
        return result.then(
          value => (this.#count(value.isError !== true, performance.now() - start), value),
          (error: unknown) => {
            this.#count(call.cancellation.cancelled, performance.now() - start)
            throw error
          },
        )
      }
      this.#count(result.isError !== true, performance.now() - start)
      return result
    } catch (error) {
      this.#count(false, performance.now() - start)
      throw error
    }
  }

  #timed(call: Call, next: Handle): Awaitable<Result> {
    const start = performance.now()
    const done = (result: Result): Result => {
      const outcome = result.resultType === 'input_required' ? 'asked' : result.isError === true ? 'failed' : 'ok'
      this.#ended(plainRecord(call, outcome, performance.now() - start))
      return result
    }
    const fail = (error: unknown): never => {
      const kind = error instanceof RpcError ? (error.kind ?? String(error.code)) : 'tool-failed'
      this.#ended(plainRecord(call, call.cancellation.cancelled ? 'cancelled' : kind, performance.now() - start))
      throw error
    }
    let result: Awaitable<Result>
    try {
      result = next(call)
    } catch (error) {
      return fail(error)
    }
    return result instanceof Promise ? result.then(done, fail) : done(result)
  }

  #ended(record: Omit<CallRecord, 'id'>): void {
    this.#count(GOOD.has(record.outcome), record.durationMs)
    this.#write({ id: ++this.#ids, ...record })
  }

  #count(isGood: boolean, durationMs: number): void {
    this.#calls += 1
    if (!isGood) this.#errors += 1
    if (this.#durations.length < MOST_DURATIONS) this.#durations.push(durationMs)
  }
}

const known = new Map<string, string>()

/** Names come again and again, and looking for secrets costs more than a small call. */
function redacted(name: string): string {
  const found = known.get(name)
  if (found !== undefined) return found
  const shown = redactText(name, 200)
  if (name.length > 500) return shown
  if (known.size >= MOST_NAMES) known.clear()
  known.set(name, shown)
  return shown
}

/** Kept as long as the log is, so they must not be large. */
function small(value: unknown): unknown {
  const { length } = JSON.stringify(value) ?? ''
  return length > MOST_CHARACTERS ? undefined : value
}

const recordOf = (entry: AuditEntry): Omit<CallRecord, 'id'> => ({
  time: entry.time,
  principal: entry.principal,
  client: entry.client,
  transport: entry.transport,
  revision: entry.revision,
  tool: String(entry.tool),
  arguments: small(entry.arguments),
  outcome: entry.outcome,
  durationMs: entry.durationMs,
})

const plainRecord = ({ caller, link, params }: Call, outcome: string, ms: number): Omit<CallRecord, 'id'> => ({
  time: new Date().toISOString(),
  principal: caller.principal?.name ?? null,
  client: caller.client ? redacted(`${caller.client.name}/${caller.client.version}`) : null,
  transport: link.transport,
  revision: caller.revision.version,
  tool: redacted(String(params.name)),
  outcome,
  durationMs: Math.round(ms * 1000) / 1000,
})
