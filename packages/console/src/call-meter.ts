import { RpcError, audit, only, redactText } from '@causeway/engine'
import type { AuditEntry, AuditOptions, Awaitable, Call, Policy, Result } from '@causeway/engine'
import type { CallRecord } from './operator-records.ts'

// Redacting arguments costs more than a small call: above this rate only counts are kept.
const DETAILED_PER_SECOND = 200
const MOST_CHARACTERS = 2000
const MOST_DURATIONS = 10_000
const GOOD: ReadonlySet<string> = new Set(['ok', 'asked', 'cancelled'])

/** What calls came to since it was last asked. */
export interface Tally {
  readonly calls: number
  readonly errors: number
  readonly p50: number
  readonly p95: number
  readonly running: number
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

  constructor(write: (record: CallRecord) => void, schemaOf: NonNullable<AuditOptions['schemaOf']>) {
    this.#write = write
    const detailed = audit(entry => this.#ended(recordOf(entry)), { schemaOf })
    const plain: Policy = (call, next) => this.#timed(call, next)
    this.policy = only(['tools/call'], (call, next) => {
      this.#running += 1
      let result: Awaitable<Result>
      try {
        result = this.#detailed++ < DETAILED_PER_SECOND ? detailed(call, next) : plain(call, next)
      } catch (error) {
        this.#running -= 1
        throw error
      }
      if (result instanceof Promise) return result.finally(() => (this.#running -= 1))
      this.#running -= 1
      return result
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

  #timed(call: Call, next: (call: Call) => Awaitable<Result>): Awaitable<Result> {
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
    this.#calls += 1
    if (!GOOD.has(record.outcome)) this.#errors += 1
    if (this.#durations.length < MOST_DURATIONS) this.#durations.push(record.durationMs)
    this.#write({ id: ++this.#ids, ...record })
  }
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
  client: caller.client ? redactText(`${caller.client.name}/${caller.client.version}`, 200) : null,
  transport: link.transport,
  revision: caller.revision.version,
  tool: redactText(String(params.name), 200),
  outcome,
  durationMs: Math.round(ms * 1000) / 1000,
})
